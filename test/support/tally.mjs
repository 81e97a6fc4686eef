import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** Where the runners leave what they counted, logs and pictures. */
export const resultsFolder = fileURLToPath(new URL('../../test-results', import.meta.url));

export const tallyFile = (runner) => `${resultsFolder}/${runner}.json`;

/** Forgets an earlier count, so that a runner which dies has none. */
export async function clearTally(runner) {
  await mkdir(resultsFolder, { recursive: true });
  await rm(tallyFile(runner), { force: true });
}

/** @param tally {passed, failed, skipped}, and `reason` when the whole runner was skipped. */
export const writeTally = (runner, tally) => writeFile(tallyFile(runner), JSON.stringify(tally));

export const readTally = async (runner) => JSON.parse(await readFile(tallyFile(runner), 'utf8').catch(() => 'null'));

/** The line that sums up: `N passed, N failed`, and `, N skipped` when any were. */
export const closingLine = ({ passed, failed, skipped }) =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;

/**
 * Ends a runner that cannot run: skipped on a person's machine, a failure in CI, which promises to have what it needs.
 * @returns the exit code.
 */
export async function cannotRun(runner, reason) {
  const failed = process.env.CI === 'true';
  console.log(`${runner}: ${failed ? 'failed' : 'skipped'}, because ${reason}.`);
  await writeTally(runner, { passed: 0, failed: failed ? 1 : 0, skipped: failed ? 0 : 1, reason });
  return failed ? 1 : 0;
}
