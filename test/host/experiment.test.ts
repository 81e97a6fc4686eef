/// <reference types="mocha" />
import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { answering, api, until, workspaceFolder } from './support';

const source = 'ReTool';

describe('an experiment file', () => {
  const written: string[] = [];
  const open = async (content: object): Promise<vscode.TextDocument> => {
    const path = join(workspaceFolder(), `wrong-${written.length}.retool.json`);
    written.push(path);
    await writeFile(path, JSON.stringify(content, null, 2));
    const document = await vscode.workspace.openTextDocument(path);
    await vscode.window.showTextDocument(document);
    return document;
  };
  const problems = (document: vscode.TextDocument) =>
    vscode.languages.getDiagnostics(document.uri).filter((diagnostic) => diagnostic.source === source);

  before(api);
  afterEach(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await Promise.all(written.map((path) => rm(path, { force: true })));
  });

  it('is told every field that is wrong, where it stands', async () => {
    const document = await open({
      name: 'wrong',
      data: { train: 'train.jsonl' },
      budgets: { trajectoryTokens: 96, turnTokenz: 3 },
      reinforcement: { steps: 5, groupSize: 0 },
    });
    const found = await until('problems', () => (problems(document).length >= 2 ? problems(document) : undefined));
    const texts = found.map(({ message }) => message).join('\n');
    assert.match(texts, /budgets\.turnTokenz .*did you mean "turnTokens"/);
    assert.match(texts, /reinforcement\.groupSize must be at least 1/);
    for (const { range, message } of found) {
      const named = message.split(/[ :]/)[0]!.split('.').at(-1)!;
      const line = document.lineAt(range.start.line).text;
      assert.ok(line.includes(named) || line.includes('budgets'), `${message} at ${line}`);
    }
  });

  it('is told of each wrong field once, and is offered the field that was meant', async () => {
    const document = await open({
      name: 'wrong',
      data: { train: 'train.jsonl' },
      budgets: { turnTokenz: 3 },
      reinforcement: { steps: 'many', groupSize: 0 },
    });
    await until('problems', () => problems(document).length >= 4);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    const all = vscode.languages.getDiagnostics(document.uri);
    assert.deepEqual(
      all.map(({ source: from }) => from),
      all.map(() => source),
      'VS Code says nothing besides',
    );
    const misspelt = problems(document).find(({ message }) => message.includes('turnTokenz'))!;
    const actions = await vscode.commands.executeCommand<vscode.CodeAction[]>(
      'vscode.executeCodeActionProvider',
      document.uri,
      misspelt.range,
    );
    const fix = actions.find(({ title }) => title === '"turnTokens"');
    assert.ok(fix?.edit && (await vscode.workspace.applyEdit(fix.edit)));
    assert.match(document.getText(), /"turnTokens": 3/);
    await vscode.commands.executeCommand('workbench.action.files.revert');
  });

  it('that cannot be trained is logged once, in one sentence', async () => {
    const logged = async () => {
      const uri = vscode.Uri.from({ scheme: 'retool-log', path: '/ReTool.log' });
      return (await vscode.workspace.openTextDocument(uri)).getText().split('\n');
    };
    const document = await open({ name: 'wrong', data: { train: 'train.jsonl' }, budgets: { turnTokenz: 3 } });
    const before = (await logged()).length;
    const [asked] = await answering(
      'showErrorMessage',
      () => undefined,
      () => vscode.commands.executeCommand('retool.startTraining'),
    );
    assert.match(asked ?? '', /budgets\.turnTokenz .*did you mean "turnTokens"/, 'of the active editor');
    await until('the log', async () => (await logged()).length > before);
    const lines = (await logged()).slice(before - 1).filter(Boolean);
    assert.equal(lines.length, 1, lines.join('\n'));
    assert.match(lines[0]!, /\[error\] .*turnTokenz/);
    assert.equal(document.isDirty, false);
  });

  it('is told rules between fields, and data files that are missing', async () => {
    const crossed = await open({
      name: 'wrong',
      data: { train: 'train.jsonl' },
      budgets: { trajectoryTokens: 500 },
      reinforcement: { steps: 5 },
    });
    const [rule] = await until('a rule', () => (problems(crossed).length > 0 ? problems(crossed) : undefined));
    assert.match(rule!.message, /budgets\.trajectoryTokens is 500, more than service\.context/);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    const missing = await open({ name: 'wrong', data: { train: 'nowhere.jsonl' }, reinforcement: { steps: 5 } });
    const [file] = await until('the missing file', () => {
      const found = problems(missing).filter(({ message }) => message.includes('nowhere'));
      return found.length > 0 ? found : undefined;
    });
    assert.match(file!.message, /data\.train: The file nowhere\.jsonl does not exist/);
  });

  it('that is right has no problems, and buttons to start it, to check its data sets and to plan a run', async () => {
    const uri = vscode.Uri.file(join(workspaceFolder(), 'examples/arithmetic.retool.json'));
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document);
    await new Promise((resolve) => setTimeout(resolve, 800));
    assert.deepEqual(problems(document), []);
    const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>('vscode.executeCodeLensProvider', uri);
    assert.deepEqual(
      lenses.map(({ command }) => command?.command),
      ['retool.startTraining', 'retool.checkDataSets', 'retool.planRun'],
    );
  });
});
