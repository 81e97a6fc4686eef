/// <reference types="mocha" />
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { commands } from '../../src/schema/commands';

const extension = vscode.extensions.getExtension('retool-lab.retool-lab');

describe('the extension', () => {
  it('activates', async () => {
    assert.ok(extension, 'it is not installed');
    await extension.activate();
    assert.ok(extension.isActive);
  });

  it('registers the commands of its manifest, no more and no less', async () => {
    const registered = (await vscode.commands.getCommands(true)).filter((id) =>
      /^retool\.(?!(?:runs|sandbox)\b)/.test(id),
    );
    assert.deepEqual(registered.sort(), Object.keys(commands).sort());
    const declared: { command: string }[] = extension?.packageJSON.contributes.commands;
    assert.deepEqual(declared.map(({ command }) => command).sort(), Object.keys(commands).sort());
  });
});
