import { join } from 'node:path';
import * as vscode from 'vscode';
import { RetoolError } from '../lib/errors';
import type { RunState } from '../schema/runState';
import { startText } from './model/format';
import { onDemand } from './onDemand';
import { dismissed } from './quickPick';
import type { Strings } from './strings';

/** Shows a file where files are shown: in the explorer of VS Code, or in that of the system outside the workspace. */
export async function revealFile(path: string): Promise<void> {
  const file = vscode.Uri.file(path);
  const inside = vscode.workspace.getWorkspaceFolder(file) !== undefined;
  await vscode.commands.executeCommand(inside ? 'revealInExplorer' : 'revealFileInOS', file);
}

export async function revealRunFolder(run: RunState): Promise<void> {
  const { runPaths } = await onDemand.folders();
  await revealFile(join(run.folder, runPaths.journal));
}

/** Opens what a run keeps of its experiment: the values that were in force. */
export async function openFrozenExperiment(run: RunState): Promise<void> {
  const { runPaths } = await onDemand.folders();
  await vscode.window.showTextDocument(vscode.Uri.file(join(run.folder, runPaths.experiment)), { preview: true });
}

/** Moves a run to the trash once a person has said so. @param leave ends its evaluations. @throws RetoolError `run` while it is running. */
export async function deleteRun(run: RunState, { deletion }: Strings, leave: () => Promise<void>): Promise<void> {
  if (run.status === 'running') {
    throw new RetoolError('run', deletion.refuse(run.name), { hint: deletion.refuseHint });
  }
  // Remote hosts have no trash.
  const useTrash = vscode.env.remoteName === undefined;
  const detail = useTrash ? deletion.detail : deletion.detailNoTrash;
  // The first button is what Enter presses: that must not delete.
  const chosen = await vscode.window.showWarningMessage(
    deletion.ask(run.name, startText(run.startedAt)),
    { modal: true, detail },
    deletion.look,
    deletion.confirm,
  );
  if (chosen === deletion.look) await revealRunFolder(run);
  if (chosen !== deletion.confirm) throw dismissed();
  await leave();
  // Another process may have gone on with it while the question stood.
  const { isLive } = await onDemand.evaluationFolder();
  if (await isLive(run.folder)) throw new RetoolError('run', deletion.refuse(run.name), { hint: deletion.refuseHint });
  await deletePath(run.folder, useTrash, run.name, deletion);
}

/** What is gone already is none to delete. @throws RetoolError `disk` saying of what `name` stands for why it stays. */
export async function deletePath(
  path: string,
  useTrash: boolean,
  name: string,
  { failed, failedHint }: Strings['deletion'],
): Promise<void> {
  try {
    await vscode.workspace.fs.delete(vscode.Uri.file(path), { recursive: true, useTrash });
  } catch (error) {
    if (error instanceof vscode.FileSystemError && error.code === 'FileNotFound') return;
    const { code, message } = RetoolError.from('disk', failed(name), error);
    throw new RetoolError(code, message, { hint: failedHint, cause: error });
  }
}
