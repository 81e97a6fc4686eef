import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** @returns the class of `test/support/fixtureRun.ts`, which writes runs with invented numbers. */
export async function loadFixtureRun() {
  const outfile = `${root}dist/test/fixtureRun.cjs`;
  const entryPoints = [`${root}test/support/fixtureRun.ts`];
  await build({ entryPoints, outfile, bundle: true, format: 'cjs', platform: 'node', target: 'node20' });
  return createRequire(import.meta.url)(outfile).FixtureRun;
}
