import { build } from '../../scripts/build.mjs';

/** Tests start the built command line, trainer and kernels, so they are built before the first test. */
export async function setup() {
  await build();
}
