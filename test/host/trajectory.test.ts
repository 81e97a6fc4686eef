/// <reference types="mocha" />
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { readRolloutIndex } from '../../src/journal/rolloutFile';
import { rolloutFile } from '../../src/journal/runFolder';
import { FixtureRun } from '../support/fixtureRun';
import { removeRuns, runsFolder, until } from './support';

describe('a trajectory', () => {
  let document: vscode.TextDocument;

  before(async () => {
    const run = await FixtureRun.write(runsFolder(), { steps: 3, coldStartSteps: 2 });
    await run.close();
    await vscode.commands.executeCommand('retool.refresh');
    const {
      rows: [row],
    } = await readRolloutIndex(rolloutFile(run.folder, 3));
    const runId = run.folder.split('/').at(-1)!;
    await vscode.commands.executeCommand('retool.openTrajectory', {
      kind: 'trajectory',
      runId,
      place: { step: 3 },
      row,
    });
    const editor = await until('the document', () => vscode.window.activeTextEditor);
    document = editor.document;
  });
  after(removeRuns);

  it('is a document of its own language', () => {
    assert.equal(document.uri.scheme, 'retool-trajectory');
    assert.equal(document.languageId, 'retool-trajectory');
    for (const part of [
      '# Question · Step 3 · multiply-1 · branch 0',
      'Gold answer',
      'Advantage',
      '── Python',
      'not trained on',
      '\\boxed{',
    ]) {
      assert.ok(document.getText().includes(part), part);
    }
  });

  it('is read-only', async () => {
    assert.equal(vscode.workspace.fs.isWritableFileSystem('retool-trajectory'), false);
    await assert.rejects(Promise.resolve(vscode.workspace.fs.writeFile(document.uri, new Uint8Array())));
  });

  it('is read again from its address alone', async () => {
    const bytes = await vscode.workspace.fs.readFile(vscode.Uri.parse(document.uri.toString()));
    assert.equal(new TextDecoder().decode(bytes), document.getText());
  });

  it('has an outline of its turns, folds, and says its verdict on top', async () => {
    const symbols = await vscode.commands.executeCommand<vscode.DocumentSymbol[]>(
      'vscode.executeDocumentSymbolProvider',
      document.uri,
    );
    assert.deepEqual(
      symbols.map(({ name }) => name),
      ['Question', 'Turn 1', 'Turn 2'],
    );
    assert.deepEqual(
      symbols[1]?.children.map(({ name }) => name),
      ['Python', 'Output'],
    );
    const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
      'vscode.executeCodeLensProvider',
      document.uri,
    );
    assert.match(lenses[0]?.command?.title ?? '', /Reward [+−]1 · (in)?correct · predicted \d+ · gold \d+/);
    const folds = await vscode.commands.executeCommand<vscode.FoldingRange[]>(
      'vscode.executeFoldingRangeProvider',
      document.uri,
    );
    assert.equal(folds.length, 5);
  });

  it('that does not exist is told as not found', async () => {
    const missing = document.uri.with({ path: document.uri.path.replace('branch 0.retool', 'branch 99.retool') });
    await assert.rejects(Promise.resolve(vscode.workspace.fs.readFile(missing)), /no trajectory/);
  });
});
