import { relative } from 'node:path';
import * as vscode from 'vscode';
import type { Choice, Notifier } from './notify';
import { onDemand } from './onDemand';
import { dismissed } from './quickPick';
import type { Strings } from './strings';
import { pickWorkspaceFolder } from './workspaceFolder';

interface Parts {
  /** Of the product. */
  readonly version: string;
  readonly notifier: Notifier;
  readonly strings: Strings;
}

/**
 * Imports evaluation files of the reference into a folder of the workspace, and says what they are.
 *
 * @param subject files to import; a person is asked for others.
 * @returns ids of the evaluations.
 */
export async function importResults(subject: unknown, { version, notifier, strings }: Parts): Promise<string[]> {
  const words = strings.imports;
  const home = await pickWorkspaceFolder(words.pickFolder, strings);
  const files = filesIn(subject) ?? (await pickFiles(home, words.title));
  const [{ evaluationsFolderOf }, { importEvaluations }] = await Promise.all([
    onDemand.folders(),
    onDemand.importEvaluations(),
  ]);
  const folder = evaluationsFolderOf(home.fsPath);
  const imported = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Window, title: words.importing },
    () =>
      importEvaluations(
        files.map(({ fsPath }) => fsPath),
        folder,
        version,
      ),
  );
  const added = imported.filter(({ isNew }) => isNew).length;
  const compare: Choice = {
    label: words.compare,
    act: () => vscode.commands.executeCommand('retool.compareEvaluations', { folder }),
  };
  const reveal: Choice = {
    label: words.reveal,
    act: () => vscode.commands.executeCommand('revealInExplorer', vscode.Uri.file(imported[0]!.file)),
  };
  const message = words.done(added, imported.length - added, relative(home.fsPath, folder));
  for (const { contradiction } of imported) if (contradiction) notifier.warn(contradiction);
  notifier.info(message, compare, reveal);
  return imported.map(({ id }) => id);
}

function filesIn(subject: unknown): vscode.Uri[] | undefined {
  const files = [subject].flat().filter((each): each is vscode.Uri => each instanceof vscode.Uri);
  return files.length > 0 ? files : undefined;
}

async function pickFiles(home: vscode.Uri, title: string): Promise<vscode.Uri[]> {
  const chosen = await vscode.window.showOpenDialog({
    title,
    defaultUri: home,
    canSelectMany: true,
    filters: { JSONL: ['jsonl', 'json'] },
  });
  if (!chosen || chosen.length === 0) throw dismissed();
  return chosen;
}
