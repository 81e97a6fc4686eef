import * as vscode from 'vscode';
import type { Disposable } from '../lib/lifecycle';
import { DisposableStore } from '../lib/lifecycle';
import { type CommandId, commands } from '../schema/commands';
import type { Notifier } from './notify';
import type { Strings } from './strings';

/** What each command does. The keys are those of `schema/commands`. */
export type CommandTable = { readonly [Id in CommandId]: (...args: unknown[]) => unknown };

/** Registers the table. An error becomes a toast; a command that needs trust answers instead of running without it. */
export function registerCommands(table: CommandTable, notifier: Notifier, strings: Strings): Disposable {
  const owned = new DisposableStore();
  for (const id of Object.keys(commands) as CommandId[]) {
    owned.add(
      vscode.commands.registerCommand(id, async (...args: unknown[]) => {
        if (commands[id].needsTrust && !vscode.workspace.isTrusted) return offerTrust(notifier, strings, id);
        try {
          return await table[id](...args);
        } catch (error) {
          notifier.error(commands[id].title, error, args[0]);
          return undefined;
        }
      }),
    );
  }
  return owned;
}

function offerTrust(notifier: Notifier, { trust }: Strings, id: CommandId): void {
  notifier.warn(id === 'retool.importEvaluations' ? trust.neededToImport : trust.needed, {
    label: trust.manage,
    act: () => vscode.commands.executeCommand('workbench.trust.manage'),
  });
}
