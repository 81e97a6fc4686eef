import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import * as vscode from 'vscode';
import { isHubName } from '../hub/hubName';
import { DisposableStore } from '../lib/lifecycle';
import { isExperiment } from './experimentPicker';

/** Larger data sets, bytes, are examined when a person asks for it. */
const largestExamined = 32 << 20;

/** Whether data sets may be examined because a file was opened: they lie here, and none is large. */
export async function areExamined(folder: string, paths: readonly string[]): Promise<boolean> {
  if (paths.some(isHubName)) return false;
  const sizes = paths.map((path) =>
    stat(resolve(folder, path)).then(
      ({ size }) => size,
      () => 0,
    ),
  );
  return (await Promise.all(sizes)).every((size) => size <= largestExamined);
}

/**
 * Says what is the matter with experiments as they are saved: when one is opened or saved and when data files change.
 *
 * @param name of the collection of problems.
 * @param diagnose looks at files, and is aborted when it is overtaken.
 */
export function registerSavedProblems(
  name: string,
  diagnose: (document: vscode.TextDocument, signal: AbortSignal) => Promise<vscode.Diagnostic[]>,
): DisposableStore {
  const owned = new DisposableStore();
  const diagnostics = owned.add(vscode.languages.createDiagnosticCollection(name));
  const under = new Map<string, AbortController>();

  const forget = (uri: vscode.Uri) => {
    under.get(uri.toString())?.abort();
    under.delete(uri.toString());
    diagnostics.delete(uri);
  };
  const check = async (document: vscode.TextDocument) => {
    if (!isExperiment(document.uri) || document.isDirty) return;
    forget(document.uri);
    const stop = new AbortController();
    under.set(document.uri.toString(), stop);
    const found = await diagnose(document, stop.signal);
    if (!stop.signal.aborted && !document.isClosed) diagnostics.set(document.uri, found);
  };
  const all = () => {
    for (const document of vscode.workspace.textDocuments) void check(document);
  };

  owned.add(vscode.workspace.onDidOpenTextDocument((document) => void check(document)));
  owned.add(vscode.workspace.onDidSaveTextDocument((document) => void check(document)));
  owned.add(vscode.workspace.onDidCloseTextDocument(({ uri }) => forget(uri)));
  const files = owned.add(vscode.workspace.createFileSystemWatcher('**/*.{jsonl,parquet}'));
  owned.add(files.onDidCreate(all));
  owned.add(files.onDidChange(all));
  owned.add(files.onDidDelete(all));
  owned.add({
    dispose: () => {
      for (const stop of under.values()) stop.abort();
    },
  });
  all();
  return owned;
}
