import { mkdir, readdir, rename, stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import asc from 'assemblyscript/asc';

const script = fileURLToPath(import.meta.url);
const root = fileURLToPath(new URL('..', import.meta.url));
const sources = 'src/trainer/kernels';

/** Two builds of the same sources: where V8 knows relaxed SIMD, products and sums are fused. */
const builds = [
  { output: 'dist/kernels.wasm', features: [] },
  { output: 'dist/kernels.relaxed.wasm', features: ['--enable', 'relaxed-simd'] },
];

/** Compiles the trainer's kernels to WASM SIMD, where an output is not newer than everything it is made from. */
export async function buildKernels() {
  const files = (await readdir(`${root}/${sources}`)).map((name) => `${root}/${sources}/${name}`);
  const newest = Math.max(...(await Promise.all([script, ...files].map(changed))));
  await mkdir(`${root}/dist`, { recursive: true });
  for (const { output, features } of builds) {
    if ((await changed(`${root}/${output}`)) <= newest) await compile(output, features);
  }
}

async function compile(output, features) {
  // No runtime: kernels own no memory. The memory is the caller's and grows with its needs, up to 4 GiB.
  const flags = '--runtime stub --enable simd -O3 --noAssert --use abort= --importMemory --maximumMemory 65536';
  const partial = `${output}.${process.pid}`;
  const { error, stderr } = await asc.main(
    [`${sources}/kernels.ts`, '--baseDir', root, '--outFile', partial, ...flags.split(' '), ...features],
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
