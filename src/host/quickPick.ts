import * as vscode from 'vscode';
import { RetoolError } from '../lib/errors';
import { DisposableStore } from '../lib/lifecycle';

/** Asks for one of `items`; Enter takes `first`. @throws RetoolError `cancelled` where the person closed the list: silent. */
export type Choose = <T extends vscode.QuickPickItem>(title: string, items: readonly T[], first?: T) => Promise<T>;

export const dismissed = (): RetoolError => new RetoolError('cancelled', 'dismissed');

const matching = { matchOnDescription: true, matchOnDetail: true };

export const chooseOne: Choose = async (title, items) => {
  const chosen = await vscode.window.showQuickPick(items, { title, ...matching });
  if (!chosen) throw dismissed();
  return chosen;
};

/**
 * For questions that follow each other: one list that stays. Were it closed between two of them, the focus would go
 * back to the editor, and arriving there late it would close the second list.
 */
export async function chooseInTurn<R>(questions: (choose: Choose) => Promise<R>): Promise<R> {
  const owned = new DisposableStore();
  const list = owned.add(Object.assign(vscode.window.createQuickPick(), matching));
  let closed = false;
  owned.add(list.onDidHide(() => (closed = true)));
  try {
    return await questions(async (title, items, first) => {
      if (closed) throw dismissed();
      list.title = title;
      list.value = '';
      list.items = items;
      if (first) list.activeItems = [first];
      list.busy = false;
      list.show();
      await new Promise<void>((resolve, reject) => {
        owned.add(list.onDidAccept(() => list.selectedItems.length > 0 && resolve()));
        owned.add(list.onDidHide(() => reject(dismissed())));
      });
      list.busy = true;
      return list.selectedItems[0] as (typeof items)[number];
    });
  } finally {
    owned.dispose();
  }
}
