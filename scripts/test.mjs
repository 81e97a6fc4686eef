// Every test there is, in the order of what they need; the last line sums up.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { clearTally, closingLine, readTally, resultsFolder } from '../test/support/tally.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const results = { passed: 0, failed: 0, skipped: 0 };

/** Runs a program with its output shown. @returns true when it succeeded. */
async function succeeds(name, command, ...args) {
  console.log(`\n=== ${name} ===`);
  const child = spawn(command, args, { cwd: root, stdio: 'inherit', env: { ...process.env, PATH: binaries } });
  const code = await new Promise((resolve) => child.once('close', resolve).once('error', resolve));
  if (code !== 0) console.log(`${name} failed.`);
  return code === 0;
}

const binaries = `${root}node_modules/.bin:${process.env.PATH}`;

/** A step that counts no tests: it passes in silence and fails as one. */
async function step(name, ...command) {
  const ok = await succeeds(name, ...command);
  if (!ok) results.failed++;
  return ok;
}

/** A runner that leaves a tally; one that fails without telling of a failed test counts as one. */
async function runner(name, ...command) {
  await clearTally(name);
  const ok = await succeeds(name, ...command);
  const told = await readTally(name);
  const { passed, failed, skipped } =
    name === 'unit' ? fromVitest(told) : (told ?? { passed: 0, failed: 0, skipped: 0 });
  results.passed += passed;
  results.failed += ok ? failed : Math.max(failed, 1);
  results.skipped += skipped;
}

const fromVitest = (report) => ({
  passed: report?.numPassedTests ?? 0,
  failed: report?.numFailedTests ?? 0,
  skipped: (report?.numPendingTests ?? 0) + (report?.numTodoTests ?? 0),
});

if (await step('build', 'node', 'scripts/build.mjs')) {
  await step('check', 'npm', 'run', '--silent', 'check');
  const report = `--outputFile.json=${resultsFolder}/unit.json`;
  await runner('unit', 'vitest', 'run', '--reporter=default', '--reporter=json', report);
  await runner('host', 'node', 'test/host/run.mjs');
  await runner('e2e', 'node', 'test/e2e/run.mjs');
}
console.log(`\n${closingLine(results)}`);
process.exitCode = results.failed > 0 ? 1 : 0;
