import * as vscode from 'vscode';
import type { ComparisonFigure, ComparisonModel } from '../schema/comparison';
import { onDemand } from './onDemand';
import { chooseOne } from './quickPick';
import { saveAs } from './saveAs';
import type { Strings } from './strings';

/** Puts the table into the clipboard. @param hidden ids of rows that are left out. */
export async function copyMarkdown(model: ComparisonModel, hidden: readonly string[], strings: Strings): Promise<void> {
  const { shownOnly, toMarkdown } = await onDemand.figures();
  await vscode.env.clipboard.writeText(toMarkdown(shownOnly(model, hidden), strings.comparison.page));
  vscode.window.setStatusBarMessage(strings.comparison.copied, 3000);
}

/**
 * Asks what to export, and writes it.
 *
 * @returns the figure that the page is to draw as a PNG, for a browser has the canvas.
 */
export async function exportComparison(
  model: ComparisonModel,
  hidden: readonly string[],
  strings: Strings,
): Promise<ComparisonFigure | undefined> {
  const words = strings.comparison;
  const figures = [
    ['comparison', words.figure],
    ['checkpoints', words.checkpointFigure],
  ] as const;
  const { figure, ending } = await chooseOne(words.pickExport, [
    ...figures.flatMap(([figure, description]) => [
      { label: 'PNG', description, figure, ending: 'png' },
      { label: 'SVG', description, figure, ending: 'svg' },
    ]),
    { label: 'CSV', description: words.tidyTable, figure: undefined, ending: 'csv' },
    { label: 'Markdown', description: words.table, figure: undefined, ending: 'md' },
  ]);
  if (figure && ending === 'png') return figure;
  const { shownOnly, figureScene, toSvg, toCsv, toMarkdown } = await onDemand.figures();
  const shown = shownOnly(model, hidden);
  const text = figure
    ? toSvg(figureScene(figure, shown, words.page), `${shown.dataset}: ${words.page.scores}`)
    : ending === 'csv'
      ? toCsv(shown)
      : toMarkdown(shown, words.page);
  await save(new TextEncoder().encode(text), nameOf(model, figure), ending, strings);
  return undefined;
}

/** Writes what the page has drawn. */
export const savePicture = (
  model: ComparisonModel,
  { figure, base64 }: { readonly figure: ComparisonFigure; readonly base64: string },
  strings: Strings,
): Promise<void> => save(Buffer.from(base64, 'base64'), nameOf(model, figure), 'png', strings);

const nameOf = ({ dataset }: ComparisonModel, figure: ComparisonFigure | undefined): string =>
  `${dataset.replaceAll(/[^\p{L}\p{N}.-]+/gu, '-')}-${figure ?? 'comparison'}`;

const save = (bytes: Uint8Array, name: string, ending: string, strings: Strings): Promise<void> =>
  saveAs(
    bytes,
    {
      name: `${name}.${ending}`,
      title: strings.comparison.pickExport,
      filters: { [ending === 'md' ? 'Markdown' : ending.toUpperCase()]: [ending] },
      exported: strings.comparison.exported,
    },
    strings,
  );
