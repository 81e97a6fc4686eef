import * as vscode from 'vscode';
import type { RunStore } from '../journal/runStore';
import { type Disposable, DisposableStore } from '../lib/lifecycle';
import type { Log } from './log';
import type { RunPicker } from './runPicker';
import type { Strings } from './strings';

export interface PageParts {
  readonly store: RunStore;
  readonly picker: RunPicker;
  readonly strings: Strings;
  readonly extension: vscode.Uri;
  readonly log: Log;
  /** Resolves when the store has the runs that are on the disk. */
  readonly settled: () => Promise<void>;
}

/** Pages of one kind: at most one for each thing that is looked at. */
export abstract class Pages<Subject, Content extends Disposable> extends DisposableStore {
  protected readonly parts: PageParts;
  private readonly name: string;
  private readonly open = new Map<
    string,
    { readonly panel: vscode.WebviewPanel; readonly subject: Subject; readonly content: Content }
  >();

  /** @param name of the pages in the log, and in `retool.<name>`, the type of their panels. */
  constructor(name: string, parts: PageParts) {
    super();
    this.name = name;
    this.parts = parts;
    const deserializeWebviewPanel = async (panel: vscode.WebviewPanel, state: unknown) => {
      const subject = await this.restored(state);
      if (subject === undefined) return panel.dispose();
      await parts.settled();
      this.bind(panel, subject);
    };
    this.add(vscode.window.registerWebviewPanelSerializer(this.viewType, { deserializeWebviewPanel }));
  }

  private get viewType(): string {
    return `retool.${this.name}`;
  }

  /** What a page that VS Code kept over a reload is about; undefined where it does not say. */
  protected abstract restored(state: unknown): Promise<Subject | undefined>;
  /** The same for the same thing. */
  protected abstract keyOf(subject: Subject): string;
  protected abstract runOf(subject: Subject): string | undefined;
  /** Makes a panel the page of a thing. */
  protected abstract fill(panel: vscode.WebviewPanel, subject: Subject): Content;

  /** Brings the page of a thing to the front. @returns its content where it was open already. */
  protected reveal(subject: Subject): Content | undefined {
    const known = this.open.get(this.keyOf(subject));
    if (known) known.panel.reveal(undefined, false);
    else this.bind(vscode.window.createWebviewPanel(this.viewType, '', vscode.ViewColumn.Active, {}), subject);
    return known?.content;
  }

  /** The run that a person looks at here. */
  current(): string | undefined {
    const active = [...this.open.values()].find(({ panel }) => panel.active);
    return active && this.runOf(active.subject);
  }

  close(runId: string): void {
    for (const { panel, subject } of [...this.open.values()]) if (this.runOf(subject) === runId) panel.dispose();
  }

  /** Tells a person of what a page has asked for and did not get. */
  protected told(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    this.parts.log.error(`${this.name}: ${message}`);
    void vscode.window.showErrorMessage(this.parts.strings.errors.prefix(message));
  }

  private bind(panel: vscode.WebviewPanel, subject: Subject): void {
    const key = this.keyOf(subject);
    const content = this.fill(panel, subject);
    this.open.set(key, { panel, subject, content });
    panel.onDidDispose(() => {
      if (this.open.get(key)?.panel === panel) this.open.delete(key);
      content.dispose();
    });
  }
}
