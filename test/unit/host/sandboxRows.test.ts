import { expect, it } from 'vitest';
import { selectedInterpreter } from '../../../src/host/model/pythonEnvironment';
import { type SandboxRow, sandboxRows } from '../../../src/host/model/sandboxRows';
import { levelPromises, type SandboxLevel } from '../../../src/schema/sandboxLevels';
import { strings } from './support';

const report = (level: SandboxLevel, refused: { level: SandboxLevel; reason: string }[]) => ({
  level,
  ...levelPromises[level],
  refused,
  python: { path: '/usr/bin/python3.11', version: '3.11.2', packages: { sympy: '1.11.1' } },
});

/** As it is read: an indented line each. */
const textOf = (rows: readonly SandboxRow[], indent = ''): string[] =>
  rows.flatMap(({ label, description, icon, children = [] }) => [
    `${indent}(${icon}) ${label}${description === undefined ? '' : ` — ${description}`}`,
    ...textOf(children, `${indent}  `),
  ]);

it('shows the ladder with its reasons, the promises of the level in force, and Python', () => {
  const refused = [{ level: 'namespaces' as const, reason: 'unshare: Operation not permitted' }];
  const text = textOf(sandboxRows(report('landlock', refused), strings));
  expect(text.slice(0, 5)).toEqual([
    '(circle-slash) namespaces — refused: unshare: Operation not permitted',
    '(shield) landlock — in use, a boundary',
    '  (pass) What it guarantees',
    "    (check) no file of the host can be opened but Python's own libraries, read-only",
    '    (check) writes only to its working folder',
  ]);
  expect(text).toContain('    (dash) that a path exists, and its size and owner, can be seen');
  expect(text.slice(-5)).toEqual([
    '(circle-outline) seccomp — not needed',
    '(circle-outline) limits — not needed',
    '(terminal) Python 3.11.2 — /usr/bin/python3.11',
    '  (circle-slash) numpy — not installed',
    '  (package) sympy — 1.11.1',
  ]);
});

it('warns of a level that is no boundary', () => {
  const text = textOf(sandboxRows(report('limits', []), strings));
  expect(text).toContain('(warning) limits — in use, not a boundary');
});

it("takes the Python extension's choice, and none where that is missing, chooses nothing, or is another one", async () => {
  const folder = { path: '/work' };
  const api = (executable: object | undefined) => ({
    environments: {
      getActiveEnvironmentPath: (resource: unknown) => ({ path: resource === folder ? '/work/.venv' : '' }),
      resolveEnvironment: async ({ path }: { path: string }) =>
        executable && path === '/work/.venv' ? { executable } : undefined,
    },
  });
  const select = (activate: () => Promise<unknown>) => selectedInterpreter({ activate }, folder);
  expect(await select(async () => api({ uri: { fsPath: '/work/.venv/bin/python' } }))).toBe('/work/.venv/bin/python');
  expect(await select(async () => api({ uri: undefined }))).toBeUndefined();
  expect(await select(async () => api(undefined))).toBeUndefined();
  expect(await select(async () => ({}))).toBeUndefined();
  expect(await select(() => Promise.reject(new Error('it does not start')))).toBeUndefined();
  expect(await selectedInterpreter(undefined, folder)).toBeUndefined();
});
