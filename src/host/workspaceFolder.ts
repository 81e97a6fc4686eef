import * as vscode from 'vscode';
import { RetoolError } from '../lib/errors';
import { dismissed } from './quickPick';
import type { Strings } from './strings';

/** The folder that is open, or the one of several that a person chooses. @throws RetoolError `usage`, `cancelled`. */
export async function pickWorkspaceFolder(placeHolder: string, { training }: Strings): Promise<vscode.Uri> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const [only] = folders;
  if (!only) throw new RetoolError('usage', training.noFolder);
  if (folders.length === 1) return only.uri;
  const chosen = await vscode.window.showWorkspaceFolderPick({ placeHolder });
  if (!chosen) throw dismissed();
  return chosen.uri;
}
