import * as vscode from 'vscode';

/** Puts `text` in the place of all that a document holds; it can be undone. */
export async function replaceText(document: vscode.TextDocument, text: string): Promise<void> {
  const edit = new vscode.WorkspaceEdit();
  const whole = new vscode.Range(document.positionAt(0), document.positionAt(document.getText().length));
  edit.replace(document.uri, whole, text);
  await vscode.workspace.applyEdit(edit);
}
