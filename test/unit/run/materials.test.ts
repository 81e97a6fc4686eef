import { appendFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { dataNotices } from '../../../src/run/dataReportText';
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
    expect(materials.leftOut).toMatchObject({ tooLong: 1, repeated: 0, contradictory: 0 });
    expect(materials.problems).toHaveLength(8);
    await writeFile(join(dirname(path), 'train.jsonl'), `${JSON.stringify(long)}\n`);
    await expect(gather(path)).rejects.toThrow(/None of the 1 problems of train\.jsonl fits in 56 tokens/);
  });

  it('tell how many demonstrations do not fit, of how many, and what to raise', async () => {
    const path = await smallExperiment();
    const many = Array.from({ length: 1200 }, (_, i) => ({
      question: `${i}+1`,
      answer: `${i + 1}`,
      code: `print(${i}+1)`,
    }));
    const long = many.slice(0, 1100).map((each) => ({ ...each, code: `print(${'0+'.repeat(40)}${each.answer})` }));
    const lines = [...long, ...many.slice(1100)].map((each) => JSON.stringify(each)).join('\n');
    await writeFile(join(dirname(path), 'demonstrations.jsonl'), lines);
    expect(dataNotices(await gather(path)).map(({ message }) => message)).toContain(
      'coldStart.demonstrations: 1,100 of 1,200 do not fit the context of 64 tokens and are left out: raise service.context.',
    );
  });

  it('freeze the values in force, overrides included', async () => {
    const { frozen } = await gather(await smallExperiment(), { seed: 77, steps: 2 });
    expect(frozen.experiment).toMatchObject({ seed: 77, reinforcement: { steps: 2 } });
  });

  it('refuse a data file that changed since the run began', async () => {
    const path = await smallExperiment();
    const { frozen } = await gather(path);
    await expect(regatherMaterials(frozen, localVocabulary)).resolves.toMatchObject({ leftOut: { tooLong: 0 } });
    await appendFile(join(dirname(path), 'train.jsonl'), '{"question":"1+1","answer":"2"}\n');
    await expect(regatherMaterials(frozen, localVocabulary)).rejects.toMatchObject({
      code: 'data',
      message: expect.stringMatching(/train\.jsonl has changed since the run began/),
    });
  });
});

describe('problem files of a run', () => {
  const lines = (items: readonly object[]) => items.map((item) => JSON.stringify(item)).join('\n');
  const sums = (count: number) => Array.from({ length: count }, (_, i) => ({ question: `${i}+1`, answer: `${i + 1}` }));
  /** An experiment without cold start on these problems. */
  async function experimentOn(train: string, data: object = {}, evaluation = ''): Promise<string> {
    const path = await smallExperiment({
      coldStart: undefined,
      data: { train: 'set.jsonl', ...(evaluation && { evaluation: 'held.jsonl' }), ...data },
    });
    await writeFile(join(dirname(path), 'set.jsonl'), train);
    if (evaluation) await writeFile(join(dirname(path), 'held.jsonl'), evaluation);
    return path;
  }
  const questions = (problems: readonly { readonly question: string }[]) => problems.map(({ question }) => question);

  it('ask a repeated question once, and one with different answers never', async () => {
    const torn = [
      { question: '1*1', answer: '1' },
      { question: '1*1', answer: '2' },
      { question: '1*1', answer: '1' },
    ];
    const set = lines([...sums(4), ...torn, { question: ' 2+1', answer: '03' }]);
    const { problems, leftOut } = await gather(await experimentOn(set));
    expect(questions(problems)).toEqual(['0+1', '1+1', '2+1', '3+1']);
    expect(leftOut).toMatchObject({ repeated: 1, contradictory: 3 });

    const kept = await gather(await experimentOn(set, { deduplicate: false }));
    expect(questions(kept.problems)).toEqual(['0+1', '1+1', '2+1', '3+1', ' 2+1']);
    expect(kept.leftOut).toMatchObject({ repeated: 0, contradictory: 3 });

    const named = sums(2).map((sum, i) => ({ id: `p-${i}`, ...sum }));
    const again = await gather(await experimentOn(lines([...named, ...named]), { deduplicate: false }));
    // Of one id they would be sampled alike.
    expect(again.problems.map(({ id }) => id)).toEqual(['p-0', 'p-1', 'p-0#3', 'p-1#4']);
  });

  it('hold out the same problems for every seed, once repeats are gone', async () => {
    const path = await experimentOn(lines([...sums(20), ...sums(20), ...sums(20)]), { holdOut: 5 });
    const { problems, evaluation } = await gather(path);
    expect([problems.length, evaluation.length]).toEqual([15, 5]);
    expect(new Set(questions([...problems, ...evaluation])).size).toBe(20);
    expect(questions((await gather(path, { seed: 99 })).evaluation)).toEqual(questions(evaluation));
    await expect(gather(await experimentOn(lines(sums(5)), { holdOut: 5 }))).rejects.toThrow(
      'data.holdOut is 5, but set.jsonl has 5 problems to use.',
    );
  });

  it('are told of in notices, and an empty set is refused', async () => {
    const materials = await gather(await experimentOn(lines(sums(3)), {}, lines(sums(5).slice(2))));
    expect(dataNotices(materials)).toEqual([
      {
        level: 'warning',
        message:
          'data.evaluation: questions that are trained on too: 1 (line 1; in the training set line 3). The evaluation partly measures what was trained on.',
      },
    ]);
    const torn = lines([
      { question: '1*1', answer: '1' },
      { question: '1*1', answer: '2' },
    ]);
    await expect(gather(await experimentOn(torn))).rejects.toThrow(
      'All 1 questions of set.jsonl have different answers in different records.',
    );
  });

  it('are refused at their first fault', async () => {
    const [first] = sums(1);
    const twice = lines([
      { id: 'a', ...first },
      { id: 'a', question: '7*7', answer: '49' },
    ]);
    await expect(gather(await experimentOn(twice))).rejects.toMatchObject({
      code: 'data',
      message: expect.stringMatching(/set\.jsonl, line 2: the id "a" is that of line 1 too\.$/),
    });
    await expect(gather(await experimentOn(`${lines(sums(2))}\n{}\nnot JSON`))).rejects.toThrow(
      /set\.jsonl, line 3: the field "question" is missing\.$/,
    );
  });

  it('are read no further when that is cancelled', async () => {
    const experiment = await experimentOn(lines(sums(50)));
    const signal = AbortSignal.abort();
    await expect(gatherMaterials({ experiment, runs: '/nowhere', signal }, localVocabulary)).rejects.toThrow(/abort/i);
  });
});
