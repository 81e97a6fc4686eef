import * as vscode from 'vscode';
import { DisposableStore } from '../lib/lifecycle';
import { reward } from './model/format';
import type { Region } from './model/trajectoryDocument';
import { placeText } from './model/treeRow';
import type { Strings } from './strings';
import { type OpenTrajectory, type TrajectoryFiles, trajectoryLanguage, trajectoryScheme } from './trajectoryFiles';

const selector: vscode.DocumentSelector = { language: trajectoryLanguage, scheme: trajectoryScheme };

const symbolKinds: Record<Region['kind'], vscode.SymbolKind> = {
  question: vscode.SymbolKind.String,
  turn: vscode.SymbolKind.Event,
  code: vscode.SymbolKind.Module,
  output: vscode.SymbolKind.Interface,
};

/** Outline, folding and the rows above headings for trajectories. */
export function registerTrajectoryLanguage(files: TrajectoryFiles, strings: Strings): DisposableStore {
  const owned = new DisposableStore();
  owned.add(
    vscode.languages.registerDocumentSymbolProvider(selector, {
      provideDocumentSymbols: async ({ uri }) => symbolsOf((await files.get(uri)).regions),
    }),
  );
  owned.add(
    vscode.languages.registerFoldingRangeProvider(selector, {
      provideFoldingRanges: async ({ uri }) =>
        (await files.get(uri)).regions
          .filter(({ start, end }) => end > start)
          .map(({ start, end }) => new vscode.FoldingRange(start, end, vscode.FoldingRangeKind.Region)),
    }),
  );
  owned.add(
    vscode.languages.registerCodeLensProvider(selector, {
      provideCodeLenses: async ({ uri }) => lensesOf(await files.get(uri), strings),
    }),
  );
  return owned;
}

function symbolsOf(regions: readonly Region[]): vscode.DocumentSymbol[] {
  const roots: vscode.DocumentSymbol[] = [];
  let turn: vscode.DocumentSymbol | undefined;
  for (const { kind, label, detail, start, end } of regions) {
    const symbol = new vscode.DocumentSymbol(label, detail, symbolKinds[kind], rows(start, end), rows(start, start));
    if (kind === 'code' || kind === 'output') turn?.children.push(symbol);
    else roots.push(symbol);
    if (kind === 'turn') turn = symbol;
  }
  return roots;
}

/** Whole lines. */
export const rows = (start: number, end: number): vscode.Range =>
  new vscode.Range(start, 0, end, Number.MAX_SAFE_INTEGER);

const verdictIcons = { correct: '$(pass)', incorrect: '$(circle-slash)', unknown: '$(question)' };

function lensesOf({ regions, trajectory, address }: OpenTrajectory, strings: Strings): vscode.CodeLens[] {
  const words = strings.trajectory;
  const { grade, gold } = trajectory;
  const verdict = words.lensVerdict(
    reward(grade.reward),
    words.verdict[grade.verdict],
    grade.predicted ?? words.none,
    gold,
  );
  const top = rows(0, 0);
  const { runId, place } = address;
  return [
    new vscode.CodeLens(top, { title: `${verdictIcons[grade.verdict]} ${verdict}`, command: '' }),
    new vscode.CodeLens(top, {
      title: words.openDashboard,
      command: 'retool.openDashboard',
      arguments: [runId],
    }),
    new vscode.CodeLens(top, {
      title: placeText(place, strings),
      command: 'retool.openTrajectory',
      arguments: [{ runId, place }],
    }),
    new vscode.CodeLens(top, {
      title: words.compareRules,
      command: 'retool.openLaboratory',
      arguments: [{ runId, place }],
    }),
    ...regions
      .filter(({ kind }) => kind === 'code')
      .map(
        ({ start, turn }) =>
          new vscode.CodeLens(rows(start, start), {
            title: `$(copy) ${words.copyPython}`,
            command: 'retool.copyCode',
            arguments: [trajectory.turns[turn ?? 0]?.code ?? ''],
          }),
      ),
  ];
}
