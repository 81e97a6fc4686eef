import { h, on } from './dom';
import { words } from './host';

/** The keys of the page, in a dialog. */
export function keyHelp(): HTMLDialogElement {
  const rows: [string[], string][] = [
    [['←', '→'], words.keyMove],
    [['Home', 'End'], words.keyEnds],
    [['Enter'], words.keyOpen],
    [['Esc'], words.keyEscape],
    [['t'], words.keyTable],
    [['r'], words.keyRaw],
    [['0'], words.keyReset],
    [['?'], words.keyHelp],
    [[words.pointer], words.pointerHelp],
  ];
  const list = rows.flatMap(([keys, text]) => [
    h('dt', {}, ...keys.map((key) => h('kbd', {}, key))),
    h('dd', {}, text),
  ]);
  const close = h('vscode-button', { appearance: 'secondary' }, words.close);
  const dialog = h(
    'dialog',
    { class: 'keys', 'aria-label': words.keys },
    h('h2', {}, words.keys),
    h('dl', {}, ...list),
    close,
  );
  on(close, 'click', () => dialog.close());
  return dialog;
}
