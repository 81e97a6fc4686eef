import * as vscode from 'vscode';
import { DisposableStore } from '../lib/lifecycle';
import { type TrajectoryFiles, trajectoryScheme } from './trajectoryFiles';
import { rows } from './trajectoryLanguage';

/** Colours the regions of trajectories: a purple bar for code, a grey one and a hatch for output, blue for the answer. */
export function registerTrajectoryDecorations(files: TrajectoryFiles, extension: vscode.Uri): DisposableStore {
  const owned = new DisposableStore();
  const bar = { isWholeLine: true, borderStyle: 'solid', borderWidth: '0 0 0 3px' } as const;
  const code = owned.add(
    vscode.window.createTextEditorDecorationType({
      ...bar,
      borderColor: new vscode.ThemeColor('charts.purple'),
      backgroundColor: new vscode.ThemeColor('retool.codeBackground'),
      overviewRulerColor: new vscode.ThemeColor('charts.purple'),
      overviewRulerLane: vscode.OverviewRulerLane.Left,
    }),
  );
  const output = owned.add(
    vscode.window.createTextEditorDecorationType({
      ...bar,
      borderColor: new vscode.ThemeColor('retool.secondaryText'),
      backgroundColor: new vscode.ThemeColor('retool.outputBackground'),
      color: new vscode.ThemeColor('retool.secondaryText'),
      gutterIconPath: vscode.Uri.joinPath(extension, 'media', 'hatch.svg'),
      gutterIconSize: 'cover',
    }),
  );
  const answer = owned.add(
    vscode.window.createTextEditorDecorationType({
      backgroundColor: new vscode.ThemeColor('retool.answerBackground'),
      border: '1px solid',
      borderColor: new vscode.ThemeColor('retool.correct'),
      borderRadius: '3px',
      overviewRulerColor: new vscode.ThemeColor('retool.correct'),
      overviewRulerLane: vscode.OverviewRulerLane.Full,
    }),
  );

  const facts = owned.add(
    vscode.window.createTextEditorDecorationType({ color: new vscode.ThemeColor('retool.secondaryText') }),
  );

  const paint = async (editor: vscode.TextEditor) => {
    if (editor.document.uri.scheme !== trajectoryScheme) return;
    const { regions, graded } = await files.get(editor.document.uri);
    const below = (kind: string) =>
      regions
        .filter((region) => region.kind === kind && region.end > region.start)
        .map(({ start, end }) => rows(start + 1, end));
    const headings = regions.flatMap(({ start }) => {
      const at = editor.document.lineAt(start).text.indexOf(' · ');
      return at < 0 ? [] : [new vscode.Range(start, at, start, Number.MAX_SAFE_INTEGER)];
    });
    editor.setDecorations(facts, headings);
    editor.setDecorations(code, below('code'));
    editor.setDecorations(output, below('output'));
    editor.setDecorations(answer, graded ? [new vscode.Range(graded.line, graded.start, graded.line, graded.end)] : []);
  };
  const paintAll = (editors: readonly vscode.TextEditor[]) => {
    for (const editor of editors) void paint(editor).catch(() => {});
  };
  owned.add(vscode.window.onDidChangeVisibleTextEditors(paintAll));
  paintAll(vscode.window.visibleTextEditors);
  return owned;
}
