import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { ExtensionApi } from '../../src/extension';
import { runsFolderOf } from '../../src/journal/runFolder';

export const workspaceFolder = (): string => {
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  assert.ok(folder, 'no folder is open');
  return folder.uri.fsPath;
};

export const runsFolder = (): string => runsFolderOf(workspaceFolder());

export async function api(): Promise<ExtensionApi> {
  const extension = vscode.extensions.getExtension<ExtensionApi>('retool-lab.retool-lab');
  assert.ok(extension, 'the extension is not installed');
  return extension.activate();
}

/** Waits until something holds, and says what did not when it never does. */
export async function until<T>(what: string, look: () => T | Promise<T>, seconds = 10): Promise<NonNullable<T>> {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > end) assert.fail(`${what} did not come true in ${seconds} s`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

export async function removeRuns(): Promise<void> {
  await rm(join(workspaceFolder(), '.retool'), { recursive: true, force: true });
  await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  await vscode.commands.executeCommand('retool.refresh');
}

/** Answers messages of a kind in the place of a person, for as long as `work` takes. @returns what was asked. */
export async function answering(
  kind: 'showWarningMessage' | 'showErrorMessage' | 'showInformationMessage',
  choose: (labels: string[]) => string | undefined,
  work: () => unknown,
): Promise<string[]> {
  const asked: string[] = [];
  const original = vscode.window[kind];
  const replace = (value: unknown) =>
    Object.defineProperty(vscode.window, kind, { value, configurable: true, writable: true });
  replace(async (message: string, ...rest: unknown[]) => {
    asked.push(message);
    return choose(rest.filter((item) => typeof item === 'string'));
  });
  try {
    await work();
    await new Promise((resolve) => setTimeout(resolve, 50));
  } finally {
    replace(original);
  }
  return asked;
}
