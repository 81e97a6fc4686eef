// Opens VS Code with the extension on the examples: a desktop VS Code where there is one, else code-server in a browser.
import { execFile, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { installExtension, makeProfile, startServer, workbenchUrl } from '../test/support/vscodeHost.mjs';
import { installCodeServer } from '../test/vscode/install.mjs';
import { build } from './build.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const examples = `${root}examples`;
const run = promisify(execFile);

/** @returns false where the program is not on the PATH. */
const opens = (program, ...args) =>
  new Promise((resolve) => {
    const child = spawn(program, args, { stdio: 'ignore', detached: true });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });

async function inDesktop() {
  await build();
  const started = await opens('code', `--extensionDevelopmentPath=${root}`, '--new-window', examples);
  if (started) console.log('VS Code opens on examples/ with the extension. Run "ReTool: Start Training" there.');
  return started;
}

async function inBrowser() {
  console.log('There is no `code` on the PATH, so VS Code runs in your browser (code-server, on this machine only).');
  await installCodeServer(console.log);
  console.log('Packing the extension …');
  await run('npm', ['run', '--silent', 'package'], { cwd: root });
  const profile = await makeProfile();
  await installExtension(profile, `${root}retool-lab.vsix`);
  const server = await startServer(profile);
  const url = workbenchUrl(server, examples);
  console.log(`\n  ${url}\n\nRun "ReTool: Start Training" from the palette (F1) there. Ctrl-C here ends it.`);
  await openBrowser(url);
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, async () => {
      await server.stop();
      await profile.remove();
      process.exit(0);
    });
  }
}

/** Where there is a screen. */
async function openBrowser(url) {
  const { DISPLAY, WAYLAND_DISPLAY } = process.env;
  if (process.platform === 'darwin') await opens('open', url);
  else if (DISPLAY || WAYLAND_DISPLAY) await opens('xdg-open', url);
}

if (!(await inDesktop())) {
  await inBrowser().catch((error) => {
    console.error(`VS Code cannot be started here: ${error.message.split('\n')[0]}`);
    console.error('Install VS Code with its `code` command, or train without it: npm run train');
    process.exitCode = 1;
  });
}
