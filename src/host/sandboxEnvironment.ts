import { join } from 'node:path';
import * as vscode from 'vscode';
import { onDemand } from './onDemand';
import { chosenInterpreter } from './sandboxSettings';
import type { Strings } from './strings';

/**
 * Makes a virtual environment with numpy and sympy in the extension's storage, and takes it for the sandbox in the
 * person's settings.
 *
 * @returns the path of its interpreter; undefined when it was cancelled.
 */
export async function createEnvironment(storage: vscode.Uri, { sandbox: words }: Strings): Promise<string | undefined> {
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  const settings = vscode.workspace.getConfiguration('retool', folder?.uri);
  const index = settings.get('sandbox.packageIndex', '') || undefined;
  const target = join(storage.fsPath, 'python');
  // The environment of an earlier time is no base for itself.
  const chosen = await chosenInterpreter(folder?.uri);
  const base = chosen?.startsWith(target) ? undefined : chosen;
  const { makeEnvironment } = await onDemand.sandboxSetup();
  const python = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: words.creating, cancellable: true },
    async (_, token) => {
      const stop = new AbortController();
      token.onCancellationRequested(() => stop.abort());
      return makeEnvironment(base, target, index, stop.signal);
    },
  );
  await settings.update('sandbox.python', python, vscode.ConfigurationTarget.Global);
  void vscode.window.showInformationMessage(words.created);
  return python;
}
