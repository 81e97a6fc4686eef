import type * as vscode from 'vscode';
import type * as z from 'zod';
import type { Disposable } from '../lib/lifecycle';

/** A typed line to one webview. What comes back is checked, for a page may lie; what goes out is ours. */
export class WebviewChannel<From, To> implements Disposable {
  private readonly webview: vscode.Webview;
  private readonly subscription: vscode.Disposable;

  constructor(
    webview: vscode.Webview,
    schema: z.ZodType<From>,
    receive: (message: From) => void,
    refuse: (error: z.ZodError) => void,
  ) {
    this.webview = webview;
    this.subscription = webview.onDidReceiveMessage((message: unknown) => {
      const parsed = schema.safeParse(message);
      if (parsed.success) receive(parsed.data);
      else refuse(parsed.error);
    });
  }

  send(message: To): void {
    void this.webview.postMessage(message);
  }

  dispose(): void {
    this.subscription.dispose();
  }
}
