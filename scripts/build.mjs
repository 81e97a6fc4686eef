import { existsSync } from 'node:fs';
import { chmod, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import * as esbuild from 'esbuild';
import { buildKernels } from './kernels.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Browser scripts: each becomes `dist/webview/<name>.js`. */
const webviews = ['behaviour', 'comparison', 'dashboard', 'laboratory'];

/** Sources write `import.meta`; their bundles are CommonJS, which has none. */
const metaUrl = "const importMetaUrl = require('node:url').pathToFileURL(__filename).href;";

const node = {
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  external: ['vscode', 'mocha'],
  // jsonc-parser's main is UMD, whose inner requires no bundler sees.
  mainFields: ['module', 'main'],
  loader: { '.py': 'text' },
  define: {
    'import.meta.url': 'importMetaUrl',
    'import.meta.dirname': '__dirname',
    'import.meta.filename': '__filename',
  },
  banner: { js: metaUrl },
};

/** Packages that only a run needs: files of their own, which a window that trains nothing never parses. */
const apart = {
  undici: 'node_modules/undici/index.js',
  execa: 'node_modules/execa/index.js',
  hyparquet: 'node_modules/hyparquet/src/index.js',
  'hyparquet-compressors': 'node_modules/hyparquet-compressors/src/index.js',
};

const packagesApart = {
  name: 'packages apart',
  setup(build) {
    build.onResolve({ filter: new RegExp(`^(${Object.keys(apart).join('|')})$`) }, ({ path }) => ({
      path: `./${path}.js`,
      external: true,
    }));
  },
};

/** @returns what esbuild is to make of the sources that exist: one option set per part that can fail on its own. */
async function bundles({ minify }) {
  const tests = (await readdir(`${root}/test/host`)).filter((name) => name === 'index.ts' || name.endsWith('.test.ts'));
  const benches = await readdir(`${root}/test/bench`);
  const parts = [
    { ...node, entryPoints: apart },
    { ...node, entryPoints: { extension: 'src/extension.ts' }, plugins: [packagesApart] },
    {
      ...node,
      entryPoints: { cli: 'src/cli.ts' },
      plugins: [packagesApart],
      banner: { js: `#!/usr/bin/env node\n${metaUrl}` },
    },
    {
      ...node,
      entryPoints: { trainer: 'src/trainer/trainerProcess.ts', computeThread: 'src/trainer/computeThread.ts' },
    },
    { ...node, entryPoints: { templateProcess: 'src/tokens/templateProcess.ts' } },
    { ...node, entryPoints: { behaviourThread: 'src/run/behaviourThread.ts' }, plugins: [packagesApart] },
    {
      ...node,
      entryPoints: Object.fromEntries(benches.map((name) => [`bench-${name}`, `test/bench/${name}/index.ts`])),
    },
    {
      ...node,
      entryPoints: Object.fromEntries(
        tests.map((name) => [`test/host/${name.replace(/\.ts$/, '')}`, `test/host/${name}`]),
      ),
    },
    {
      platform: 'browser',
      format: 'iife',
      target: 'es2022',
      entryPoints: Object.fromEntries(webviews.map((name) => [`webview/${name}`, `webview/${name}.ts`])),
    },
  ];
  const common = { absWorkingDir: root, outdir: 'dist', bundle: true, sourcemap: !minify, minify, logLevel: 'silent' };
  return parts
    .map((part) => ({ ...common, ...part, entryPoints: existing(part.entryPoints) }))
    .filter(({ entryPoints }) => Object.keys(entryPoints).length > 0);
}

const existing = (entries) =>
  Object.fromEntries(Object.entries(entries).filter(([, path]) => existsSync(`${root}/${path}`)));

/** Builds everything under `dist/`. @throws when something does not build, after the rest has been written. */
export async function build({ minify = false } = {}) {
  await rm(`${root}/dist/test`, { recursive: true, force: true });
  const work = [...(await bundles({ minify })).map((options) => esbuild.build(options)), buildKernels()];
  const results = await Promise.allSettled(work);
  if (existsSync(`${root}/dist/cli.js`)) await chmod(`${root}/dist/cli.js`, 0o755);
  const failures = results.filter(({ status }) => status === 'rejected').map(({ reason }) => reason);
  const told = results.flatMap(({ value }) => (value ? [value] : []));
  const lines = (await Promise.all([...failures, ...told].map(format))).flat();
  if (lines.length > 0) console.error(lines.join('\n'));
  if (failures.length > 0) throw new Error('The build failed: the messages are above.');
  await writeFile(stamp, '');
}

const stamp = `${root}/dist/.built`;
const sources = ['src', 'webview', 'scripts', 'test/host', 'test/bench', 'package.json', 'package-lock.json'];

/** True when a source is newer than the last build that succeeded. */
async function isStale() {
  const built = await stat(stamp).catch(() => undefined);
  if (!built) return true;
  for (const source of sources) {
    const path = `${root}/${source}`;
    const below = (await stat(path)).isDirectory() ? await readdir(path, { recursive: true }) : [];
    for (const name of ['', ...below]) {
      if (name.includes('node_modules')) continue;
      if ((await stat(`${path}/${name}`.replace(/\/$/, ''))).mtimeMs > built.mtimeMs) return true;
    }
  }
  return false;
}

/** Prints what VS Code's esbuild problem matchers wait for. */
const announce = {
  name: 'announce',
  setup(build) {
    build.onStart(() => console.log('[watch] build started'));
    build.onEnd(async (result) => {
      for (const line of await format(result)) console.error(line);
      console.log('[watch] build finished');
    });
  },
};

async function watch() {
  await buildKernels();
  for (const options of await bundles({ minify: false })) {
    const context = await esbuild.context({ ...options, plugins: [...(options.plugins ?? []), announce] });
    await context.watch();
  }
}

/** @param result of a build, or the error that it was rejected with. */
const format = async ({ errors = [], warnings = [], message }) => [
  ...(await esbuild.formatMessages(errors, { kind: 'error' })),
  ...(await esbuild.formatMessages(warnings, { kind: 'warning' })),
  ...(message && errors.length === 0 ? [message] : []),
];

async function main() {
  const { values } = parseArgs({
    options: {
      watch: { type: 'boolean', default: false },
      minify: { type: 'boolean', default: false },
      quiet: { type: 'boolean', default: false },
      'if-stale': { type: 'boolean', default: false },
    },
  });
  if (values.watch) return watch();
  if (values['if-stale'] && !(await isStale())) return;
  const started = performance.now();
  try {
    await build({ minify: values.minify });
    if (!values.quiet) console.log(`Built dist/ in ${Math.round(performance.now() - started)} ms.`);
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
