/// <reference types="mocha" />
import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { api, until, workspaceFolder } from './support';

describe('the plan of a run', () => {
  const path = (name: string) => join(workspaceFolder(), name);
  const experiment = () => vscode.Uri.file(path('planned.retool.json'));

  before(async () => {
    await api();
    const rows = Array.from({ length: 8 }, (_, i) => ({ question: `${i}+1`, answer: String(i + 1) }));
    await writeFile(path('planned.train.jsonl'), rows.map((row) => JSON.stringify(row)).join('\n'));
    const content = {
      name: 'planned',
      data: { train: 'planned.train.jsonl' },
      budgets: { turns: 2, calls: 2, turnTokens: 20 },
      reinforcement: { steps: 5, problemsPerStep: 4, minibatches: 3 },
    };
    await writeFile(experiment().fsPath, JSON.stringify(content, null, 2));
  });
  after(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    for (const name of ['planned.retool.json', 'planned.train.jsonl']) await rm(path(name));
  });

  it('warns at their fields of settings that contradict each other', async () => {
    const document = await vscode.workspace.openTextDocument(experiment());
    await vscode.window.showTextDocument(document);
    const found = await until('what the plan complains of', () => {
      const all = vscode.languages.getDiagnostics(document.uri);
      return all.length >= 3 ? all : undefined;
    });
    const rows = found.map(({ severity, message, range }) => [severity, document.getText(range), message]);
    assert.deepEqual(rows, [
      [
        vscode.DiagnosticSeverity.Warning,
        '2',
        'budgets.calls is 2, but with 2 turns only 1 can be run: a call in the last turn is not.',
      ],
      [
        vscode.DiagnosticSeverity.Information,
        '3',
        'reinforcement.minibatches is 3, which does not divide 4 groups: updates differ in size.',
      ],
      [
        vscode.DiagnosticSeverity.Information,
        '{',
        'checkpoints.keepEvery is 20: of 5 steps only the last 2 keep their checkpoint.',
      ],
    ]);
  });

  it('is reported in a read-only document', async () => {
    await vscode.commands.executeCommand('retool.planRun', experiment());
    const { document } = vscode.window.activeTextEditor!;
    assert.equal(document.uri.scheme, 'retool-plan');
    assert.equal(vscode.workspace.fs.isWritableFileSystem('retool-plan'), false);
    assert.match(document.getText(), /^Plan of planned\.retool\.json\n\nWhat it rests on\n/);
    assert.match(document.getText(), /^ +32 +32 {2}trajectories$/m);
    assert.match(document.getText(), /Warning: budgets\.calls is 2/);
  });
});
