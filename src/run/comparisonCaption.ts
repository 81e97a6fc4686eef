import { shareOf } from '../evaluation/estimators';
import { countText, fill } from '../figures/numbers';
import type { ComparisonWords } from '../schema/comparisonWords';
import type { EvaluationReport } from './evaluationReport';
import type { EndedEvaluation } from './runEvaluations';

/** States runs and seeds, how intervals were made, and how much of pass@n is chance. */
export function comparisonCaption(
  shown: readonly EndedEvaluation[],
  words: ComparisonWords,
): { readonly caption: string; readonly briefCaption: string } {
  const sentences = [runsSentence(shown, words)];
  let intervals: string | undefined;
  const spread = shown.filter(({ report }) => report.interval);
  if (spread.length > 0) {
    const naive = spread.map(({ report }) => independentWidth(report.average!, report.generations));
    // Of one sample a problem, none are alike.
    const wider = spread.every(
      ({ report: { interval, samples } }, i) =>
        samples > 1 && naive[i]! > 0 && (interval!.high - interval!.low) / 2 > naive[i]!,
    );
    const widest = spread[naive.indexOf(Math.max(...naive))]!.report;
    const problems = countText(widest.problems.length);
    intervals = wider
      ? fill(words.wider, problems, pointsOf(Math.max(...naive)), countText(widest.generations))
      : fill(words.resampled, problems);
    sentences.push(intervals);
  }
  const moves = Math.round(Math.max(...shown.map(({ report }) => passNoise(report))));
  const samples = [...new Set(shown.map(({ report }) => report.samples))];
  const n = samples.length === 1 ? samples[0]! : 'n';
  if (moves === 1) sentences.push(fill(words.passMovesOne, n));
  else if (moves > 1) sentences.push(fill(words.passMoves, n, moves));
  if (shown.some((each) => each.prices && each.report.usage)) sentences.push(words.costWhy);
  const text = (some: readonly string[]) => some.join(' ');
  return { caption: text(sentences), briefCaption: text(sentences.filter((sentence) => sentence !== intervals)) };
}

function runsSentence(shown: readonly EndedEvaluation[], words: ComparisonWords): string {
  if (shown.every(({ subject }) => subject.kind === 'imported')) return words.importedRuns;
  const seeds = [...new Set(shown.flatMap(({ protocol }) => protocol.seed ?? []))];
  return seeds.length > 1 ? fill(words.severalSeeds, seeds.join(', ')) : words.oneRun;
}

/** Half the width of a 95 % interval, were the samples independent of each other (normal approximation). */
const independentWidth = (share: number, samples: number): number =>
  samples > 0 ? 1.96 * Math.sqrt((share * (1 - share)) / samples) : 0;

/**
 * Standard deviation of the number of problems with a correct sample, were each problem sampled anew with its share of
 * correct ones: a problem is then passed with the probability 1 - (1 - p)^n.
 */
function passNoise({ problems, samples }: EvaluationReport): number {
  const chances = problems.filter((score) => score.samples > 0).map((score) => 1 - (1 - shareOf(score)) ** samples);
  return Math.sqrt(chances.reduce((sum, chance) => sum + chance * (1 - chance), 0));
}

/** With a decimal where a whole number of points would hide what is compared. */
const pointsOf = (share: number): string => (share * 100).toFixed(share < 0.05 ? 1 : 0);
