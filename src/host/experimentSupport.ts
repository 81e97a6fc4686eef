import { dirname, resolve } from 'node:path';
import * as vscode from 'vscode';
import { DisposableStore } from '../lib/lifecycle';
import { isExperiment } from './experimentPicker';
import { type DataFile, dataFiles } from './model/dataFiles';
import { onDemand } from './onDemand';
import type { Strings } from './strings';

/** Rests this long after a key was pressed. */
const pauseMilliseconds = 250;

/** Problems of experiment files, in the editor as one types, and the button that starts them. */
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
  for (const document of vscode.workspace.textDocuments) soon(document, 0);

  owned.add(
    vscode.languages.registerCodeLensProvider(
      { scheme: 'file', pattern: '**/*.retool.json' },
      {
        provideCodeLenses: ({ uri }) => [
          new vscode.CodeLens(new vscode.Range(0, 0, 0, 0), {
            title: `$(play) ${strings.experiment.startTraining}`,
            command: 'retool.startTraining',
            arguments: [uri],
          }),
        ],
      },
    ),
  );
  return owned;
}

async function diagnose(document: vscode.TextDocument, strings: Strings): Promise<vscode.Diagnostic[]> {
  const [{ parseExperiment }, { exists }] = await Promise.all([onDemand.experiments(), onDemand.folders()]);
  const text = document.getText();
  const { experiment, issues } = parseExperiment(text);
  const at = (offset: number, length: number) =>
    new vscode.Range(document.positionAt(offset), document.positionAt(offset + Math.max(1, length)));
  const found = issues.map(({ path, message, offset, length }) =>
    problem(at(offset, length), [path.join('.'), message].filter(Boolean).join(' ')),
  );
  if (!experiment) return found;
  const folder = dirname(document.uri.fsPath);
  const missing = await Promise.all(
    dataFiles(experiment, text).map(async (file: DataFile) =>
      (await exists(resolve(folder, file.path))) ? [] : [file],
    ),
  );
  return [
    ...found,
    ...missing
      .flat()
      .map(({ field, path, offset, length }) =>
        problem(at(offset, length), `${field}: ${strings.experiment.missingFile(path)}`),
      ),
  ];
}

function problem(range: vscode.Range, message: string): vscode.Diagnostic {
  const diagnostic = new vscode.Diagnostic(range, message, vscode.DiagnosticSeverity.Error);
  diagnostic.source = 'ReTool';
  return diagnostic;
}
