/// <reference types="mocha" />
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { FixtureRun } from '../support/fixtureRun';
import { answering, api, removeRuns, runsFolder, until } from './support';

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
      const found = tabs().filter(({ label }) => label === 'Run: arithmetic');
      return found.length > 0 ? found : undefined;
    });
    assert.equal(open.length, 1);
    assert.ok(open[0]?.input instanceof vscode.TabInputWebview);
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
    const [asked] = await answering('showWarningMessage', () => undefined, remove);
    assert.equal(asked, 'Delete the run spare?');
    assert.ok(existsSync(other.folder));
    await answering('showWarningMessage', ([first]) => first, remove);
    assert.ok(!existsSync(other.folder));
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
