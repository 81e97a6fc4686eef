import { join } from 'node:path';
import * as vscode from 'vscode';
import type { AskedEvaluation } from '../schema/runState';
import { onDemand } from './onDemand';
import { dismissed } from './quickPick';
import { deletePath } from './runFiles';
import type { Strings } from './strings';

/** Moves an evaluation to the trash once a person has said so. @param leave ends it where it is being made, or refuses. */
export async function deleteAsked(
  run: string,
  { id, name, subject }: Pick<AskedEvaluation, 'id' | 'subject'> & { readonly name: string },
  { evaluation: words, deletion }: Strings,
  leave: () => Promise<void>,
): Promise<void> {
  // Remote hosts have no trash.
  const useTrash = vscode.env.remoteName === undefined;
  const [detail, detailNoTrash] =
    subject.kind === 'imported'
      ? [words.importedDetail, words.importedDetailNoTrash]
      : [words.detail, words.detailNoTrash];
  const folder = vscode.Uri.file(join(run, 'evaluations'));
  // The first button is what Enter presses: that must not delete.
  const chosen = await vscode.window.showWarningMessage(
    words.ask(name),
    { modal: true, detail: useTrash ? detail : detailNoTrash },
    deletion.look,
    deletion.confirm,
  );
  if (chosen === deletion.look) await vscode.commands.executeCommand('revealInExplorer', folder);
  if (chosen !== deletion.confirm) throw dismissed();
  await leave();
  const { evaluationFiles } = await onDemand.evaluationFolder();
  // The folder last: what is left of one that was deleted half is still a row.
  for (const path of evaluationFiles(folder.fsPath, id)) await deletePath(path, useTrash, name, deletion);
}
