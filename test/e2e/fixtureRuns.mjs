import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** @returns what `test/support/<name>.ts` exports. */
export async function loadSupport(name) {
  const outfile = `${root}dist/test/${name}.cjs`;
  const entryPoints = [`${root}test/support/${name}.ts`];
  await build({ entryPoints, outfile, bundle: true, format: 'cjs', platform: 'node', target: 'node20' });
  return createRequire(import.meta.url)(outfile);
}

/** @returns the class of `test/support/fixtureRun.ts`, which writes runs with invented numbers. */
export const loadFixtureRun = async () => (await loadSupport('fixtureRun')).FixtureRun;
