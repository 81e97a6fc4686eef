/// <reference types="mocha" />
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { runsFolderOf } from '../../src/journal/runFolder';
import { FixtureRun } from '../support/fixtureRun';
import { answering, api, removeRuns, runsFolder, until, workspaceFolder } from './support';

const tabs = () => vscode.window.tabGroups.all.flatMap((group) => group.tabs);
const hold = (run: FixtureRun) =>
  writeFile(join(run.folder, 'lock.json'), JSON.stringify({ pid: process.pid, host: hostname() }));

describe('runs', () => {
  let run: FixtureRun;
  let id: string;

  before(async () => {
    run = await FixtureRun.write(runsFolder(), { steps: 12, done: 8, coldStartSteps: 4 });
    id = run.folder.split('/').at(-1)!;
    await vscode.commands.executeCommand('retool.refresh');
  });
  after(async () => {
    await run.close();
    await removeRuns();
  });

  it('are read from the disk; one without a writer is interrupted', async () => {
    const { store } = await api();
    const state = await until('the run', () => store.get(id));
    assert.equal(state.status, 'interrupted');
    assert.equal(state.step, 8);
  });

  it('show step, reward and time left in the status bar while one is running', async () => {
    const { statusText } = await api();
    assert.equal(statusText(), undefined);
    await hold(run);
    const text = await until('the status bar', statusText);
    assert.match(text, /^\$\(sync~spin\) ReTool 8\/12 · [+−]?\d\.\d\d · .+ left$/);
  });

  it('grow while they are written', async () => {
    const { store } = await api();
    await hold(run);
    await run.step(9);
    await until('step 9', () => store.get(id)?.step === 9);
  });

  it('are not deleted while they run', async () => {
    await hold(run);
    await vscode.commands.executeCommand('retool.refresh');
    const [asked] = await answering(
      'showErrorMessage',
      () => undefined,
      () => vscode.commands.executeCommand('retool.deleteRun', id),
    );
    assert.match(asked ?? '', /running and cannot be deleted. Stop it first./);
  });

  it('open a dashboard, once', async () => {
    await vscode.commands.executeCommand('retool.openDashboard', id);
    await vscode.commands.executeCommand('retool.openDashboard', id);
    const open = await until('the tab', () => {
      const found = tabs().filter(({ label }) => /^Run: arithmetic · [\d -]*\d\d:\d\d$/.test(label));
      return found.length > 0 ? found : undefined;
    });
    assert.equal(open.length, 1);
    assert.ok(open[0]?.input instanceof vscode.TabInputWebview);
  });

  it('are found beside an experiment in a folder below', async () => {
    const { store } = await api();
    const below = join(workspaceFolder(), 'below');
    await mkdir(below, { recursive: true });
    // VS Code takes a moment to watch a new folder: of what comes into it before, it does not tell.
    await new Promise((resolve) => setTimeout(resolve, 1500));
    try {
      await writeFile(join(below, 'nested.retool.json'), '{}');
      const nested = await FixtureRun.write(runsFolderOf(below), { name: 'nested', steps: 2, coldStartSteps: 1 });
      await nested.close();
      const nestedId = nested.folder.split('/').at(-1)!;
      await until('the nested run', () => store.get(nestedId));
    } finally {
      await rm(below, { recursive: true });
    }
  });

  it('ask before a second one is trained beside one that runs', async () => {
    await hold(run);
    await vscode.commands.executeCommand('retool.refresh');
    const experiment = vscode.Uri.file(join(workspaceFolder(), 'examples/arithmetic.retool.json'));
    const labels: string[] = [];
    const [asked] = await answering(
      'showWarningMessage',
      (offered) => {
        labels.push(...offered);
        return undefined;
      },
      () => vscode.commands.executeCommand('retool.startTraining', experiment),
    );
    assert.match(asked ?? '', /^arithmetic of .* is being trained\.$/);
    // It is trained by another process, so that it cannot be stopped from here.
    assert.deepEqual(labels, ['Train Beside It']);
  });

  it('are deleted only when a person says so', async () => {
    const other = await FixtureRun.write(runsFolder(), {
      name: 'spare',
      steps: 2,
      coldStartSteps: 1,
      end: { kind: 'ended', outcome: 'completed' },
    });
    await other.close();
    await vscode.commands.executeCommand('retool.refresh');
    const otherId = other.folder.split('/').at(-1)!;
    const remove = () => vscode.commands.executeCommand('retool.deleteRun', otherId);
    await vscode.commands.executeCommand('retool.openDashboard', otherId);
    const dashboard = () => tabs().find(({ label }) => label.startsWith('Run: spare'));
    await until('its dashboard', dashboard);
    const [asked] = await answering('showWarningMessage', () => undefined, remove);
    assert.match(asked ?? '', /^Delete the run spare of [\d -]*\d\d:\d\d\?$/);
    assert.ok(existsSync(other.folder));
    await answering('showWarningMessage', ([first]) => first, remove);
    assert.ok(existsSync(other.folder), 'the first button, which Enter presses, deletes nothing');
    await answering('showWarningMessage', (labels) => labels.find((label) => label === 'Delete'), remove);
    assert.ok(!existsSync(other.folder));
    await until('its dashboard to close', () => !dashboard());
    const { store } = await api();
    await until('the run to go', () => store.get(otherId) === undefined);
  });

  it('cannot be trained in an untrusted workspace, and the answer says why', async () => {
    const trusted = Object.getOwnPropertyDescriptor(vscode.workspace, 'isTrusted')!;
    Object.defineProperty(vscode.workspace, 'isTrusted', { get: () => false, configurable: true });
    try {
      const labels: string[] = [];
      const [asked] = await answering(
        'showWarningMessage',
        (offered) => {
          labels.push(...offered);
          return undefined;
        },
        () => vscode.commands.executeCommand('retool.startTraining'),
      );
      assert.match(asked ?? '', /needs a trusted folder/);
      assert.deepEqual(labels, ['Manage Trust']);
    } finally {
      Object.defineProperty(vscode.workspace, 'isTrusted', trusted);
    }
  });
});
