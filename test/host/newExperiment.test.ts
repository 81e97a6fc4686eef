/// <reference types="mocha" />
import assert from 'node:assert/strict';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { parseExperiment } from '../../src/run/experimentFile';
import { api, workspaceFolder } from './support';

interface Asked {
  readonly value?: string;
  readonly validateInput?: (value: string) => unknown;
}

/** Chooses the first example and types a name, in the place of a person. @returns what the person was offered. */
async function makeExperiment(name: string): Promise<Asked> {
  const { showQuickPick, showInputBox } = vscode.window;
  const replace = (key: string, value: unknown) =>
    Object.defineProperty(vscode.window, key, { value, configurable: true, writable: true });
  let asked: Asked = {};
  replace('showQuickPick', async (items: unknown[]) => items[0]);
  replace('showInputBox', async (options: Asked) => {
    asked = options;
    return name;
  });
  try {
    await vscode.commands.executeCommand('retool.newExperiment');
  } finally {
    replace('showQuickPick', showQuickPick);
    replace('showInputBox', showInputBox);
  }
  return asked;
}

describe('a new experiment', () => {
  const path = join(workspaceFolder(), 'mine.retool.json');

  before(api);
  after(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await rm(path, { force: true });
  });

  it('has the name that was typed, and uses the problem files that are in the workspace', async () => {
    const before = await readdir(workspaceFolder());
    const asked = await makeExperiment('mine');
    assert.equal(asked.value, 'arithmetic');
    const { experiment, issues } = parseExperiment(await readFile(path, 'utf8'));
    assert.deepEqual(issues, []);
    assert.equal(experiment?.name, 'mine');
    assert.equal(experiment?.$schema, undefined);
    assert.equal(experiment?.data.train, 'examples/arithmetic.train.jsonl');
    assert.deepEqual(
      (await readdir(workspaceFolder())).filter((name) => !before.includes(name)),
      ['mine.retool.json'],
    );
    assert.equal(vscode.window.activeTextEditor?.document.uri.fsPath, path);
  });

  it('is not made under a name that is taken, or is none', async () => {
    const { validateInput } = await makeExperiment('mine-too');
    await rm(join(workspaceFolder(), 'mine-too.retool.json'));
    assert.equal(await validateInput?.('mine'), 'mine.retool.json exists already.');
    assert.match(String(await validateInput?.('../x')), /^Begin with a letter or digit/);
    assert.equal(await validateInput?.('other'), undefined);
  });
});
