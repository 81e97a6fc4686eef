import { mkdir, readdir, rename, stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import asc from 'assemblyscript/asc';

const script = fileURLToPath(import.meta.url);
const root = fileURLToPath(new URL('..', import.meta.url));
const sources = 'src/trainer/kernels';
const output = 'dist/kernels.wasm';

/** Compiles the trainer's kernels to WASM SIMD, unless the output is newer than everything it is made from. */
export async function buildKernels() {
  const files = (await readdir(`${root}/${sources}`)).map((name) => `${root}/${sources}/${name}`);
  const newest = Math.max(...(await Promise.all([script, ...files].map(changed))));
  if ((await changed(`${root}/${output}`)) > newest) return;

  await mkdir(`${root}/dist`, { recursive: true });
  // No runtime: kernels own no memory. The memory is the caller's and grows with its needs, up to 4 GiB.
  const flags = '--runtime stub --enable simd -O3 --noAssert --use abort= --importMemory --maximumMemory 65536';
  const partial = `${output}.${process.pid}`;
  const { error, stderr } = await asc.main(
    [`${sources}/kernels.ts`, '--baseDir', root, '--outFile', partial, ...flags.split(' ')],
    {},
  );
  if (error) throw new Error(`the kernels do not compile: ${stderr.toString()}`, { cause: error });
  await rename(`${root}/${partial}`, `${root}/${output}`);
}

async function changed(path) {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
}
