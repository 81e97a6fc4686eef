import * as vscode from 'vscode';
import { RetoolError } from '../lib/errors';
import type { Strings } from './strings';

interface Export {
  /** What is offered, in the first folder that is open. */
  readonly name: string;
  readonly title: string;
  readonly filters: Readonly<Record<string, string[]>>;
  /** Said when it is written. */
  readonly exported: (path: string) => string;
}

/** Writes a file to where a person wants it; does nothing where they do not. @throws RetoolError `disk`. */
export async function saveAs(
  content: string | Uint8Array,
  { name, title, filters, exported }: Export,
  { errors }: Strings,
): Promise<void> {
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  const file = await vscode.window.showSaveDialog({
    title,
    filters,
    ...(folder && { defaultUri: vscode.Uri.joinPath(folder.uri, name) }),
  });
  if (!file) return;
  try {
    await vscode.workspace.fs.writeFile(
      file,
      typeof content === 'string' ? new TextEncoder().encode(content) : content,
    );
  } catch (cause) {
    throw new RetoolError('disk', errors.notWritten(file.fsPath), { cause });
  }
  vscode.window.setStatusBarMessage(exported(vscode.workspace.asRelativePath(file)), 4000);
}
