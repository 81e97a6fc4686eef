import type { ComparisonFigure, ComparisonModel } from '../schema/comparison';
import type { ComparisonWords } from '../schema/comparisonWords';
import { differenceChart } from './differenceChart';
import { heatMap, mostProblems } from './heatMap';
import { baselineLabel, footnotes } from './marks';
import { countText, fill } from './numbers';
import { type Palette, paper } from './palette';
import { diamond, fitted, moved, type Scene, type Shape, segment, textWidth } from './scene';
import { averageBar, formatDash, passBar, scoreChart } from './scoreChart';

const margin = 24;

/** The evaluations of a model that are not hidden. */
export const shownOnly = (model: ComparisonModel, hidden: readonly string[]): ComparisonModel => ({
  ...model,
  rows: model.rows.filter(({ id }) => !hidden.includes(id)),
});

/** The n of `Average@n`. */
export const samplesText = ({ samples }: ComparisonModel): string => (samples === undefined ? 'n' : String(samples));

/** A figure for a paper or a page: on white, with its title and what it rests on. */
export function figureScene(figure: ComparisonFigure, model: ComparisonModel, words: ComparisonWords): Scene {
  return figure === 'comparison' ? wholeFigure(model, words) : checkpointFigure(model, words);
}

function wholeFigure(model: ComparisonModel, words: ComparisonWords): Scene {
  const width = 1120;
  const inner = width - 2 * margin;
  const [scoreWidth, differenceWidth] = [inner * 0.56, inner * 0.4];
  const differenceX = margin + inner - differenceWidth;
  const differences = differenceChart(model, { width: differenceWidth, height: 286, palette: paper });
  // Beside a list of many it has as much room.
  const height = Math.min(460, differences.height + 14);
  const scores = scoreChart(model, { width: scoreWidth, height, palette: paper });
  const chart = Math.max(scores.height, differences.height + 14);
  const shapes: Shape[] = [
    ...heading(model, margin, inner),
    title(words.scores, margin, 76),
    ...legend(model, words, margin + textWidth(words.scores, 14) + 14, 76),
    ...moved(scores.shapes, margin, 84),
    title(fill(words.differences, baselineLabel(model)), differenceX, 76),
    small(fill(words.differencesUnit, samplesText(model)), differenceX, 92),
    ...moved(differences.shapes, differenceX, 98),
  ];
  let y = 84 + chart + 26;
  shapes.push(title(words.heat, margin, y));
  const order = fill(words.heatOrder, samplesText(model), baselineLabel(model));
  shapes.push(small(order, margin + textWidth(words.heat, 14) + 12, y));
  const heat = heatMap(model, inner, paper);
  shapes.push(...moved(heat.shapes, margin, y + 10));
  y += 10 + heat.height + 22;
  return framed(width, y, shapes, [...footnotes(model), [...mostSentence(model, words), model.caption].join(' ')]);
}

/** Of a set that is larger than what is drawn. */
export const mostSentence = ({ problems }: ComparisonModel, words: ComparisonWords): string[] =>
  problems.length > mostProblems ? [fill(words.heatMost, countText(mostProblems), countText(problems.length))] : [];

/** Pixels of a group of bars with a number on each. */
const leastGroup = 40;

function checkpointFigure(model: ComparisonModel, words: ComparisonWords): Scene {
  const width = Math.max(880, model.rows.length * leastGroup + 2 * margin + 44);
  const scores = scoreChart(model, { width: width - 2 * margin, height: 400, palette: paper, numbers: true });
  const shapes = [
    ...heading(model, margin, width - 2 * margin),
    ...legend(model, words, margin + 36, 76, words.average),
    ...moved(scores.shapes, margin, 90),
  ];
  return framed(width, 90 + scores.height + 24, shapes, [...footnotes(model), model.briefCaption]);
}

/** Adds the ground and the caption, broken into lines. */
function framed(width: number, y: number, shapes: readonly Shape[], paragraphs: readonly string[]): Scene {
  const lines = paragraphs.flatMap((text) => wrapped(text, 11, width - 2 * margin));
  const height = y + lines.length * 16 + margin / 2;
  const ground: Shape = { kind: 'rect', x: 0, y: 0, width, height, fill: paper.background };
  return {
    width,
    height,
    font: paper.font,
    shapes: [ground, ...shapes, ...lines.map((line, index) => small(line, margin, y + index * 16))],
  };
}

function wrapped(text: string, size: number, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/(?<=[\s\u3001\u3002\uff0c\uff1b])/)) {
    const line = lines.at(-1);
    if (line !== undefined && textWidth(line + word, size) <= width) lines[lines.length - 1] = line + word;
    else lines.push(word);
  }
  return lines;
}

/** What was asked, and below it of whom. */
const heading = ({ dataset, facts, origins }: ComparisonModel, x: number, width: number): Shape[] => [
  {
    kind: 'text',
    x,
    y: 34,
    text: fitted([dataset, ...facts].join(' · '), 15, width),
    size: 15,
    weight: 600,
    fill: paper.foreground,
  },
  small(fitted(origins.join('; '), 11, width), x, 52),
];
const title = (text: string, x: number, y: number): Shape => ({
  kind: 'text',
  x,
  y,
  text,
  size: 12,
  weight: 600,
  fill: paper.foreground,
});
const small = (text: string, x: number, y: number): Shape => ({
  kind: 'text',
  x,
  y,
  text,
  size: 11,
  fill: paper.secondary,
});

/** What filled, outlined and dashed mean. */
function legend(
  model: ComparisonModel,
  words: ComparisonWords,
  x: number,
  y: number,
  averageWords = words.averageWithInterval,
): Shape[] {
  const n = samplesText(model);
  const keys = [
    ['average', fill(averageWords, n)],
    ['pass', fill(words.pass, n)],
    ['format', words.format],
  ] as const;
  let at = x;
  return keys.flatMap(([key, text]) => {
    const mark = keyMark(key, paper);
    const shapes = [...moved(mark.shapes, at, y - 10), small(text, at + mark.width + 6, y)];
    at += mark.width + 6 + textWidth(text, 11) + 14;
    return shapes;
  });
}

/** The mark of a series, 12 pixels high. */
export function keyMark(series: 'average' | 'pass' | 'format', palette: Palette): Scene {
  const [width, height, font] = [series === 'format' ? 26 : 12, 12, palette.font];
  if (series === 'average') return { width, height, font, shapes: [averageBar(1, 1, 10, 11, palette)] };
  if (series === 'pass') return { width, height, font, shapes: [passBar(1, 1, 10, 10, palette)] };
  const line = segment([0, 6], [26, 6], palette.incorrect, 1.75, formatDash);
  return { width, height, font, shapes: [line, diamond(13, 6, 4.5, palette.incorrect)] };
}
