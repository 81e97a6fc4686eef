/// <reference types="mocha" />
import assert from 'node:assert/strict';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { parseExperiment } from '../../src/run/experimentFile';
import { api, until, workspaceFolder } from './support';

interface Item {
  readonly label: string;
}

/** Answers the lists by their labels and the input boxes by what they are about, in the place of a person. */
function answering(labels: readonly string[], typed: (title: string) => string): () => void {
  const { showQuickPick, showInputBox } = vscode.window;
  const left = [...labels];
  const replace = (key: string, value: unknown) =>
    Object.defineProperty(vscode.window, key, { value, configurable: true, writable: true });
  replace('showQuickPick', async (items: readonly Item[]) => {
    const found = items.find(({ label }) => label === left[0]);
    assert.ok(found, `${left[0]} among ${items.map(({ label }) => label).join(', ')}`);
    left.shift();
    return found;
  });
  replace('showInputBox', async ({ title }: { title: string }) => typed(title));
  return () => {
    replace('showQuickPick', showQuickPick);
    replace('showInputBox', showInputBox);
  };
}

describe('a preset', () => {
  const path = (name: string) => join(workspaceFolder(), `${name}.retool.json`);

  before(api);
  afterEach(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await Promise.all(['published', 'small', 'open'].map((name) => rm(path(name), { force: true })));
  });

  const make = async (name: string, ...labels: string[]) => {
    const done = answering(labels, () => name);
    try {
      await vscode.commands.executeCommand('retool.newExperiment');
    } finally {
      done();
    }
    return vscode.window.activeTextEditor!.document;
  };

  it('becomes an experiment that runs here, in JSON with comments, and shows what is changed', async () => {
    const document = await make('small', 'ToRL 1.5B', 'On this machine, reduced');
    assert.equal(document.languageId, 'jsonc');
    assert.deepEqual(parseExperiment(document.getText()).issues, []);
    const at = document.getText().indexOf('"groupSize": 8') + '"groupSize": '.length;
    const edit = new vscode.WorkspaceEdit();
    edit.replace(document.uri, new vscode.Range(document.positionAt(at), document.positionAt(at + 1)), '4');
    await vscode.workspace.applyEdit(edit);
    const whole = new vscode.Range(0, 0, document.lineCount, 0);
    const hints = await until('a hint', async () => {
      const found = await vscode.commands.executeCommand<vscode.InlayHint[]>(
        'vscode.executeInlayHintProvider',
        document.uri,
        whole,
      );
      return found.some(({ label }) => label === 'preset: 8') ? found : undefined;
    });
    // The data files lie elsewhere in this workspace; the group size was changed by hand.
    assert.ok(hints.length >= 1);
    const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
      'vscode.executeCodeLensProvider',
      document.uri,
    );
    assert.ok(lenses.some(({ command }) => /Compare with preset \(changed: \d\)/.test(command?.title ?? '')));
    await vscode.commands.executeCommand('retool.compareWithPreset', document.uri);
    const tab = await until('the comparison', () => {
      const { input } = vscode.window.tabGroups.activeTabGroup.activeTab ?? {};
      return input instanceof vscode.TabInputTextDiff ? input : undefined;
    });
    assert.equal(tab.original.scheme, 'retool-preset');
    assert.match((await vscode.workspace.openTextDocument(tab.original)).getText(), /"groupSize": 8/);
  });

  it('as published is refused by name, with its unknown values at their fields', async () => {
    const document = await make('published', 'ReTool (paper)', 'As published');
    const found = await until('problems', () => {
      const all = vscode.languages.getDiagnostics(document.uri).filter(({ source }) => source === 'ReTool');
      return all.length >= 10 ? all : undefined;
    });
    const texts = found.map(({ message }) => message).join('\n');
    assert.match(texts, /service\.kind is verl, to which nothing connects yet/);
    assert.match(texts, /reinforcement\.advantage is gae, which needs a critic/);
    assert.match(texts, /reinforcement\.loss\.clipLow is not known: choose a value/);
  });

  it('has what is not known asked for before a start, and written into the file', async () => {
    const document = await make('open', 'ToRL 1.5B', 'On this machine, reduced');
    const at = document.getText().indexOf('"groupSize": 8') + '"groupSize": '.length;
    const edit = new vscode.WorkspaceEdit();
    edit.replace(document.uri, new vscode.Range(document.positionAt(at), document.positionAt(at + 1)), 'null');
    await vscode.workspace.applyEdit(edit);
    const asked: string[] = [];
    const done = answering([], (title) => {
      asked.push(title);
      return '6';
    });
    try {
      const { askForUnknown } = await import('../../src/host/unknownValues');
      const { createStrings } = await import('../../src/host/strings');
      await askForUnknown(document.uri, createStrings(vscode.l10n.t));
    } finally {
      done();
    }
    assert.deepEqual(asked, ['reinforcement.groupSize is not published: choose a value (1 of 1)']);
    assert.match(await readFile(path('open'), 'utf8'), /"groupSize": 6/);
  });
});
