// Writes the problem files of examples/. With --check, fails when they are not what it would write.
import { readFile, writeFile } from 'node:fs/promises';
import { build } from 'esbuild';

const { outputFiles } = await build({
  entryPoints: [new URL('exampleFiles.ts', import.meta.url).pathname],
  bundle: true,
  format: 'esm',
  write: false,
});
const { exampleFiles } = await import(
  `data:text/javascript;base64,${Buffer.from(outputFiles[0].text).toString('base64')}`
);

const differing = [];
for (const [name, text] of Object.entries(exampleFiles())) {
  const path = new URL(`../examples/${name}`, import.meta.url);
  if (process.argv.includes('--check')) {
    if ((await readFile(path, 'utf8').catch(() => '')) !== text) differing.push(name);
  } else {
    await writeFile(path, text);
  }
}
if (differing.length > 0) {
  process.stderr.write(`Differs from what scripts/examples.mjs writes: ${differing.join(', ')}. Run it anew.\n`);
  process.exitCode = 1;
}
