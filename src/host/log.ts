import { stat } from 'node:fs/promises';
import * as vscode from 'vscode';
import { DisposableStore } from '../lib/lifecycle';
import type { Strings } from './strings';

const channelName = 'ReTool';
const scheme = 'retool-log';
const kept = 2000;

type Level = 'info' | 'warn' | 'error';

/**
 * What the extension says of its work. VS Code writes it to a file and shows that file; where its native logger is
 * missing, as in a code-server that was installed without install scripts, it writes nothing and shows an empty page.
 * So the last lines are kept here too, and shown where VS Code has none.
 */
export class Log extends DisposableStore {
  private readonly channel: vscode.LogOutputChannel;
  private readonly file: string;
  private readonly strings: Strings['log'];
  private readonly lines: string[] = [];
  private readonly changes = this.add(new vscode.EventEmitter<vscode.Uri>());
  private readonly uri = vscode.Uri.from({ scheme, path: `/${channelName}.log` });

  /** @param folder where VS Code keeps the logs of this extension. */
  constructor(folder: vscode.Uri, strings: Strings) {
    super();
    this.strings = strings.log;
    this.channel = this.add(vscode.window.createOutputChannel(channelName, { log: true }));
    this.file = vscode.Uri.joinPath(folder, `${channelName}.log`).fsPath;
    this.add(
      vscode.workspace.registerTextDocumentContentProvider(scheme, {
        onDidChange: this.changes.event,
        provideTextDocumentContent: () => [this.strings.noFile, '', ...this.lines, ''].join('\n'),
      }),
    );
  }

  info(message: string): void {
    this.write('info', message);
  }

  warn(message: string): void {
    this.write('warn', message);
  }

  error(message: string): void {
    this.write('error', message);
  }

  async show(): Promise<void> {
    const written = await stat(this.file).catch(() => undefined);
    if (written && written.size > 0) this.channel.show();
    else await vscode.window.showTextDocument(this.uri, { preview: false });
  }

  private write(level: Level, message: string): void {
    this.channel[level](message);
    this.lines.push(`${new Date().toISOString()} [${level}] ${message}`);
    if (this.lines.length > kept) this.lines.shift();
    this.changes.fire(this.uri);
  }
}
