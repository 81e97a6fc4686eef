import { dirname, resolve } from 'node:path';
import * as vscode from 'vscode';
import { RetoolError } from '../lib/errors';
import type { DisposableStore } from '../lib/lifecycle';
import { onDemand } from './onDemand';
import { areExamined, registerSavedProblems } from './savedProblems';
import { sayIn } from './sentences';
import type { Strings } from './strings';

/** Says in an experiment file what is the matter with its data sets. */
export const registerDataProblems = (strings: Strings): DisposableStore =>
  registerSavedProblems('retool-data', (document, signal) => diagnose(document, strings, signal));

async function diagnose(
  document: vscode.TextDocument,
  strings: Strings,
  signal: AbortSignal,
): Promise<vscode.Diagnostic[]> {
  const { dataFilesIn } = await onDemand.dataFiles();
  const folder = dirname(document.uri.fsPath);
  const files = dataFilesIn(document.getText()).filter(({ field }) => field.startsWith('data.'));
  const paths = files.map(({ path }) => path);
  if (files.length === 0 || !(await areExamined(folder, paths))) return [];
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
      complaintsOf(set, sayIn(strings.data.sentences)).map(({ level, message }) =>
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
