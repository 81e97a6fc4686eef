import { describe, expect, it } from 'vitest';
import { figureScene } from '../../../src/figures/comparisonFigure';
import { differenceChart } from '../../../src/figures/differenceChart';
import { columnPitch, drawnProblems, legendShares, mostProblems } from '../../../src/figures/heatMap';
import { paper } from '../../../src/figures/palette';
import { type Shape, textWidth } from '../../../src/figures/scene';
import { scoreChart } from '../../../src/figures/scoreChart';
import { comparisonModel } from '../../../src/run/comparisonModel';
import { comparisonWords } from '../../../src/schema/comparisonWords';
import { endedEvaluation, step } from '../../support/endedEvaluation';

const words = comparisonWords((text) => text);
const textsOf = (shapes: readonly Shape[]) => shapes.flatMap((shape) => (shape.kind === 'text' ? [shape] : []));

describe('a set of 1,024 problems', () => {
  const evaluation = (at: number, correct: (index: number) => number) =>
    endedEvaluation(`step-${at}`, { subject: step(at), problems: 1024, samples: 1, correct });
  // Both solve the first 700; in the last 100 they differ.
  const model = comparisonModel(
    [evaluation(10, (index) => Number(index < 700)), evaluation(20, (index) => Number(index < 700 || index >= 924))],
    {},
    words,
  );

  it('shows the problems in which the models differ, not those that all solve', () => {
    const { problems, rows } = drawnProblems(model);
    expect(problems).toHaveLength(mostProblems);
    const differing = rows[0]!.counts.filter((count, at) => count!.correct !== rows[1]!.counts[at]!.correct);
    expect(differing).toHaveLength(100);
    const texts = textsOf(figureScene('comparison', model, words).shapes).map(({ text }) => text);
    expect(texts.join(' ')).toContain('The 240 of 1,024 problems in which the evaluations differ most');
  });

  it('leaves four digits their room', () => {
    expect(columnPitch(drawnProblems(model), 22)).toBeGreaterThan(textWidth('1023', 10));
    const labels = textsOf(figureScene('comparison', model, words).shapes).filter(({ text }) => /^9\d\d$/.test(text));
    const gaps = labels.slice(1).map(({ x, y }, at) => (y === labels[at]!.y ? x - labels[at]!.x : 99));
    expect(Math.min(...gaps)).toBeGreaterThan(textWidth('1023', 10));
  });

  it('has a legend of as many shades as a cell can have', () => {
    expect(legendShares(1)).toEqual([0, 1]);
    expect(legendShares(2)).toEqual([0, 0.5, 1]);
    expect(legendShares(12)).toHaveLength(6);
  });
});

describe('forty evaluations', () => {
  const model = comparisonModel(
    Array.from({ length: 40 }, (_, at) => endedEvaluation(`step-${at}`, { subject: step(at * 5 + 1) })),
    {},
    words,
  );

  it('have labels that do not touch: turned under bars, a row each beside differences', () => {
    for (const width of [760, 390]) {
      const turned = textsOf(scoreChart(model, { width, height: 300, palette: paper }).shapes).filter(
        ({ turn }) => turn,
      );
      const pitch = turned[1]!.x - turned[0]!.x;
      expect(pitch * Math.SQRT1_2).toBeGreaterThanOrEqual(10);
    }
    const { height, shapes } = differenceChart(model, { width: 390, height: 120, palette: paper });
    expect(height).toBeGreaterThan(39 * 16);
    const rows = textsOf(shapes).filter(({ text }) => text.startsWith('Step'));
    expect(rows).toHaveLength(39);
    expect(rows[1]!.y - rows[0]!.y).toBeGreaterThanOrEqual(16);
  });

  it("have their numbers in the reference's figure, and nothing hangs below its axis", () => {
    const none = comparisonModel([endedEvaluation('base', { correct: () => 0 }), endedEvaluation('b')], {}, words);
    const { shapes } = scoreChart(none, { width: 800, height: 400, palette: paper, numbers: true });
    const foot = 400 - 22;
    const bars = shapes.flatMap((shape) => (shape.kind === 'rect' ? [shape] : []));
    for (const { y, height } of bars) expect(y + height).toBeLessThanOrEqual(foot);
    const zeros = textsOf(shapes).filter(({ text }) => text.startsWith('0.0'));
    expect(Math.abs(zeros[1]!.x - zeros[0]!.x)).toBeGreaterThan(textWidth('0.0 %', 9) + 10);
    for (const { fill, rim } of zeros) expect([fill, rim]).toEqual([paper.foreground, paper.background]);
    const many = textsOf(figureScene('checkpoints', model, words).shapes).filter(({ text }) => text.startsWith('25.0'));
    expect(many).toHaveLength(40);
  });
});
