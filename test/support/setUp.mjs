import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from '../../scripts/build.mjs';

/**
 * Builds what tests start (command line, trainer, kernels), and gives them a temporary folder that goes when they end.
 */
export async function setup() {
  await build();
  const folder = await mkdtemp(join(tmpdir(), 'retool-tests-'));
  // Attacks run as another user below it.
  await chmod(folder, 0o711);
  process.env.TMPDIR = folder;
  return () => rm(folder, { recursive: true, force: true });
}
