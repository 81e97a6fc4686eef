// Runs the mocha tests beside this file inside a real VS Code: a desktop one where it can be had, else code-server.
import { cp, readFile, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { downloadAndUnzipVSCode, runTests } from '@vscode/test-electron';
import { build } from '../../scripts/build.mjs';
import {
  cannotRun,
  clearTally,
  closingLine,
  readTally,
  resultsFolder,
  tallyFile,
  writeTally,
} from '../support/tally.mjs';
import { makeProfile, vscodeObstacle } from '../support/vscodeHost.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
const report = `${resultsFolder}/host.txt`;
const downloadLimit = 120_000;

/** @returns a desktop VS Code, or nothing where there is no screen or no way to download it. */
async function desktopVscode() {
  const { DISPLAY, WAYLAND_DISPLAY, RETOOL_TEST_VSCODE } = process.env;
  if (RETOOL_TEST_VSCODE) return RETOOL_TEST_VSCODE;
  if (process.platform === 'linux' && !DISPLAY && !WAYLAND_DISPLAY) return undefined;
  return downloadAndUnzipVSCode({ version: 'stable', timeout: downloadLimit }).catch(() => undefined);
}

async function main() {
  await clearTally('host');
  for (const file of ['host.log', 'host.txt']) await rm(`${resultsFolder}/${file}`, { force: true });
  const desktop = await desktopVscode();
  const obstacle = desktop ? undefined : await vscodeObstacle(console.log);
  if (obstacle) return cannotRun('host', obstacle);
  await build();

  const profile = await makeProfile();
  const filter = (path) => !path.includes('/.retool');
  await cp(`${root}/examples`, `${profile.workspace}/examples`, { recursive: true, filter });
  let code;
  try {
    code = await runTests({
      vscodeExecutablePath: desktop ?? `${root}/test/support/codeShim.mjs`,
      extensionDevelopmentPath: root,
      extensionTestsPath: `${root}/dist/test/host/index.js`,
      extensionTestsEnv: { RETOOL_HOST_RESULTS: tallyFile('host'), RETOOL_HOST_REPORT: report },
      launchArgs: [profile.workspace],
    });
  } catch (error) {
    code = error.code ?? 1;
  } finally {
    await profile.remove();
  }
  console.log(await readFile(report, 'utf8').catch(() => 'VS Code ran no test; see test-results/host.log.'));
  const tally = (await readTally('host')) ?? { passed: 0, failed: 1, skipped: 0 };
  if (code !== 0 && tally.failed === 0) tally.failed = 1;
  await writeTally('host', tally);
  console.log(`host: ${closingLine(tally)}`);
  return tally.failed > 0 ? 1 : 0;
}

process.exitCode = await main();
