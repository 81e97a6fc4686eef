import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readRolloutsAt, readTrajectoryAt } from '../../../src/journal/rolloutPlace';
import { evaluationFile } from '../../../src/journal/runFolder';
import { RetoolError } from '../../../src/lib/errors';
import { compareEvaluations } from '../../../src/run/compareEvaluations';
import { evaluationCost } from '../../../src/run/evaluationCost';
import { type EvaluationReport, readEvaluation } from '../../../src/run/evaluationReport';
import { importEvaluations } from '../../../src/run/importEvaluations';
import { evaluationsAt } from '../../../src/run/runEvaluations';
import { referenceTable, writeReferenceEvaluations } from '../../support/referenceEvaluations';
import { aTrajectory, aTurn } from '../host/support';

let folder: string;
let files: string[];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'retool-import-'));
  files = await writeReferenceEvaluations(join(folder, 'eval-results'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** As the published table prints it. */
const printed = ({ average, passAtK, samples, format, codeCalls, turns }: EvaluationReport) => ({
  average: (average! * 100).toFixed(2),
  pass: (passAtK.get(samples)! * 100).toFixed(2),
  format: (format! * 100).toFixed(2),
  meanCalls: codeCalls!.toFixed(2),
  meanTurns: turns!.toFixed(2),
});

const into = async () => join(await mkdtemp(join(folder, 'into-')), '.retool', 'evaluations');
const order = ['base', 'step20', 'step50', 'step100', 'step150', 'step200'];

describe("the reference's evaluation files", () => {
  it('say every figure of the published table once imported, in whatever order they came', async () => {
    const target = await into();
    const imported = await importEvaluations(files.toReversed(), target, '1.2.3');
    expect(imported.map(({ isNew }) => isNew)).toEqual(Array(6).fill(true));
    const ended = await evaluationsAt([target]);
    expect(ended.map(({ subject }) => subject.kind === 'imported' && subject.from)).toEqual(
      order.map((name) => `aime25-retool-${name}.jsonl`),
    );
    const reports = ended.map(({ report }) => report);
    expect(reports.reduce((sum, { generations }) => sum + generations, 0)).toBe(2160);
    expect(reports.map(printed)).toEqual(referenceTable.map(({ published }) => published));
    expect(reports.map(({ correct, passed, formatted }) => [correct, passed, formatted])).toEqual(
      referenceTable.map(({ correct, solved, formatted }) => [correct, solved, formatted]),
    );
  });

  it('with other ends of lines or a byte order mark are the same', async () => {
    const target = await into();
    const [first] = await importEvaluations(files.slice(0, 1), target, '1.2.3');
    const text = await readFile(files[0]!, 'utf8');
    const again = join(folder, 'again.jsonl');
    for (const variant of [text.replaceAll('\n', '\r\n'), `\ufeff${text}`, text.trimEnd()]) {
      await writeFile(again, variant);
      const [same] = await importEvaluations([again], target, '1.2.3');
      expect([same!.id, same!.isNew]).toEqual([first!.id, false]);
    }
  });

  it('become evaluations with their model and protocol, and what they do not say is left out and told', async () => {
    const target = await into();
    const [base, first] = await importEvaluations(files.slice(0, 2), target, '1.2.3', new Date('2026-01-02T03:04:05Z'));
    expect(JSON.parse(await readFile(join(target, first!.id, 'request.json'), 'utf8'))).toEqual({
      version: 1,
      id: first!.id,
      by: '1.2.3',
      created: '2026-01-02T03:04:05.001Z',
      reason: 'imported',
      subject: {
        kind: 'imported',
        from: 'aime25-retool-step20.jsonl',
        model: 'trio://retool-qwen35-4b-step200/sampler_weights/step20',
      },
      protocol: {
        dataset: { name: 'yentinglin/aime_2025', problems: 30, digest: expect.stringMatching(/^[0-9a-f]{64}$/) },
        mode: 'tool',
        samples: 12,
        temperature: 1,
        topP: 0.7,
        topK: -1,
        settings: {},
      },
      result: {
        average: expect.closeTo(116 / 360, 9),
        interval: { low: expect.closeTo(0.219444, 6), high: expect.closeTo(0.433333, 6) },
      },
    });
    expect(base!.subject.model).toBe('Qwen/Qwen3.5-4B');
    expect(base!.missing.join(' ')).toMatch(/no turns, no code .* no tokens of prompts.*Seed, budgets, reward rule/);
    expect(await readFile(first!.file, 'utf8')).toBe(await readFile(files[1]!, 'utf8'));
    expect(await readFile(join(target, '..', '.gitignore'), 'utf8')).toBe('*\n');
  });

  it('have their texts to open, right and wrong, with what was counted of each', async () => {
    const target = await into();
    const [base] = await importEvaluations([files[0]!], target, '1.2.3');
    const place = { evaluation: base!.id };
    const rows = await readRolloutsAt(dirname(target), place);
    expect(rows).toHaveLength(360);
    expect(rows.filter(({ verdict }) => verdict === 'correct')).toHaveLength(referenceTable[0].correct);
    expect(rows.reduce((sum, { calls }) => sum + calls, 0)).toBe(referenceTable[0].calls);
    const row = rows.find(({ verdict, calls }) => verdict === 'correct' && calls > 0)!;
    const trajectory = await readTrajectoryAt(dirname(target), place, row.problemId, row.branch);
    expect(trajectory.turns.map(({ text }) => text).join()).toContain(`\\boxed{${trajectory.gold}}`);
    expect(trajectory.imported).toEqual({ calls: row.calls, turns: row.calls + 1 });
    // Its format tells no prompts, so what it cost is not known.
    const [ended] = await evaluationsAt([target]);
    expect([ended!.report.usage, evaluationCost(ended!)]).toEqual([undefined, undefined]);
  });

  it('are read line by line, whatever else a line lacks', async () => {
    const file = evaluationFile(folder, 'sparse');
    const trajectory = aTrajectory([aTurn('It is \\boxed{42}.')], { branch: 3 });
    const texts = { predicted_answer: '7', correct: false, formatted: true, code_calls: 0, turns: 1 };
    const lines = [
      { type: 'problem', problem_id: 'own', generations: [{ trajectory }] },
      { type: 'problem', problem_id: 4, generations: [{ ...texts, completion_tokens: 9, text: 'So 7.' }] },
      { type: 'problem', problem_id: 'broken', generations: [{ text: 'no counts' }] },
    ];
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const rows = await readRolloutsAt(folder, { evaluation: 'sparse' });
    expect(rows.map(({ problemId, branch, tokens }) => [problemId, branch, tokens])).toEqual([
      ['p1', 3, 5],
      ['4', 0, 9],
    ]);
  });

  it('are imported once, whatever they are called', async () => {
    const target = await into();
    const [first] = await importEvaluations(files.slice(0, 1), target, '1');
    const copy = join(folder, 'copy.jsonl');
    await writeFile(copy, await readFile(files[0]!));
    const [again] = await importEvaluations([copy], target, '1');
    expect(again).toMatchObject({ id: first!.id, isNew: false });
    expect(await readdir(target)).toHaveLength(2);
  });

  it('are compared as they lie there, too', async () => {
    const ended = await evaluationsAt(files);
    const { evaluations } = compareEvaluations(ended, ended[0]!.id);
    expect(evaluations.map(({ differences }) => differences)).toEqual(Array(6).fill([]));
    expect(evaluations.at(-1)!.paired!.difference).toBeCloseTo((171 - 85) / 360, 12);
  });
});

describe('an evaluation file that is not whole', () => {
  type Line = Record<string, unknown>;
  const lines = async () => (await readFile(files[0]!, 'utf8')).trim().split('\n');
  const changed = (line: string, change: (record: Line) => void) => {
    const record = JSON.parse(line) as Line;
    change(record);
    return JSON.stringify(record);
  };
  const set = (field: string, value: unknown) => (record: Line) => {
    record[field] = value;
  };
  const torn: readonly [string, (rows: string[]) => string[], RegExp][] = [
    ['was cut in a line', (rows) => [...rows.slice(0, 3), rows[3]!.slice(0, 500)], /line 4: not JSON/],
    ['has no summary', (rows) => rows.slice(0, -1), /line 30: the file ends without a summary/],
    ['is empty', () => [], /line 1: the file ends without a summary/],
    ['is of another format', () => ['{"score":1}'], /line 1: neither a problem nor a summary of an evaluation/],
    ['goes on behind its summary', (rows) => [...rows, rows[0]!], /line 32: stands behind the summary/],
    [
      'has a problem twice',
      ([a, ...rows]) => [a!, a!, ...rows],
      /line 2: the field "problem_id" is 0, which an earlier/,
    ],
    [
      'asks for no samples',
      ([a, ...rows]) => [a!.replace('"val_n":12', '"val_n":0').replace('"val_n": 12', '"val_n": 0'), ...rows],
      /line 1: the field "val_n" is wrong/,
    ],
    [
      'counts fewer calls than none',
      ([a, ...rows]) => [a!.replace(/"code_calls": ?\d+/, '"code_calls":-7'), ...rows],
      /line 1: the field "generations\.0\.code_calls" is wrong/,
    ],
    [
      'lacks a field',
      ([a, ...rows]) => [changed(a!, (record) => delete record.ground_truth), ...rows],
      /line 1: the field "ground_truth" is wrong/,
    ],
    [
      'lacks generations',
      ([a, ...rows]) => [changed(a!, ({ generations }) => (generations as unknown[]).pop()), ...rows],
      /line 1: the field "generations" is 11, but val_n asks for 12/,
    ],
    [
      'counts otherwise',
      ([a, ...rows]) => [changed(a!, set('num_correct', 12)), ...rows],
      /line 1: the field "num_correct" is 12, but/,
    ],
    [
      'sums up otherwise',
      (rows) => [...rows.slice(0, -1), changed(rows.at(-1)!, set('correct_generations', 86))],
      /line 31: the field "correct_generations" is 86, but the lines above hold 85/,
    ],
    [
      'has another mode',
      (rows) => [...rows.slice(0, -1), changed(rows.at(-1)!, set('mode', 'chat'))],
      /line 31: the field "mode" is "chat"/,
    ],
  ];

  it.each(torn)('%s is refused with file, line and field, and nothing is imported', async (_, tear, sentence) => {
    const target = await into();
    const path = join(await mkdtemp(join(folder, 'torn-')), 'torn.jsonl');
    await writeFile(path, tear(await lines()).join('\n'));
    const error: unknown = await importEvaluations([files[1]!, path], target, '1').catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(RetoolError);
    expect((error as RetoolError).message).toMatch(sentence);
    expect((error as RetoolError).message.startsWith(`${path}, line `)).toBe(true);
    await mkdir(target, { recursive: true });
    expect(await readdir(target)).toEqual([]);
  });

  it('whose summary has other averages than its lines is taken by its lines, and says so', async () => {
    const rows = await lines();
    const path = join(folder, 'averages.jsonl');
    const summary = changed(rows.at(-1)!, (record) => Object.assign(record, { average_at_n: 0.5, mean_turns: 9 }));
    await writeFile(path, [...rows.slice(0, -1), summary].join('\n'));
    const [imported] = await importEvaluations([path], await into(), '1');
    expect(imported!.contradiction).toBe(
      `${path}, line 31: the summary says average_at_n 0.5 where its lines make 0.2361, mean_turns 9 where its lines make 2.6889; the lines count.`,
    );
    expect((await readEvaluation(imported!.file)).average).toBeCloseTo(85 / 360, 12);
    const [whole] = await importEvaluations([files[0]!], await into(), '1');
    expect(whole!.contradiction).toBeUndefined();
    const rounded = changed(rows.at(-1)!, (record) => Object.assign(record, { average_at_n: 0.236, mean_turns: 2.69 }));
    await writeFile(path, [...rows.slice(0, -1), rounded].join('\n'));
    expect((await importEvaluations([path], await into(), '1'))[0]!.contradiction).toBeUndefined();
  });

  it('may be of text-only mode', async () => {
    const rows = await lines();
    const path = join(folder, 'text.jsonl');
    await writeFile(path, [...rows.slice(0, -1), changed(rows.at(-1)!, set('mode', 'text-only'))].join('\n'));
    const [imported] = await importEvaluations([path], await into(), '1');
    expect(imported!.protocol.mode).toBe('text');
  });
});
