import { applyEdits, type JSONPath, modify } from 'jsonc-parser';
import * as vscode from 'vscode';
import { replaceText } from './editDocument';
import { onDemand } from './onDemand';
import { dismissed } from './quickPick';
import type { Strings } from './strings';

/**
 * Asks for every value of an experiment that is null, because nobody has published it, and writes them into the file.
 * Does nothing while anything else is wrong with the file.
 *
 * @throws RetoolError `cancelled`; what was answered before stays in the editor.
 */
export async function askForUnknown(experiment: vscode.Uri, strings: Strings): Promise<void> {
  const { parseExperiment, describeField } = await onDemand.experiments();
  const document = await vscode.workspace.openTextDocument(experiment);
  const { issues } = parseExperiment(document.getText());
  if (issues.length === 0 || !issues.every(({ unknown }) => unknown)) return;
  for (const [index, { path }] of issues.entries()) {
    const field = path.join('.');
    const typed = await vscode.window.showInputBox({
      title: strings.preset.askUnknown(field, index + 1, issues.length),
      prompt: describeField(path),
      placeHolder: strings.preset.leaveOut,
      ignoreFocusOut: true,
      validateInput: (value) => {
        const issue = parseExperiment(withValue(document.getText(), path, value)).issues.find(
          (each) => !each.unknown && each.path.join('.').startsWith(field),
        );
        return issue && `${issue.path.join('.')} ${issue.message}`;
      },
    });
    if (typed === undefined) throw dismissed();
    await replaceText(document, withValue(document.getText(), path, typed));
  }
  await document.save();
}

/** @param typed a JSON value, a text without quotes, or nothing: then the field is left out. */
function withValue(text: string, path: JSONPath, typed: string): string {
  const formattingOptions = { insertSpaces: true, tabSize: 2 };
  return applyEdits(text, modify(text, path, meantBy(typed.trim()), { formattingOptions }));
}

function meantBy(typed: string): unknown {
  if (typed === '') return undefined;
  try {
    return JSON.parse(typed);
  } catch {
    return typed;
  }
}
