import * as vscode from 'vscode';
import { onDemand } from './onDemand';
import type { Strings } from './strings';

/** Beside each value that a preset has otherwise: what the preset has, and where that comes from. */
export const presetHints = ({ preset: words }: Strings): vscode.InlayHintsProvider => ({
  async provideInlayHints(document) {
    return (await differencesIn(document)).flatMap(({ end, preset, why }) => {
      if (end === undefined || preset === undefined) return [];
      const value = preset === null ? words.unknown : JSON.stringify(preset);
      const hint = new vscode.InlayHint(document.positionAt(end), words.hint(value));
      hint.paddingLeft = true;
      hint.tooltip = why;
      return [hint];
    });
  },
});

/** What a document has otherwise than its preset; nothing where it names none. */
export async function differencesIn(document: vscode.TextDocument) {
  const text = document.getText();
  const { presetNameIn, differencesFrom, presets } = await onDemand.presets();
  const name = presetNameIn(text);
  return presets.some((preset) => preset.name === name) ? differencesFrom(name!, text) : [];
}
