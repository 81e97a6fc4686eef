import { appendFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { gatherMaterials, regatherMaterials } from '../../../src/run/materials';
import { localVocabulary } from '../../../src/trainer/vocabulary';
import { smallExperiment } from '../../support/smallRun';

const gather = (experiment: string, overrides = {}) =>
  gatherMaterials({ experiment, runs: '/nowhere', overrides }, localVocabulary);

describe('materials of a run', () => {
  it('leave out what does not fit the context, and count it', async () => {
    const path = await smallExperiment();
    const long = { id: 'long', question: '1+'.repeat(100), answer: '2' };
    await appendFile(join(dirname(path), 'train.jsonl'), `${JSON.stringify(long)}\n`);
    const materials = await gather(path);
    expect(materials.leftOut).toBe(1);
    expect(materials.problems).toHaveLength(8);
    await writeFile(join(dirname(path), 'train.jsonl'), `${JSON.stringify(long)}\n`);
    await expect(gather(path)).rejects.toThrow(/None of the 1 problems of train\.jsonl fits in 56 tokens/);
  });

  it('freeze the values in force, overrides included', async () => {
    const { frozen } = await gather(await smallExperiment(), { seed: 77, steps: 2 });
    expect(frozen.experiment).toMatchObject({ seed: 77, reinforcement: { steps: 2 } });
  });

  it('refuse a data file that changed since the run began', async () => {
    const path = await smallExperiment();
    const { frozen } = await gather(path);
    await expect(regatherMaterials(frozen, localVocabulary)).resolves.toMatchObject({ leftOut: 0 });
    await appendFile(join(dirname(path), 'train.jsonl'), '{"question":"1+1","answer":"2"}\n');
    await expect(regatherMaterials(frozen, localVocabulary)).rejects.toMatchObject({
      code: 'data',
      message: expect.stringMatching(/train\.jsonl has changed since the run began/),
    });
  });
});
