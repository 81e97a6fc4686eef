import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { cruise, type ICruiseResult, type IForbiddenRuleType } from 'dependency-cruiser';
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const { forbidden, options } = createRequire(import.meta.url)(`${root}/.dependency-cruiser.cjs`) as {
  forbidden: (IForbiddenRuleType & { name: string })[];
  options: object;
};

/** One breach of each rule: the rule, the file that breaks it, its source. */
const breaches: readonly [rule: string, file: string, source: string][] = [
  ['protocols-sees-its-own', 'src/protocols/bad.ts', `import '../grading/good';`],
  ['grading-sees-its-own', 'src/grading/bad.ts', `import '../protocols/good';`],
  ['evaluation-sees-its-own', 'src/evaluation/bad.ts', `import '../rl/good';`],
  ['rl-sees-its-own', 'src/rl/bad.ts', `import '../journal/good';`],
  ['journal-sees-its-own', 'src/journal/bad.ts', `import '../rl/good';`],
  ['sandbox-sees-its-own', 'src/sandbox/bad.ts', `import '../journal/good';`],
  ['services-sees-its-own', 'src/services/bad.ts', `import '../trainer/good';`],
  ['trainer-sees-its-own', 'src/trainer/bad.ts', `import '../services/good';`],
  ['tokens-sees-its-own', 'src/tokens/bad.ts', `import '../services/good';`],
  ['datasets-sees-its-own', 'src/datasets/bad.ts', `import '../services/good';`],
  ['presets-sees-its-own', 'src/presets/bad.ts', `import '../rl/good';`],
  ['hub-sees-its-own', 'src/hub/bad.ts', `import '../services/good';`],
  ['host-sees-its-own', 'src/host/bad.ts', `import '../services/good';`],
  ['ports-are-types', 'src/services/bad2.ts', `import '../rl/ports';`],
  ['method-is-pure', 'src/rl/bad2.ts', `import 'node:path';`],
  ['method-is-pure', 'src/grading/bad2.ts', `import 'execa';`],
  ['method-reaches-no-disk', 'src/rl/bad3.ts', `import '../lib/disk';`],
  ['schema-imports-zod-only', 'src/schema/bad.ts', `import '../lib/good';`],
  ['schema-imports-zod-only', 'src/schema/bad2.ts', `import 'execa';`],
  ['lib-stands-alone', 'src/lib/bad.ts', `import '../schema/good';`],
  ['lib-stands-alone', 'src/lib/bad2.ts', `import 'zod';`],
  ['vscode-only-in-host', 'src/rl/bad4.ts', `import * as vscode from 'vscode'; export const v = vscode;`],
  ['vscode-only-in-host', 'src/host/model/bad.ts', `import type { Uri } from 'vscode'; export type U = Uri;`],
  ['nobody-imports-host', 'src/journal/bad2.ts', `import '../host/good';`],
  ['nobody-imports-cli', 'src/run/bad.ts', `import '../cli/good';`],
  ['nobody-imports-extension', 'src/cli/bad.ts', `import '../extension';`],
  ['webview-sees-schema-only', 'webview/bad.ts', `import type { A } from '../src/lib/good'; export type B = A;`],
  ['webview-takes-types-only', 'webview/bad2.ts', `import '../src/schema/good';`],
  ['webview-runs-in-a-browser', 'webview/bad3.ts', `import 'node:path';`],
  ['no-development-package', 'src/services/bad3.ts', `import 'esbuild';`],
  ['no-barrels', 'src/services/bad4.ts', `import './index';`],
  ['no-circular', 'src/run/circleA.ts', `import './circleB';`],
  ['everything-resolves', 'src/run/bad2.ts', `import './nowhere';`],
];

const innocent = [
  ...['schema', 'lib', 'protocols', 'grading', 'evaluation', 'rl', 'journal', 'services', 'trainer', 'host', 'cli'].map(
    (room) => `src/${room}/good.ts`,
  ),
  'src/extension.ts',
  'src/services/index.ts',
  'src/rl/ports.ts',
];

describe('the rules of who may import whom', () => {
  let folder: string;
  let found: string[];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'boundaries-'));
    await Promise.all([
      ...innocent.map((file) => plant(file, 'export type A = 1;')),
      plant('src/lib/disk.ts', `import 'node:fs/promises';`),
      plant('src/run/circleB.ts', `import './circleA';`),
      plant('src/host/honest.ts', `import * as vscode from 'vscode'; export const v = vscode;`),
      plant('src/rl/honest.ts', `import '../protocols/good'; import '../lib/good';`),
      plant('src/services/honest.ts', `import type { A } from '../rl/ports'; import 'undici'; export type B = A;`),
      plant('webview/honest.ts', `import type { A } from '../src/schema/good'; import 'chart.js'; export type B = A;`),
      ...breaches.map(([, file, source]) => plant(file, source)),
      cp(`${root}/package.json`, join(folder, 'package.json')),
      cp(`${root}/tsconfig.json`, join(folder, 'tsconfig.json')),
      symlink(`${root}/node_modules`, join(folder, 'node_modules')),
    ]);
    found = violations(await cruiseFolder(folder));
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function plant(file: string, source: string): Promise<void> {
    await mkdir(join(folder, dirname(file)), { recursive: true });
    await writeFile(join(folder, file), `${source}\n`);
  }

  it.each(breaches)('%s is broken by %s', (rule, file) => {
    expect(found).toContain(`${rule} ${file}`);
  });

  it('leave an honest file alone', () => {
    expect(found.filter((line) => /honest|good/.test(line))).toEqual([]);
  });

  it('are each broken by a planted breach', () => {
    const planted = new Set(breaches.map(([rule]) => rule));
    expect(forbidden.map(({ name }) => name).filter((name) => !planted.has(name))).toEqual([]);
  });

  it('hold in the sources, of which more than 30 are read', async () => {
    const result = await cruiseFolder(root);
    expect(violations(result)).toEqual([]);
    expect(result.summary.totalCruised).toBeGreaterThan(30);
  });
});

describe('the method', () => {
  const impure = /\b(Date\.now|new Date|performance\.|Math\.random|setTimeout|setInterval|process\.|crypto\.)/;

  it('knows no clock, no chance and no process', async () => {
    const folders = ['rl', 'protocols', 'grading', 'evaluation'].map((room) => `${root}/src/${room}`);
    const files = (await Promise.all(folders.map(typescriptFiles))).flat();
    const sources = await Promise.all(files.map(async (file) => [file, await readFile(file, 'utf8')] as const));
    expect(sources.length).toBeGreaterThan(10);
    expect(sources.filter(([, source]) => impure.test(source)).map(([file]) => file)).toEqual([]);
    expect(impure.test('const now = Date.now();')).toBe(true);
  });
});

async function typescriptFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true });
  return entries.filter((name) => name.endsWith('.ts')).map((name) => join(folder, name));
}

async function cruiseFolder(baseDir: string): Promise<ICruiseResult> {
  const settings = { ...options, baseDir, ruleSet: { forbidden }, validate: true };
  const tsConfig = extractTSConfig(join(baseDir, 'tsconfig.json'));
  const { output } = await cruise(['src', 'webview'], settings, undefined, { tsConfig });
  if (typeof output === 'string') throw new Error(output);
  return output;
}

const violations = ({ summary }: ICruiseResult): string[] => [
  ...new Set(summary.violations.map(({ rule, from }) => `${rule.name} ${from}`)),
];
