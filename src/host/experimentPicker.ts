import { basename } from 'node:path';
import * as vscode from 'vscode';
import { RetoolError } from '../lib/errors';
import { chooseOne, dismissed } from './quickPick';
import type { Strings } from './strings';

export const experimentSuffix = '.retool.json';
/** Runs keep a copy of their experiment; that is no file to start from. */
export const leftOut = '{**/node_modules/**,**/.retool/**}';

export const findExperiments = (): Thenable<vscode.Uri[]> =>
  vscode.workspace.findFiles(`**/*${experimentSuffix}`, leftOut);

export const isExperiment = (uri: vscode.Uri): boolean => uri.scheme === 'file' && uri.path.endsWith(experimentSuffix);

/** The experiment file that a command is about: the one it was given, the one in the active editor, or one that is chosen. */
export async function pickExperiment(
  subject: unknown,
  strings: Strings,
  title = strings.training.pickExperiment,
): Promise<vscode.Uri> {
  if (subject instanceof vscode.Uri) return subject;
  if (!vscode.workspace.workspaceFolders?.length) throw new RetoolError('usage', strings.training.noFolder);
  const files = (await findExperiments()).sort((a, b) => a.path.localeCompare(b.path));
  const active = vscode.window.activeTextEditor?.document.uri.toString();
  const open = files.find((uri) => uri.toString() === active);
  if (open) return open;
  if (files.length === 0) {
    const { noExperiment, newExperiment } = strings.training;
    const chosen = await vscode.window.showInformationMessage(noExperiment, newExperiment);
    if (chosen === newExperiment) await vscode.commands.executeCommand('retool.newExperiment');
    throw dismissed();
  }
  const items = files.map((uri) => ({
    uri,
    // With its folders, for copies of an example have the same name.
    label: vscode.workspace.asRelativePath(uri),
    iconPath: new vscode.ThemeIcon('json'),
  }));
  return (await chooseOne(title, items)).uri;
}

/** Saves the file when it has changes that a person may not have meant to leave out. */
export async function saveBeforeStart(uri: vscode.Uri, strings: Strings): Promise<void> {
  const document = vscode.workspace.textDocuments.find((candidate) => candidate.uri.toString() === uri.toString());
  if (!document?.isDirty) return;
  const { unsaved, saveAndStart } = strings.training;
  const chosen = await vscode.window.showWarningMessage(unsaved(basename(uri.path)), { modal: true }, saveAndStart);
  if (chosen !== saveAndStart) throw dismissed();
  await document.save();
}
