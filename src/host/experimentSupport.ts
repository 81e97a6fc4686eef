import { dirname } from 'node:path';
import * as vscode from 'vscode';
import { DisposableStore } from '../lib/lifecycle';
import { isExperiment } from './experimentPicker';
import { onDemand } from './onDemand';
import { differencesIn, presetHints } from './presetHints';
import type { Strings } from './strings';

const source = 'ReTool';
const experimentFiles = { scheme: 'file', pattern: '**/*.retool.json' } as const;

/** Rests this long after a key was pressed. */
const pauseMilliseconds = 250;

/** Problems of experiment files, in the editor as one types, and the buttons above it. */
export function registerExperimentSupport(strings: Strings): DisposableStore {
  const owned = new DisposableStore();
  const diagnostics = owned.add(vscode.languages.createDiagnosticCollection('retool'));
  const timers = new Map<string, NodeJS.Timeout>();

  const check = async (document: vscode.TextDocument) => {
    const { version } = document;
    const found = await diagnose(document, strings);
    if (!document.isClosed && document.version === version) diagnostics.set(document.uri, found);
  };
  const soon = (document: vscode.TextDocument, pause = pauseMilliseconds) => {
    if (!isExperiment(document.uri)) return;
    const key = document.uri.toString();
    clearTimeout(timers.get(key));
    timers.set(
      key,
      setTimeout(() => void check(document), pause),
    );
  };

  owned.add(vscode.workspace.onDidOpenTextDocument((document) => soon(document, 0)));
  owned.add(vscode.workspace.onDidChangeTextDocument(({ document }) => soon(document)));
  owned.add(vscode.workspace.onDidSaveTextDocument((document) => soon(document, 0)));
  owned.add(
    vscode.workspace.onDidCloseTextDocument(({ uri }) => {
      clearTimeout(timers.get(uri.toString()));
      timers.delete(uri.toString());
      diagnostics.delete(uri);
    }),
  );
  owned.add({
    dispose: () => {
      for (const timer of timers.values()) clearTimeout(timer);
    },
  });
  const all = () => {
    for (const document of vscode.workspace.textDocuments) soon(document);
  };
  all();
  // A file that an experiment names may come or go while the experiment is open.
  const dataFiles = owned.add(vscode.workspace.createFileSystemWatcher('**/*.{jsonl,parquet}', false, true, false));
  owned.add(dataFiles.onDidCreate(all));
  owned.add(dataFiles.onDidDelete(all));
  owned.add(vscode.languages.registerCodeActionsProvider(experimentFiles, spelling));

  owned.add(
    vscode.languages.registerCodeLensProvider(experimentFiles, {
      provideCodeLenses: async (document) => [
        new vscode.CodeLens(new vscode.Range(0, 0, 0, 0), {
          title: `$(play) ${strings.experiment.startTraining}`,
          command: 'retool.startTraining',
          arguments: [document.uri],
        }),
        new vscode.CodeLens(new vscode.Range(0, 0, 0, 0), {
          title: `$(checklist) ${strings.data.check}`,
          command: 'retool.checkDataSets',
          arguments: [document.uri],
        }),
        new vscode.CodeLens(new vscode.Range(0, 0, 0, 0), {
          title: `$(symbol-ruler) ${strings.plan.plan}`,
          command: 'retool.planRun',
          arguments: [document.uri],
        }),
        ...(await presetLens(document, strings)),
      ],
    }),
  );
  owned.add(vscode.languages.registerInlayHintsProvider(experimentFiles, presetHints(strings)));
  return owned;
}

async function presetLens(document: vscode.TextDocument, { preset }: Strings): Promise<vscode.CodeLens[]> {
  const { presetNameIn } = await onDemand.presets();
  if (presetNameIn(document.getText()) === undefined) return [];
  const { length } = await differencesIn(document);
  const range = new vscode.Range(0, 0, 0, 0);
  const title = `$(diff) ${preset.compare(length)}`;
  return [new vscode.CodeLens(range, { title, command: 'retool.compareWithPreset', arguments: [document.uri] })];
}

async function diagnose(document: vscode.TextDocument, strings: Strings): Promise<vscode.Diagnostic[]> {
  const [{ parseExperiment }, { dataFilesIn, missingAmong }] = await Promise.all([
    onDemand.experiments(),
    onDemand.dataFiles(),
  ]);
  const text = document.getText();
  const at = (offset: number, length: number) =>
    new vscode.Range(document.positionAt(offset), document.positionAt(offset + Math.max(1, length)));
  // VS Code itself says where a file of its language JSON is no JSON.
  const issues = parseExperiment(text).issues.filter(({ syntax }) => !syntax || !/^jsonc?$/.test(document.languageId));
  const missing = await missingAmong(dataFilesIn(text), dirname(document.uri.fsPath));
  return [
    ...issues.map(({ path, message, offset, length, meant }) => {
      const found = problem(at(offset, length), [path.join('.'), message].filter(Boolean).join(' '));
      if (meant !== undefined) found.code = meant;
      return found;
    }),
    ...missing.map(({ field, path, offset, length }) =>
      problem(at(offset, length), `${field}: ${strings.experiment.missingFile(path)}`),
    ),
  ];
}

/** Offers to put the field that was meant in the place of a misspelt one. */
const spelling: vscode.CodeActionProvider = {
  provideCodeActions: ({ uri }, _range, { diagnostics }) =>
    diagnostics
      .filter(({ source: from, code }) => from === source && typeof code === 'string')
      .map((diagnostic) => {
        const name = JSON.stringify(diagnostic.code);
        const action = new vscode.CodeAction(name, vscode.CodeActionKind.QuickFix);
        action.edit = new vscode.WorkspaceEdit();
        action.edit.replace(uri, diagnostic.range, name);
        action.diagnostics = [diagnostic];
        action.isPreferred = true;
        return action;
      }),
};

function problem(range: vscode.Range, message: string): vscode.Diagnostic {
  const diagnostic = new vscode.Diagnostic(range, message, vscode.DiagnosticSeverity.Error);
  diagnostic.source = source;
  return diagnostic;
}
