import * as vscode from 'vscode';
import { selectedInterpreter } from './model/pythonEnvironment';

/** The interpreter for model-written code: the setting, else the Python extension's choice; undefined leaves it to the PATH. */
export async function chosenInterpreter(folder: vscode.Uri | undefined): Promise<string | undefined> {
  const setting = vscode.workspace.getConfiguration('retool', folder).get('sandbox.python', '');
  return setting || selectedInterpreter(vscode.extensions.getExtension('ms-python.python'), folder);
}
