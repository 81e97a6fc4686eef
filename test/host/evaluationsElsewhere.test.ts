/// <reference types="mocha" />
import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { appendFile, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { requestEvaluation } from '../../src/run/evaluationRequests';
import { FixtureRun } from '../support/fixtureRun';
import { ScriptedHttp } from '../support/scriptedHttp';
import { answering, api, removeRuns, runsFolder, until, workspaceFolder } from './support';

describe('evaluations that another process makes', () => {
  let run: FixtureRun;
  let runId: string;
  let problems: string;

  before(async () => {
    await removeRuns();
    run = await FixtureRun.write(runsFolder(), {
      steps: 2,
      coldStartSteps: 2,
      end: { kind: 'ended', outcome: 'completed' },
    });
    await run.close();
    runId = run.folder.split('/').at(-1)!;
    problems = join(workspaceFolder(), 'two.jsonl');
    const lines = [2, 3].map((a) => ({ id: `p${a}`, question: `${a}*3`, answer: String(a * 3) }));
    await writeFile(problems, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    await vscode.commands.executeCommand('retool.refresh');
  });
  after(removeRuns);

  const subject = { kind: 'checkpoint', phase: 'coldStart', step: 0 } as const;
  /** As another process asks. @returns the folder of the evaluation. */
  async function ask(seed: number) {
    const { request, folder } = await requestEvaluation('test', {
      run: run.folder,
      subject,
      dataset: problems,
      choices: { seed, samples: 2 },
    });
    const { id } = request;
    const node = { kind: 'evaluation', key: `${runId}/evaluations/${id}`, runId, id };
    return { id, node, folder, work: join(folder, id) };
  }
  const row = async (id: string) => (await api()).store.get(runId)?.asked.find((each) => each.id === id);
  /** A process that lives, and is not this one. */
  const lock = JSON.stringify({ pid: process.ppid, host: hostname(), token: 'another' });

  it('appear, move, end and go without being asked for', async () => {
    const { id, folder, work } = await ask(1);
    await until('the row', async () => (await row(id))?.status === 'stopped');
    await writeFile(join(work, 'lock.json'), lock);
    await until('that it is made', async () => (await row(id))?.status === 'elsewhere');
    await appendFile(join(work, 'generations.jsonl'), '{}\n{}\n{}\n');
    await until('how far it is', async () => (await row(id))?.done === 3, 15);
    await rm(join(work, 'lock.json'));
    await writeFile(join(folder, `${id}.jsonl`), '');
    await until('its end', async () => (await row(id))?.status === 'done');
    await rm(join(folder, `${id}.jsonl`));
    await rm(work, { recursive: true });
    await until('that it is gone', async () => (await row(id)) === undefined);
  });

  it('are there after a refresh', async () => {
    const { id, work } = await ask(2);
    await vscode.commands.executeCommand('retool.refresh');
    assert.equal((await row(id))?.status, 'stopped');
    await rm(work, { recursive: true });
    await vscode.commands.executeCommand('retool.refresh');
    assert.equal(await row(id), undefined);
  });

  it('are neither deleted nor gone on with, whatever the window remembers of them', async () => {
    const { id, node, work } = await ask(3);
    await vscode.commands.executeCommand('retool.refresh');
    const request = await readFile(join(work, 'request.json'), 'utf8');
    const refused: string[] = [];
    /** @param meanwhile what happens while the question stands. */
    const remove = async (meanwhile: () => void) => {
      const told = await answering(
        'showErrorMessage',
        () => undefined,
        () =>
          answering(
            'showWarningMessage',
            (labels) => {
              meanwhile();
              return labels.find((label) => label === 'Delete');
            },
            () => vscode.commands.executeCommand('retool.deleteEvaluation', node),
          ),
      );
      refused.push(...told);
    };
    const taken = join(work, 'lock.json');
    await remove(() => writeFileSync(taken, lock));
    await remove(() => assert.fail('it is refused before it is asked'));
    refused.push(
      ...(await answering(
        'showErrorMessage',
        () => undefined,
        () => vscode.commands.executeCommand('retool.resumeEvaluation', node),
      )),
    );
    assert.equal(refused.length, 3);
    for (const said of refused.slice(0, 2)) {
      assert.match(said, /^ReTool: two\.jsonl · Base is being evaluated by another process\. Stop it where it was/);
    }
    assert.match(refused[2]!, /is being evaluated by another process|No evaluation was stopped/);
    assert.equal(await readFile(join(work, 'request.json'), 'utf8'), request);
    assert.equal(await readFile(taken, 'utf8'), lock);
    await rm(taken);
    await until('that it can be deleted', async () => (await row(id))?.status === 'stopped');
    await remove(() => {});
    assert.ok(!existsSync(work));
  });

  it('that cannot be deleted stay, with one sentence', async () => {
    const { node, work } = await ask(4);
    await vscode.commands.executeCommand('retool.refresh');
    const { fs } = vscode.workspace;
    const readOnly = async () => {
      throw new vscode.FileSystemError(`Error: EROFS: read-only file system, unlink '${work}'`);
    };
    const value = new Proxy(fs, { get: (target, key) => (key === 'delete' ? readOnly : Reflect.get(target, key)) });
    const replace = (value: unknown) =>
      Object.defineProperty(vscode.workspace, 'fs', { value, configurable: true, writable: true });
    try {
      replace(value);
      const told = await answering(
        'showErrorMessage',
        () => undefined,
        () =>
          answering(
            'showWarningMessage',
            (labels) => labels.find((label) => label === 'Delete'),
            () => vscode.commands.executeCommand('retool.deleteEvaluation', node),
          ),
      );
      assert.deepEqual(told, [
        'ReTool: two.jsonl · Base cannot be deleted: the disk is read-only. Make its folder writable, then delete it again.',
      ]);
    } finally {
      replace(fs);
    }
    await rm(work, { recursive: true });
  });

  it('of a service that wants a key offer to set it, beside going on', async () => {
    const http = await ScriptedHttp.start();
    http.script('/api/v1/get_server_capabilities', { status: 401, body: { detail: 'no' } });
    const path = join(run.folder, 'experiment.json');
    const frozen = JSON.parse(await readFile(path, 'utf8'));
    frozen.experiment.service.url = http.url;
    await writeFile(path, JSON.stringify(frozen));
    const { id, node } = await ask(5);
    await until('the row', async () => (await row(id))?.status === 'stopped');
    let offered: string[] = [];
    const told = await answering(
      'showErrorMessage',
      (labels) => {
        offered = labels;
        return undefined;
      },
      async () => {
        await vscode.commands.executeCommand('retool.resumeEvaluation', node);
        await until('the refusal', () => offered.length > 0);
      },
    );
    assert.match(told[0]!, /^ReTool: The trainer at .* wants a key\./);
    assert.deepEqual(offered, ['Set Key', 'Go On', 'Show Log']);
    await http.close();
  });
});

describe('a window without runs', () => {
  before(removeRuns);

  it('says that there are none where evaluations are to be shown', async () => {
    for (const command of ['retool.compareEvaluations', 'retool.showBehaviour']) {
      const said = await answering(
        'showErrorMessage',
        () => undefined,
        () => vscode.commands.executeCommand(command),
      );
      assert.deepEqual(said, ['ReTool: There are no runs in this workspace.'], command);
    }
  });
});
