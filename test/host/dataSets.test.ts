/// <reference types="mocha" />
import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { api, until, workspaceFolder } from './support';

describe('the data sets of an experiment', () => {
  const path = (name: string) => join(workspaceFolder(), name);
  const write = (name: string, rows: readonly (readonly [string, string])[]) =>
    writeFile(path(name), rows.map(([question, answer]) => JSON.stringify({ question, answer })).join('\n'));
  const experiment = () => vscode.Uri.file(path('torn.retool.json'));

  const ofData = ({ uri }: vscode.TextDocument) =>
    vscode.languages.getDiagnostics(uri).filter(({ message }) => message.startsWith('data.'));

  before(async () => {
    await api();
    await write('torn.train.jsonl', [
      ['1+1', '2'],
      ['2+2', '4'],
      ['2+2', '5'],
      ['3+3', '6'],
      ['3+3', '6'],
    ]);
    await write('torn.evaluation.jsonl', [
      ['1+1', '2'],
      ['4+4', '8'],
    ]);
    const data = { train: 'torn.train.jsonl', evaluation: 'torn.evaluation.jsonl' };
    await writeFile(experiment().fsPath, JSON.stringify({ name: 'torn', data, reinforcement: { steps: 1 } }, null, 2));
  });
  after(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    for (const name of ['torn.retool.json', 'torn.train.jsonl', 'torn.evaluation.jsonl']) await rm(path(name));
  });

  it('that contradict or overlap are warned of where the experiment names them', async () => {
    const document = await vscode.workspace.openTextDocument(experiment());
    await vscode.window.showTextDocument(document);
    const found = await until('two warnings', () => {
      const all = ofData(document);
      return all.length === 2 ? all : undefined;
    });
    const rows = found.map(({ severity, message, range }) => [severity, document.getText(range), message]);
    assert.deepEqual(rows.sort(), [
      [
        vscode.DiagnosticSeverity.Warning,
        '"torn.evaluation.jsonl"',
        'data.evaluation: questions that are trained on too: 1 (line 1; in the training set line 1). The evaluation partly measures what was trained on.',
      ],
      [
        vscode.DiagnosticSeverity.Warning,
        '"torn.train.jsonl"',
        'data.train: questions with different answers: 1 (lines 2 and 3, answers 4 and 5). A run leaves them out.',
      ],
    ]);

    await write('torn.train.jsonl', [['5+5', '10']]);
    await until('no warning once the file is mended', () => ofData(document).length === 0);
  });

  it('are reported in a read-only document that is made anew when it is asked for again', async () => {
    await write('torn.train.jsonl', [
      ['1+1', '2'],
      ['1+1', '2'],
    ]);
    const shown = async () => {
      await vscode.commands.executeCommand('retool.checkDataSets', experiment());
      return vscode.window.activeTextEditor!.document;
    };
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(experiment()));
    await vscode.commands.executeCommand('retool.checkDataSets');
    assert.match(vscode.window.activeTextEditor!.document.getText(), /^Data sets of torn/, 'of the active editor');
    const document = await shown();
    assert.equal(document.uri.scheme, 'retool-data');
    assert.equal(vscode.workspace.fs.isWritableFileSystem('retool-data'), false);
    assert.match(
      document.getText(),
      /^Data sets of torn\.retool\.json\n\ndata\.train: .*\n {2}2 records .* 1 distinct/,
    );
    assert.match(document.getText(), /Note: records that repeat a question: 1\./);
    await write('torn.train.jsonl', [['6+6', '12']]);
    await until('the new report', async () => !(await shown()).getText().includes('repeat a question: 1'));
  });
});
