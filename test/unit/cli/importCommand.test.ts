import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { referenceTable, writeReferenceEvaluations } from '../../support/referenceEvaluations';
import { cliScript } from '../../support/smallRun';

let folder: string;
let files: string[];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'retool-import-cli-'));
  files = await writeReferenceEvaluations(join(folder, 'eval-results'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const started = (...args: readonly string[]) =>
  execa('node', [cliScript, ...args], {
    reject: false,
    cwd: folder,
    env: { HF_ENDPOINT: join(folder, 'hub'), XDG_CACHE_HOME: join(folder, 'cache'), https_proxy: 'http://127.0.0.1:9' },
  });
const recordsOf = (stdout: string) =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, never>);

describe('retool import', () => {
  it('imports, says what there is and what is missing, and knows what it has imported', async () => {
    const { stdout, exitCode } = await started('import', ...files);
    expect(exitCode).toBe(0);
    for (const { published, correct, solved } of referenceTable) {
      const [average, pass] = [published.average, published.pass].map((text) => Number(text).toFixed(1));
      expect(stdout).toContain(`: average@12 ${average} %, pass@12 ${pass} %, format `);
      expect(stdout).toContain(
        `${published.meanCalls} calls, ${published.meanTurns} turns, ${correct} of 360 correct, ${solved} of 30 problems solved`,
      );
    }
    expect(stdout.match(/Its trajectories open as that text/g)).toHaveLength(1);
    const again = recordsOf((await started('import', files[0]!, '--json')).stdout);
    expect(again).toEqual([expect.objectContaining({ kind: 'summary', imported: 0, known: 1 })]);
    expect(await readdir(join(folder, '.retool', 'evaluations'))).toHaveLength(12);
  });

  it('lets them be compared, in their folder and as they lie there', async () => {
    const gain = Number((((171 - 85) / 360) * 100).toFixed(1));
    for (const paths of [[join('.retool', 'evaluations')], files]) {
      const { stdout } = await started('compare', ...paths);
      expect(stdout.split('\n').filter((line) => line.includes('average@12'))).toHaveLength(6);
      expect(stdout).toContain(`average@12 47.5 %`);
      expect(stdout).toContain(`${gain} points`);
    }
  });

  it('refuses what is no evaluation and no run in a sentence', async () => {
    const foreign = await started('import', join(folder, 'eval-results', 'none.jsonl'));
    expect([foreign.exitCode, foreign.stderr.split('\n').length]).toEqual([1, 1]);
    const { stderr } = await started('import', files[0]!, '--run', folder);
    expect(stderr).toMatch(/is not a run folder/);
  });
});

describe('retool fetch of an evaluation set', () => {
  it('asks for a file where nothing can be reached', async () => {
    const { stderr, exitCode } = await started('fetch', 'aime_2025');
    expect(exitCode).not.toBe(0);
    expect(stderr).toMatch(/^AIME25 has not been fetched yet, and cannot be now: .*--dataset AIME25=FILE/);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  const file = resolve('..', 'shared', 'data', 'aime25.jsonl');
  it.skipIf(!existsSync(file))(
    'takes a file of it and remembers it (skipped where the shared data are missing)',
    async () => {
      expect((await started('fetch', `AIME25=${file}`)).stdout).toBe('AIME25: 30 problems, ready to evaluate on.');
      expect((await started('fetch', 'AIME25')).stdout).toBe('AIME25: 30 problems, ready to evaluate on.');
    },
  );
});
