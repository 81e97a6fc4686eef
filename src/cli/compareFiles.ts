import { figureScene } from '../figures/comparisonFigure';
import { toCsv, toMarkdown } from '../figures/comparisonTable';
import { toSvg } from '../figures/scene';
import { writeFileAtomic } from '../lib/atomicFile';
import { RetoolError } from '../lib/errors';
import { comparisonModel } from '../run/comparisonModel';
import type { EndedEvaluation } from '../run/runEvaluations';
import type { ComparisonChoice, ComparisonModel } from '../schema/comparison';
import { comparisonWords } from '../schema/comparisonWords';
import { shown } from './invocation';
import type { Output } from './output';

/** Of the terminal, and of what it writes. */
export const words = comparisonWords((text) => text);

const figure = (kind: 'comparison' | 'checkpoints') => (model: ComparisonModel) =>
  toSvg(figureScene(kind, model, words), `${model.dataset}: ${words.scores}`);

/** What is written, by option. */
const writers = {
  csv: toCsv,
  markdown: (model: ComparisonModel) => toMarkdown(model, words),
  svg: figure('comparison'),
  'checkpoint-svg': figure('checkpoints'),
};

const endings = { csv: '.csv', markdown: '.md', svg: '.svg', 'checkpoint-svg': '.svg' } as const;

/** What a run is made of ends otherwise: an export cannot take its place. */
function requireEnding(option: keyof typeof endings, path: string): void {
  if (path.endsWith(endings[option])) return;
  throw new RetoolError('usage', `--${option} writes a file that ends in ${endings[option]}, and "${path}" does not.`);
}

/** Writes a comparison as the editor exports it. @param files by option. @throws RetoolError `usage`, `disk`. */
export async function writeComparison(
  evaluations: readonly EndedEvaluation[],
  choice: ComparisonChoice,
  files: Readonly<Partial<Record<keyof typeof writers, string>>>,
  output: Output,
): Promise<void> {
  const asked = (Object.keys(writers) as (keyof typeof writers)[]).filter((option) => files[option] !== undefined);
  if (asked.length === 0) return;
  for (const option of asked) requireEnding(option, files[option]!);
  const model = comparisonModel(evaluations, choice, words);
  for (const option of asked) {
    const path = files[option]!;
    try {
      await writeFileAtomic(path, writers[option](model));
    } catch (error) {
      throw RetoolError.from('disk', `${shown(path)} cannot be written`, error);
    }
    output.say(`Wrote ${shown(path)}.`);
  }
}
