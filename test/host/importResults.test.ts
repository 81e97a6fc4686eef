/// <reference types="mocha" />
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { readRolloutsAt } from '../../src/journal/rolloutPlace';
import { evaluationsAt } from '../../src/run/runEvaluations';
import { referenceTable, writeReferenceEvaluations } from '../support/referenceEvaluations';
import { answering, api, removeRuns, until, workspaceFolder } from './support';

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

  const home = () => join(workspaceFolder(), '.retool');
  const shelfId = async () => (await api()).store.shelfAt(home()) ?? '';
  const shelf = async () => (await api()).store.get(await shelfId())?.asked ?? [];

  it('shows them beside the runs, and opens their texts', async () => {
    await until('the shelf', async () => (await shelf()).length === 6);
    const { store } = await api();
    assert.deepEqual([store.ids(), store.shelfIds()], [[], [await shelfId()]]);
    const { id } = (await shelf()).at(-1)!;
    const place = { evaluation: id };
    const row = (await readRolloutsAt(home(), place)).find(({ calls }) => calls > 0);
    await vscode.commands.executeCommand('retool.openTrajectory', {
      kind: 'trajectory',
      key: '',
      runId: await shelfId(),
      place,
      row,
    });
    const text = vscode.window.activeTextEditor?.document.getText() ?? '';
    assert.match(text, /^# Question · yentinglin-aime-2025\.aime25-retool-step200 · .*\nHow many integers/);
    assert.match(text, /holds the last text alone/);
  });

  it('deletes one only when a person says so, and leaves the file that it was made from', async () => {
    const { id } = (await shelf()).at(-1)!;
    const copy = join(home(), 'evaluations', `${id}.jsonl`);
    const runId = await shelfId();
    const node = { kind: 'evaluation', key: `${runId}/${id}`, runId, id };
    const remove = () => vscode.commands.executeCommand('retool.deleteEvaluation', node);
    const [question] = await answering('showWarningMessage', ([first]) => first, remove);
    assert.match(question ?? '', /^Delete the evaluation yentinglin\/aime_2025 · Step 200\?$/);
    assert.ok(existsSync(copy));
    await answering('showWarningMessage', (labels) => labels.find((label) => label === 'Delete'), remove);
    assert.deepEqual([existsSync(copy), existsSync(files.at(-1)!)], [false, true]);
    assert.equal((await shelf()).length, 5);
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
