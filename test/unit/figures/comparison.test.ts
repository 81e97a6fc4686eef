import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { niceTicks } from '../../../src/figures/axis';
import { figureScene, shownOnly } from '../../../src/figures/comparisonFigure';
import { columnsOf, toCsv, toMarkdown } from '../../../src/figures/comparisonTable';
import { heatBlocks, heatCell } from '../../../src/figures/heatMap';
import { compactText, priceText } from '../../../src/figures/numbers';
import { inkOn, paper, tone } from '../../../src/figures/palette';
import { fitted, toSvg } from '../../../src/figures/scene';
import { readRun } from '../../../src/journal/readRun';
import { trajectoriesAt } from '../../../src/journal/rolloutPlace';
import { comparisonModel } from '../../../src/run/comparisonModel';
import { comparableEvaluations, type EndedEvaluation } from '../../../src/run/runEvaluations';
import type { ComparisonModel } from '../../../src/schema/comparison';
import { comparisonWords } from '../../../src/schema/comparisonWords';
import { writeComparedRun, writeImported } from '../../support/comparisonFixture';
import { referenceTable } from '../../support/referenceEvaluations';

const words = comparisonWords((text) => text);
const bare = (text: string) => text.replaceAll('\u202f', ' ');

/** Lines of the CSV by the names of its columns; no field of a fixture holds a comma. */
function csvRows(of: ComparisonModel): Record<string, string>[] {
  const [head, ...lines] = toCsv(of)
    .trim()
    .split('\r\n')
    .map((line) => line.split(','));
  return lines.map((line) => Object.fromEntries(line.map((value, index) => [head![index]!, value])));
}

let folder: string;
let imported: EndedEvaluation[];
let model: ComparisonModel;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'comparison-'));
  imported = await comparableEvaluations({ folder: await writeImported(folder) });
  model = comparisonModel(imported, {}, words);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("the reference's six evaluations beside each other", () => {
  it('are named and ordered by their checkpoints, and compared with the base model', () => {
    expect(model.rows.map(({ label }) => label)).toEqual([
      'Base',
      'Step 20',
      'Step 50',
      'Step 100',
      'Step 150',
      'Step 200',
    ]);
    expect(model.facts).toEqual(['30 problems × 12 samples', 'temperature 1.0', 'top_p 0.7', 'code tool on']);
    expect(model.rows[0]!.paired).toBeUndefined();
    expect(model.unlike).toEqual([]);
  });

  it('show every published number', () => {
    const columns = columnsOf(model, words);
    const shown = (row: number, key: string) =>
      bare(columns.find((column) => column.key === key)!.text(model.rows[row]!));
    const rounded = (text: string) => `${Number(text).toFixed(1)} %`;
    referenceTable.forEach(({ published, correct }, row) => {
      expect(model.rows[row]!.average).toBeCloseTo(correct / 360, 12);
      expect(shown(row, 'pass')).toBe(rounded(published.pass));
      expect(shown(row, 'calls')).toBe(published.meanCalls);
      expect(shown(row, 'turns')).toBe(published.meanTurns);
      expect(shown(row, 'correct')).toBe(`${correct} / 360`);
    });
    expect(model.rows.map((_, row) => shown(row, 'average'))).toEqual([
      '23.6 %',
      '32.2 %',
      '41.1 %',
      '44.7 %',
      '46.1 %',
      '47.5 %',
    ]);
    expect(model.rows.map((_, row) => shown(row, 'format'))).toEqual([
      '25.8 %',
      '36.7 %',
      '52.8 %',
      '57.8 %',
      '70.8 %',
      '76.1 %',
    ]);
    expect(model.rows.slice(1).map((_, row) => shown(row + 1, 'difference'))).toEqual([
      '+8.6',
      '+17.5',
      '+21.1',
      '+22.5',
      '+23.9',
    ]);
  });

  it('count every correct sample in the heat map, sorted by the baseline', () => {
    const sums = model.rows.map(({ counts }) => counts.reduce((sum, count) => sum + count!.correct, 0));
    expect(sums).toEqual(referenceTable.map(({ correct }) => correct));
    const first = model.rows[0]!.counts.map((count) => count!.correct);
    expect(first).toEqual([...first].sort((a, b) => b - a));
  });

  it('name the problems gained and lost: with them the baseline solves as many as the other', () => {
    model.rows.slice(1).forEach(({ gained, lost }, index) => {
      expect(15 + gained.length - lost.length).toBe(referenceTable[index + 1]!.solved);
    });
  });

  it('say where they come from and how intervals were made', () => {
    expect(model.caption).toMatch(
      /^The files do not say how many runs.*with other problems like these 30\. They are wider than the ±5 points that 360 unrelated samples would give/,
    );
    expect(model.briefCaption).not.toContain('interval');
    expect(model.origins).toEqual(['imported files · model Qwen/Qwen3.5-4B']);
  });

  it('are drawn as one figure with all rows, or with those that are checked', () => {
    const text = (of: ComparisonModel) => toSvg(figureScene('comparison', of, words), 'AIME25');
    const svg = text(model);
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" width="1120"/);
    expect(svg.match(/>Step 150<\/text>/g)).toHaveLength(3);
    expect(svg).toContain('>+23.9</text>');
    expect(text(shownOnly(model, ['aime25-retool-step150']))).not.toContain('Step 150');
  });

  it("are drawn as the reference's figure: two bars a checkpoint with their numbers, and the format rate as a line", () => {
    const scene = figureScene('checkpoints', model, words);
    const texts = scene.shapes.flatMap((shape) => (shape.kind === 'text' ? [bare(shape.text)] : []));
    for (const number of ['23.6 %', '50.0 %', '47.5 %', '63.3 %']) expect(texts).toContain(number);
    const line = scene.shapes.find((shape) => shape.kind === 'line' && shape.points.length === 6);
    expect(line).toMatchObject({ stroke: paper.incorrect });
    for (const shape of scene.shapes) {
      if ('x' in shape) expect(shape.x).toBeLessThanOrEqual(scene.width);
      if ('y' in shape) expect(shape.y).toBeLessThanOrEqual(scene.height);
    }
  });

  it('are a table in Markdown, and unrounded with every problem in CSV', () => {
    const markdown = bare(toMarkdown(model, words));
    expect(markdown).toContain('| Base | 23.6 % |');
    expect(markdown).toContain('**AIME25 · 30 problems × 12 samples');
    expect(markdown).toContain('\nimported files · model Qwen/Qwen3.5-4B\n');
    expect(markdown).toContain('**Right samples by problem**');
    const hostile = toMarkdown({ ...model, dataset: '![p](http://h.test/x)|a\r\n<b>\\' }, words);
    expect(hostile.split('\n')[0]).toContain('**!\\[p](http://h.test/x)\\|a &lt;b>\\\\ · 30 problems');
    expect(markdown.match(/^\| \d+ \|( \d+ \/ 12 \|){6}$/gm)).toHaveLength(30);
    const lines = csvRows(model);
    expect(lines).toHaveLength(6 * 30);
    const sums = new Map<string, number>();
    for (const { label, problem_correct: right } of lines) sums.set(label!, (sums.get(label!) ?? 0) + Number(right));
    expect([...sums.values()]).toEqual(referenceTable.map(({ correct }) => correct));
    // Files of the reference tell no prompts: what they cost is not known, and not 0.
    expect(markdown).toMatch(/\| Base \| .* \| 85 \/ 360 \| – \|/);
    expect(markdown).toContain('| Correct | Cost |');
    expect(lines[0]).toMatchObject({ correct: '85', generations: '360', cost: '', prompt_tokens: '' });
    expect(lines[0]).toMatchObject({ run: '', experiment: '', base_model: 'Qwen/Qwen3.5-4B' });
  });
});

describe('the evaluations of a run', () => {
  let own: EndedEvaluation[];
  let ids: string[];
  beforeAll(async () => {
    const run = await writeComparedRun(join(folder, '.retool', 'runs'));
    ids = run.ids;
    own = await comparableEvaluations({ run: await readRun(run.folder) });
  });

  it('stand beside what was imported into the same folder, one data set at a time', () => {
    const on = comparisonModel(own, { dataset: 'held-out', baseline: ids[0]! }, words);
    expect(on.datasets).toEqual(['AIME25', 'held-out']);
    expect(on.rows.map(({ label }) => label)).toEqual(['Step 20', 'Step 40', 'Step 60']);
    expect(on.caption).toMatch(/^One run, one seed\. .* Pass@8 moves by about one problem from noise alone\. Cost by /);
    expect(comparisonModel(own, { dataset: 'AIME25' }, words).rows).toHaveLength(6);
  });

  it('that were asked otherwise are left out by name and field, until they are asked for', () => {
    const asked = { dataset: 'held-out', baseline: ids[0]! };
    const on = comparisonModel(own, asked, words);
    expect(on.unlike.find(({ id }) => id === ids[3])).toMatchObject({
      label: 'Step 60 · T 0.6',
      fields: ['temperature 0.6 instead of 1'],
      shown: false,
    });
    expect(on.rows.map(({ label }) => label)).toEqual(['Step 20', 'Step 40', 'Step 60']);
    const all = comparisonModel(own, { ...asked, unlike: true }, words);
    expect(all.rows.map(({ id }) => id)).toContain(ids[3]);
    expect(all.unlike.every(({ shown }) => shown)).toBe(true);
    expect(JSON.stringify(all.unlike)).not.toMatch(/[0-9a-f]{8}.*[0-9a-f]{64}/);
  });

  it('that were asked otherwise carry a mark in figures, and say in tables what they were asked', () => {
    const all = comparisonModel(own, { dataset: 'held-out', baseline: ids[0]!, unlike: true }, words);
    const svg = toSvg(figureScene('checkpoints', all, words), 'held-out');
    expect(svg).toContain('>Step 60 · T 0.6*</text>');
    expect(svg).toContain('* Step 60 · T 0.6: temperature 0.6 instead of 1.');
    expect(toMarkdown(all, words)).toMatch(/\| Step 60 · T 0\.6\* \|.*\| temperature 0\.6 instead of 1 \|/);
    const asked = new Map(csvRows(all).map((row) => [row.id, row.asked_temperature]));
    expect([asked.get(ids[0]!), asked.get(ids[3]!)]).toEqual(['1', '0.6']);
    expect(csvRows(all).at(-1)).toMatchObject({ experiment: 'compared', base_model: 'local' });
    expect(all.origins.some((origin) => /^run \S+ · experiment compared · model local$/.test(origin))).toBe(true);
  });

  it('are compared with the first of the largest group that was asked alike, and any can be chosen', () => {
    const four = own.filter(({ id }) => ids.includes(id));
    const on = comparisonModel(four, {}, words);
    expect(on.baseline).toBe(ids[0]);
    expect(on.groups.map(({ members }) => members.map(({ label }) => label))).toEqual([
      ['Step 20', 'Step 40', 'Step 60'],
      ['Step 60 · T 0.6'],
    ]);
    expect(on.groups.map(({ title }) => title.match(/temperature [\d.]+/)?.[0])).toEqual([
      'temperature 1.0',
      'temperature 0.6',
    ]);
    // Of groups as large, that of the last.
    expect(comparisonModel(four.slice(-2), {}, words).baseline).toBe(ids[3]);
  });

  it('carry their caution where a difference may be chance, in the words of the page', () => {
    const cautions = comparisonModel(own, { dataset: 'held-out', baseline: ids[3]!, unlike: true }, words).rows.flatMap(
      (row) => row.cautions,
    );
    expect(cautions).toContain('None of the 8 problems came out differently.');
  });

  it('tell what they cost by the prices of the experiment, every prompt in full, else their tokens', async () => {
    const asked = { dataset: 'held-out', baseline: ids[0]! };
    const of = (evaluations: readonly EndedEvaluation[]) => comparisonModel(evaluations, asked, words);
    const counted = { prompt: 0, sampled: 0 };
    for await (const { prompt, turns } of trajectoriesAt(join(own.at(-1)!.file, '../..'), { evaluation: ids[0]! })) {
      let length = prompt.length;
      for (const { tokens, added } of turns) {
        counted.prompt += length;
        counted.sampled += tokens.length;
        length += tokens.length + added.length;
      }
    }
    const amount = (counted.prompt * 3 + counted.sampled * 8) / 1e6;
    const priced = of(own);
    const [{ cost }] = priced.rows as [ComparisonModel['rows'][0]];
    expect(cost).toMatchObject({ ...counted, money: { currency: 'CNY' } });
    expect(cost!.money!.amount).toBeCloseTo(amount, 9);
    expect(priced.caption).toContain('Cost by the experiment');
    const tokens = of(own.map((each) => ({ ...each, prices: undefined })));
    expect(tokens.rows[0]!.cost).toEqual({ ...counted, money: undefined });
    expect(tokens.caption).not.toContain('Cost');
    const column = (table: ComparisonModel) => columnsOf(table, words).at(-1)!;
    expect(column(priced)).toMatchObject({ title: 'Cost' });
    expect(column(tokens)).toMatchObject({ title: 'Tokens in + out' });
    expect(column(tokens).text(tokens.rows[0]!)).toBe(
      `${compactText(counted.prompt)} + ${compactText(counted.sampled)}`,
    );
    const [csv] = csvRows(priced);
    const { prompt, sampled } = counted;
    expect(csv).toMatchObject({ currency: 'CNY', prompt_tokens: `${prompt}`, sampled_tokens: `${sampled}` });
  });

  it('refuse a data set that none is on', () => {
    expect(() => comparisonModel(own, { dataset: 'AMC23' }, words)).toThrow('There is no evaluation on AMC23.');
  });
});

describe('what a figure is made of', () => {
  it('has ticks that hold both ends', () => {
    expect(niceTicks(0, 34.9, 4)).toEqual([0, 10, 20, 30, 40]);
    expect(niceTicks(-3, 12, 4)).toEqual([-5, 0, 5, 10, 15]);
    expect(niceTicks(0, 0, 4).at(-1)).toBe(1);
  });

  it('splits a map into blocks as equal as can be', () => {
    expect(heatBlocks(30, 40)).toEqual([{ from: 0, to: 30 }]);
    expect(heatBlocks(30, 15)).toEqual([
      { from: 0, to: 15 },
      { from: 15, to: 30 },
    ]);
    expect(heatBlocks(7, 3).map(({ from, to }) => to - from)).toEqual([3, 3, 1]);
    expect(heatBlocks(0, 15)).toEqual([]);
  });

  it('writes small money and large counts so that none is 0 by its rounding', () => {
    const money = (amount: number) => priceText({ amount, currency: 'USD' });
    expect([0, 0.00042, 0.0999, 0.1, 4.155, 1234.5].map(money)).toEqual([
      '0.00 USD',
      '0.00042 USD',
      '0.100 USD',
      '0.10 USD',
      '4.16 USD',
      '1234.50 USD',
    ]);
    expect([0, 999, 1000, 96_220, 999_499, 999_500, 1_204_113].map(compactText)).toEqual([
      '0',
      '999',
      '1.00k',
      '96.2k',
      '999k',
      '1.00M',
      '1.20M',
    ]);
  });

  it('prints a count in every cell, readable on every tone', () => {
    expect(heatCell({ correct: 0, samples: 12 }, paper)).toMatchObject({ text: '·', fill: paper.background });
    expect(heatCell(undefined, paper).text).toBe('–');
    for (let correct = 1; correct <= 12; correct++) {
      const { text, fill, ink } = heatCell({ correct, samples: 12 }, paper);
      expect(text).toBe(String(correct));
      expect(ink).toBe(inkOn(fill));
    }
    expect(tone({ ...paper, outlined: true }, 1)).toBe(paper.background);
  });

  it('escapes what a label may hold, and shortens what does not fit', () => {
    const scene = { width: 10, height: 10, font: 'x', shapes: [] };
    const text = { kind: 'text', x: 0, y: 0, text: 'a<b & "c"\u0000', size: 10, fill: '#000000' } as const;
    expect(toSvg({ ...scene, shapes: [text] }, '<t>')).toContain('>a&lt;b &amp; &quot;c&quot;\ufffd</text>');
    expect(fitted('a long label of a model', 10, 60)).toMatch(/^a l.*….*del$/);
  });
});
