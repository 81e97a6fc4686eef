/// <reference types="mocha" />
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { evaluationsAt } from '../../src/run/runEvaluations';
import { referenceTable, writeReferenceEvaluations } from '../support/referenceEvaluations';
import { answering, api, removeRuns, workspaceFolder } from './support';

describe('importing results', () => {
  let folder: string;
  let files: string[];
  before(async () => {
    await api();
    await removeRuns();
    folder = await mkdtemp(join(tmpdir(), 'retool-host-import-'));
    files = await writeReferenceEvaluations(folder);
  });
  after(async () => {
    await removeRuns();
    await rm(folder, { recursive: true, force: true });
  });

  const imported = (...paths: readonly string[]) =>
    vscode.commands.executeCommand<string[]>('retool.importEvaluations', paths.map(vscode.Uri.file));

  it('makes evaluations of the files that a person chooses, and says how many', async () => {
    const original = vscode.window.showOpenDialog;
    const replace = (value: unknown) =>
      Object.defineProperty(vscode.window, 'showOpenDialog', { value, configurable: true, writable: true });
    replace(async () => files.map(vscode.Uri.file));
    const said = await answering(
      'showInformationMessage',
      () => undefined,
      () => vscode.commands.executeCommand('retool.importEvaluations'),
    );
    replace(original);
    assert.match(said.join(), /^Evaluations imported into \.retool.evaluations: 6; there already: 0\./);
    const ended = await evaluationsAt([join(workspaceFolder(), '.retool', 'evaluations')]);
    assert.deepEqual(
      ended.map(({ report }) => report.correct),
      referenceTable.map(({ correct }) => correct),
    );
  });

  it('knows what is there already', async () => {
    const said = await answering(
      'showInformationMessage',
      () => undefined,
      () => imported(files[0]!),
    );
    assert.match(said.join(), /: 0; there already: 1\./);
  });

  it('refuses a torn file in a sentence with its line', async () => {
    const torn = join(folder, 'torn.jsonl');
    await writeFile(torn, (await readFile(files[0]!, 'utf8')).slice(0, 5000));
    const said = await answering(
      'showErrorMessage',
      () => undefined,
      () => imported(torn),
    );
    assert.match(said.join(), /torn\.jsonl, line \d+: /);
  });
});
