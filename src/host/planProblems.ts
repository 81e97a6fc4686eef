import { dirname } from 'node:path';
import * as vscode from 'vscode';
import type { DisposableStore } from '../lib/lifecycle';
import { onDemand } from './onDemand';
import { areExamined, registerSavedProblems } from './savedProblems';
import { sayIn } from './sentences';
import type { Strings } from './strings';

/** Says at its field which settings of an experiment contradict each other or leave no room. */
export const registerPlanProblems = (strings: Strings): DisposableStore =>
  registerSavedProblems('retool-plan', (document, signal) => diagnose(document, strings, signal));

async function diagnose(
  document: vscode.TextDocument,
  strings: Strings,
  signal: AbortSignal,
): Promise<vscode.Diagnostic[]> {
  const text = document.getText();
  const [{ dataFilesIn }, { placeIn }] = await Promise.all([onDemand.dataFiles(), onDemand.fieldPlace()]);
  const paths = dataFilesIn(text).map(({ path }) => path);
  if (!(await areExamined(dirname(document.uri.fsPath), paths))) return [];
  const [{ planExperiment }, { planProblemText }] = await Promise.all([onDemand.planner(), onDemand.planReportText()]);
  // What is wrong with the experiment or its files is told beside this.
  const planned = await planExperiment(document.uri.fsPath, { signal }).catch(() => undefined);
  return (planned?.plan.problems ?? []).map((problem) => {
    const { offset, length } = placeIn(text, [...problem.path]);
    const [start, end] = [document.positionAt(offset), document.positionAt(offset + length)];
    // A field that is left out stands for its object, of which the first line is enough.
    const last = end.line > start.line ? document.lineAt(start.line).range.end : end;
    const message = planProblemText(problem, sayIn(strings.plan.sentences));
    const diagnostic = new vscode.Diagnostic(new vscode.Range(start, last), message, severities[problem.level]);
    diagnostic.source = 'ReTool';
    return diagnostic;
  });
}

const severities = {
  error: vscode.DiagnosticSeverity.Error,
  warning: vscode.DiagnosticSeverity.Warning,
  info: vscode.DiagnosticSeverity.Information,
} as const;
