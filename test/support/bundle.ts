import { type BuildOptions, build } from 'esbuild';

/** Bundles TypeScript of the project to a module that runs by itself, its Python inside. */
export const bundle = (options: Pick<BuildOptions, 'entryPoints' | 'stdin' | 'outfile'>) =>
  build({
    ...options,
    bundle: true,
    platform: 'node',
    format: 'esm',
    loader: { '.py': 'text' },
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
