import * as vscode from 'vscode';
import { findExperiments } from './experimentPicker';
import { dismissed } from './quickPick';
import type { Strings } from './strings';

/** Each key is kept for one address: an experiment that names another is not sent it. */
const secretOf = (url: string): string => `retool.serviceKey ${url.replace(/\/+$/, '')}`;

const isAddress = (text: string): boolean => /^https?:\/\/[^/?#@\s]+(\/[^?#@\s]*)?$/.test(text.trim());

/** Keys of trainers that run already, in the secret storage of VS Code. */
export class ServiceKeys {
  private readonly secrets: vscode.SecretStorage;
  private readonly strings: Strings;

  constructor(secrets: vscode.SecretStorage, strings: Strings) {
    this.secrets = secrets;
    this.strings = strings;
  }

  readonly keyOf = async (url: string): Promise<string | undefined> => this.secrets.get(secretOf(url));

  /** Asks for an address and its key. An empty key forgets what was kept. @param known the address that is offered. */
  async set(known: unknown): Promise<void> {
    const words = this.strings.serviceKey;
    const url = await vscode.window.showInputBox({
      title: words.title,
      prompt: words.askAddress,
      value: typeof known === 'string' && isAddress(known) ? known : ((await firstAddress()) ?? 'http://127.0.0.1:'),
      ignoreFocusOut: true,
      validateInput: (text) => (isAddress(text) ? undefined : words.badAddress),
    });
    if (url === undefined) throw dismissed();
    const key = await vscode.window.showInputBox({
      title: words.title,
      prompt: words.askKey(url.trim()),
      password: true,
      ignoreFocusOut: true,
    });
    if (key === undefined) throw dismissed();
    if (key.trim() === '') await this.secrets.delete(secretOf(url.trim()));
    else await this.secrets.store(secretOf(url.trim()), key.trim());
    vscode.window.setStatusBarMessage(key.trim() === '' ? words.forgotten : words.kept, 4000);
  }
}

/** That of an experiment of the workspace, as the text has it. */
async function firstAddress(): Promise<string | undefined> {
  for (const uri of await findExperiments()) {
    const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
    const url = /"url"\s*:\s*"([^"]+)"/.exec(text)?.[1];
    if (url !== undefined && isAddress(url)) return url;
  }
  return undefined;
}
