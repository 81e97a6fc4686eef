/// <reference types="mocha" />
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { FixtureRun } from '../support/fixtureRun';
import { answering, api, removeRuns, runsFolder, until, workspaceFolder } from './support';

describe('evaluations', () => {
  let run: FixtureRun;
  let runId: string;
  let problems: string;

  before(async () => {
    run = await FixtureRun.write(runsFolder(), {
      steps: 4,
      coldStartSteps: 2,
      end: { kind: 'ended', outcome: 'completed' },
    });
    await run.close();
    runId = run.folder.split('/').at(-1)!;
    problems = join(workspaceFolder(), 'few.jsonl');
    const lines = [2, 3, 4].map((a) => ({ id: `p${a}`, question: `${a}*3`, answer: String(a * 3) }));
    lines[2]!.question += '[asy]';
    await writeFile(problems, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    await vscode.commands.executeCommand('retool.refresh');
  });
  after(removeRuns);

  const base = () => ({
    kind: 'checkpoint',
    key: `${runId}/checkpoints/coldStart-0`,
    runId,
    phase: 'coldStart',
    step: 0,
  });
  const asked = async () => (await api()).store.get(runId)?.asked ?? [];

  /** Clicks a checkpoint, and takes a file from the list. */
  async function evaluateFile(): Promise<void> {
    const original = vscode.window.createQuickPick;
    const replace = (value: unknown) =>
      Object.defineProperty(vscode.window, 'createQuickPick', { value, configurable: true, writable: true });
    let list: vscode.QuickPick<vscode.QuickPickItem> | undefined;
    replace(() => {
      list = original();
      return list;
    });
    const command = vscode.commands.executeCommand('retool.evaluateCheckpoint', base());
    try {
      const file = await until('the list', () => list?.items.find(({ label }) => label === 'A File…'));
      list!.activeItems = [file];
      // Nothing tells when the row is marked, and a key too early would choose another one.
      await new Promise((resolve) => setTimeout(resolve, 1000));
      await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
    } finally {
      replace(original);
    }
    await until('the evaluation', async () => (await asked()).length > 0);
    await command;
  }

  /** Answers the dialog for files in the place of a person. */
  async function choosingFile(path: string, work: () => Promise<unknown>): Promise<void> {
    const original = vscode.window.showOpenDialog;
    const replace = (value: unknown) =>
      Object.defineProperty(vscode.window, 'showOpenDialog', { value, configurable: true, writable: true });
    replace(async () => [vscode.Uri.file(path)]);
    try {
      await work();
    } finally {
      replace(original);
    }
  }

  it('of the model before training are made on a file, and their result is told', async () => {
    const said = await answering(
      'showInformationMessage',
      () => undefined,
      () =>
        choosingFile(problems, async () => {
          await evaluateFile();
          await until('the result', async () => (await asked())[0]?.status === 'done', 60);
        }),
    );
    const [only] = await asked();
    assert.equal(only?.dataset, 'few.jsonl');
    assert.equal(only.done, 3);
    const told = said.filter((sentence) => /1 of 3 problems of few\.jsonl have a figure/.test(sentence));
    assert.equal(told.length, 1, 'what is to be known of the set is said once');
    const { average } = only.result!;
    assert.match(said.at(-1) ?? '', new RegExp(`^few.jsonl · Base: ${(average * 100).toFixed(1)}.% correct`));
    const lines = (await readFile(join(run.folder, 'evaluations', `${only.id}.jsonl`), 'utf8')).trim().split('\n');
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).problem_id ?? 'summary'),
      ['p2', 'p3', 'p4', 'summary'],
    );
  });

  it('asked again, what was made can be looked at', async () => {
    let offered: string[] = [];
    const [said] = await answering(
      'showInformationMessage',
      (labels) => {
        offered = labels;
        return undefined;
      },
      () => choosingFile(problems, evaluateFile),
    );
    assert.match(said ?? '', /^few\.jsonl · Base has been evaluated so already\. Ask with another seed/);
    assert.deepEqual(offered, ['Open Trajectories', 'Open Comparison']);
  });

  it('open their trajectories', async () => {
    const { id } = (await asked())[0]!;
    const command = vscode.commands.executeCommand('retool.openTrajectory', { runId, place: { evaluation: id } });
    await until('the trajectory', async () => {
      await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
      return vscode.window.activeTextEditor?.document.uri.scheme === 'retool-trajectory';
    });
    await command;
    assert.match(vscode.window.activeTextEditor?.document.getText() ?? '', /\*3/);
  });

  it('are deleted only when a person says so', async () => {
    const { id } = (await asked())[0]!;
    const file = join(run.folder, 'evaluations', `${id}.jsonl`);
    const node = { kind: 'evaluation', key: `${runId}/evaluations/${id}`, runId, id };
    const remove = () => vscode.commands.executeCommand('retool.deleteEvaluation', node);
    const [question] = await answering('showWarningMessage', ([first]) => first, remove);
    assert.match(question ?? '', /^Delete the evaluation few.jsonl · Base\?$/);
    assert.ok(existsSync(file), 'the first button, which Enter presses, deletes nothing');
    await answering('showWarningMessage', (labels) => labels.find((label) => label === 'Delete'), remove);
    assert.ok(!existsSync(file));
    assert.deepEqual(await asked(), []);
  });

  it('are not made in an untrusted workspace', async () => {
    const trusted = Object.getOwnPropertyDescriptor(vscode.workspace, 'isTrusted')!;
    Object.defineProperty(vscode.workspace, 'isTrusted', { get: () => false, configurable: true });
    try {
      const [said] = await answering(
        'showWarningMessage',
        () => undefined,
        () => vscode.commands.executeCommand('retool.evaluateCheckpoint', base()),
      );
      assert.match(said ?? '', /^Training and evaluating run .* needs a trusted folder/);
      const [toImport] = await answering(
        'showWarningMessage',
        () => undefined,
        () => vscode.commands.executeCommand('retool.importEvaluations'),
      );
      assert.match(toImport ?? '', /^Importing writes into the folder/);
    } finally {
      Object.defineProperty(vscode.workspace, 'isTrusted', trusted);
    }
  });
});
