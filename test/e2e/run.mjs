// Packs the extension, then drives it in a real VS Code through its user interface alone.
import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import Mocha from 'mocha';
import { cannotRun, clearTally, closingLine, writeTally } from '../support/tally.mjs';
import { vscodeObstacle } from '../support/vscodeHost.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const here = fileURLToPath(new URL('.', import.meta.url));

/** @param filter runs only the spec files whose name contains it. */
async function main(filter = '') {
  await clearTally('e2e');
  const obstacle = await vscodeObstacle(console.log);
  if (obstacle) return cannotRun('e2e', obstacle);
  if (!process.env.RETOOL_VSIX) {
    await promisify(execFile)('npm', ['run', '--silent', 'package'], { cwd: root });
    process.env.RETOOL_VSIX = `${root}retool-lab.vsix`;
  }

  // A workbench waits for most of its time, so two share the machine.
  const mocha = new Mocha({
    ui: 'bdd',
    timeout: 180_000,
    slow: 20_000,
    reporter: 'spec',
    parallel: true,
    jobs: 2,
    require: [`${here}hooks.mjs`],
  });
  const specs = (await readdir(here)).filter((name) => name.endsWith('.spec.mjs') && name.includes(filter));
  for (const name of specs.sort()) mocha.addFile(`${here}${name}`);
  const tally = { passed: 0, failed: 0, skipped: 0 };
  await new Promise((resolve) => {
    mocha
      .run(resolve)
      .on('pass', () => tally.passed++)
      .on('fail', () => tally.failed++)
      .on('pending', () => tally.skipped++);
  });
  await writeTally('e2e', tally);
  console.log(`e2e: ${closingLine(tally)}`);
  return tally.failed > 0 ? 1 : 0;
}

process.exitCode = await main(process.argv[2]);
