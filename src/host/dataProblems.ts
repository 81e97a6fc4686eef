import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import * as vscode from 'vscode';
import { isHubName } from '../hub/hubName';
import { RetoolError } from '../lib/errors';
import { DisposableStore } from '../lib/lifecycle';
import { sayTranslated } from './dataReports';
import { isExperiment } from './experimentPicker';
import { onDemand } from './onDemand';
import type { Strings } from './strings';

/** Larger sets, bytes, are examined when a person asks for it. */
const largest = 32 << 20;

/** Says in an experiment file what is the matter with its data sets, when it is opened or saved and when they change. */
export function registerDataProblems(strings: Strings): DisposableStore {
  const owned = new DisposableStore();
  const diagnostics = owned.add(vscode.languages.createDiagnosticCollection('retool-data'));
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
    const found = await diagnose(document, strings, stop.signal);
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

async function diagnose(
  document: vscode.TextDocument,
  strings: Strings,
  signal: AbortSignal,
): Promise<vscode.Diagnostic[]> {
  const { dataFilesIn } = await onDemand.dataFiles();
  const folder = dirname(document.uri.fsPath);
  const files = dataFilesIn(document.getText()).filter(({ field }) => field.startsWith('data.'));
  // What a hub has is examined when a person asks for it: nothing is fetched because a file is opened.
  if (files.some(({ path }) => isHubName(path))) return [];
  const sizes = await Promise.all(
    files.map(({ path }) =>
      stat(resolve(folder, path)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  if (files.length === 0 || sizes.some((size) => size > largest)) return [];
  const [{ examineExperiment }, { complaintsOf }] = await Promise.all([
    onDemand.dataDoctor(),
    onDemand.dataReportText(),
  ]);
  const at = (field: string | undefined) => files.find((file) => file.field === field) ?? files[0]!;
  const problem = (
    { offset, length }: (typeof files)[number],
    message: string,
    severity: vscode.DiagnosticSeverity,
  ) => {
    const range = new vscode.Range(document.positionAt(offset), document.positionAt(offset + length));
    const diagnostic = new vscode.Diagnostic(range, message, severity);
    diagnostic.source = 'ReTool';
    return diagnostic;
  };
  const { Error: error, Warning: warning } = vscode.DiagnosticSeverity;
  try {
    const { sets } = await examineExperiment(document.uri.fsPath, { signal });
    return sets.flatMap((set) =>
      complaintsOf(set, sayTranslated(strings)).map(({ level, message }) =>
        problem(at(set.field), message, level === 'error' ? error : warning),
      ),
    );
  } catch (cause) {
    // What is wrong with the experiment itself, and what is missing, is told beside this.
    if (!(cause instanceof RetoolError) || cause.code !== 'data') return [];
    const named = files.find(({ path }) => cause.message.startsWith(resolve(folder, path)));
    return named ? [problem(named, cause.message, error)] : [];
  }
}
