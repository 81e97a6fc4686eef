import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readEvaluation } from '../../../src/run/evaluationReport';
import { importEvaluations } from '../../../src/run/importEvaluations';

it('the file of an evaluation in docs/evaluations.md is one', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'documented-'));
  const [, text] = (await readFile('docs/evaluations.md', 'utf8')).split('```\n');
  const path = join(folder, 'two.jsonl');
  await writeFile(path, text!);
  const [imported] = await importEvaluations([path], join(folder, 'evaluations'), 'test');
  const { samples, average, passed, format, problems } = await readEvaluation(
    join(folder, 'evaluations', `${imported!.id}.jsonl`),
  );
  expect({ samples, average, passed, format, problems: problems.length }).toEqual({
    samples: 2,
    average: 0.25,
    passed: 1,
    format: 0.75,
    problems: 2,
  });
  await rm(folder, { recursive: true });
});
