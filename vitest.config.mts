import { readFile } from 'node:fs/promises';
import { defineConfig } from 'vitest/config';

/** The bundles embed Python sources as text; so do the tests. */
const pythonAsText = {
  name: 'python-as-text',
  enforce: 'pre' as const,
  async load(id: string) {
    if (!id.endsWith('.py')) return null;
    return `export default ${JSON.stringify(await readFile(id, 'utf8'))};`;
  },
};

export default defineConfig({
  plugins: [pythonAsText],
  test: {
    include: ['test/unit/**/*.test.ts'],
    globalSetup: 'test/support/setUp.mjs',
    testTimeout: 20_000,
    hookTimeout: 30_000,
    // Many tests wait for processes of their own, so one worker would leave a core idle.
    maxWorkers: 2,
  },
});
