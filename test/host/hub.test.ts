/// <reference types="mocha" />
import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { HubServer, sha256 } from '../support/hubServer';
import { answering, api, until, workspaceFolder } from './support';

describe('an experiment on a data set of a hub', () => {
  const problems = ['1+1,2', '2+2,4', '3+3,6']
    .map((line) => line.split(','))
    .map(([question, answer]) => `${JSON.stringify({ question, answer })}\n`)
    .join('');
  const name = 'hub:maker/sums/train.jsonl';
  const experiment = () => vscode.Uri.file(join(workspaceFolder(), 'hub.retool.json'));
  const settings = () => vscode.workspace.getConfiguration('retool');
  let server: HubServer;

  before(async () => {
    delete process.env.HF_ENDPOINT;
    await api();
    server = await HubServer.start();
    server.put('datasets/maker/sums', 'train.jsonl', problems);
    await settings().update('hub', server.url, vscode.ConfigurationTarget.Global);
    const text = `{\n  "name": "hub", "data": { "train": "${name}" }, "reinforcement": { "steps": 1 }\n}\n`;
    await writeFile(experiment().fsPath, text);
  });
  after(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await settings().update('hub', undefined, vscode.ConfigurationTarget.Global);
    await rm(experiment().fsPath);
    await server.close();
  });

  it('has no problems when it is opened, and nothing is fetched for that', async () => {
    const document = await vscode.workspace.openTextDocument(experiment());
    await vscode.window.showTextDocument(document);
    await new Promise((resolve) => setTimeout(resolve, 800));
    assert.deepEqual(vscode.languages.getDiagnostics(document.uri), []);
    assert.deepEqual(server.seen, []);
  });

  it('says in a sentence that the hub has no such file', async () => {
    server.put('datasets/maker/sums', 'other.jsonl', problems);
    const wrong = vscode.Uri.file(join(workspaceFolder(), 'wrong.retool.json'));
    const data = { train: 'hub:maker/sums/trian.jsonl' };
    await writeFile(wrong.fsPath, JSON.stringify({ name: 'wrong', data, reinforcement: { steps: 1 } }));
    const [message] = await answering(
      'showErrorMessage',
      () => undefined,
      () => vscode.commands.executeCommand('retool.checkDataSets', wrong),
    );
    await rm(wrong.fsPath);
    assert.match(message ?? '', /has no file hub:maker\/sums\/trian\.jsonl\. It has train\.jsonl, other\.jsonl\./);
  });

  it('is fetched once when its data sets are checked, and pinned where a person wants it', async () => {
    const asked = await answering(
      'showInformationMessage',
      (labels) => labels.find((label) => label === 'Pin'),
      async () => {
        await vscode.commands.executeCommand('retool.checkDataSets', experiment());
        await until('the pin', async () => (await text()).includes(sha256(problems)));
      },
    );
    assert.match(asked[0] ?? '', /^Files fetched: 1\./);
    assert.match(vscode.window.activeTextEditor?.document.getText() ?? '', /3/);
    const requests = server.seen.length;
    await vscode.commands.executeCommand('retool.checkDataSets', experiment());
    assert.equal(server.seen.length, requests);
  });

  const text = async () => new TextDecoder().decode(await vscode.workspace.fs.readFile(experiment()));
});
