import type * as vscode from 'vscode';
import type { Disposable } from '../lib/lifecycle';

/** A typed line to one webview. What comes back is checked, for a page may lie; what goes out is ours. */
export class WebviewChannel<From, To> implements Disposable {
  private readonly webview: vscode.Webview;
  private readonly subscription: vscode.Disposable;

  constructor(
    webview: vscode.Webview,
    read: (message: unknown) => Promise<From>,
    receive: (message: From) => void,
    refuse: (error: unknown) => void,
  ) {
    this.webview = webview;
    this.subscription = webview.onDidReceiveMessage((message: unknown) => {
      read(message).then(receive).catch(refuse);
    });
  }

  send(message: To): void {
    void this.webview.postMessage(message);
  }

  dispose(): void {
    this.subscription.dispose();
  }
}
