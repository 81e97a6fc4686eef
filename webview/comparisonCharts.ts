import { keyMark, samplesText } from '../src/figures/comparisonFigure';
import { differenceChart } from '../src/figures/differenceChart';
import { baselineLabel } from '../src/figures/marks';
import { fill, percentText, pointsText } from '../src/figures/numbers';
import type { Palette } from '../src/figures/palette';
import { scoreChart } from '../src/figures/scoreChart';
import type { ComparisonModel } from '../src/schema/comparison';
import { words } from './comparisonHost';
import { h } from './dom';
import { sceneElement } from './sceneView';

const narrow = 760;
/** Pixels. */
const tallest = 460;

/** Bars, and differences from the baseline, side by side where there is room. */
export class ComparisonCharts {
  readonly element = h('section', { class: 'charts' });

  update(model: ComparisonModel, palette: Palette): void {
    const [whole, isNarrow] = [this.element.clientWidth, window.innerWidth < narrow];
    const height = isNarrow ? 250 : 300;
    const n = samplesText(model);
    const compared = model.rows.filter(({ paired }) => paired);
    const scoreWidth = isNarrow || compared.length === 0 ? whole : Math.floor(whole * 0.54);
    const keys = [
      ['average', fill(words.averageWithInterval, n)],
      ['pass', fill(words.pass, n)],
      ['format', words.format],
    ] as const;
    const differenceScene = differenceChart(model, {
      width: isNarrow ? whole : whole - scoreWidth - 32,
      height: isNarrow ? Math.max(120, Math.min(8, compared.length) * 34 + 26) : height,
      palette,
    });
    // Beside a list of many it has as much room.
    const scoreHeight = isNarrow ? height : Math.min(tallest, Math.max(height, differenceScene.height));
    const scores = sceneElement(
      scoreChart(model, { width: scoreWidth, height: scoreHeight, palette }),
      model.rows
        .map(({ label, average, pass, format }) =>
          fill(words.scoreSentence, label, ...[average, pass, format].map((share) => percentText(share))),
        )
        .join('; '),
    );
    const legend = keys.map(([key, text]) =>
      h('span', { class: 'key secondary' }, sceneElement(keyMark(key, palette)), text),
    );
    this.element.replaceChildren(figure('scores', words.scores, legend, scores));
    if (compared.length === 0) return;
    const differences = sceneElement(
      differenceScene,
      compared
        .map(({ label, paired }) =>
          fill(
            words.differenceSentence,
            label,
            ...[paired!.difference, paired!.low, paired!.high].map((value) => pointsText(value)),
          ),
        )
        .join('; '),
    );
    const unit = h('span', { class: 'secondary' }, fill(words.differencesUnit, n));
    this.element.append(figure('differences', fill(words.differences, baselineLabel(model)), [unit], differences));
  }
}

const figure = (testid: string, title: string, beside: readonly HTMLElement[], picture: SVGSVGElement) =>
  h('figure', { testid }, h('figcaption', {}, h('b', {}, title), ...beside), picture);
