import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { RunStore } from '../journal/runStore';
import { DisposableStore } from '../lib/lifecycle';
import type { ComparisonChoice, ComparisonSource } from '../schema/comparison';
import { ComparisonPanel } from './comparisonPanel';
import type { Log } from './log';
import { onDemand } from './onDemand';
import { placeOf } from './placePicker';
import type { RunPicker } from './runPicker';
import type { Strings } from './strings';
import { furnish } from './webviewPage';

const viewType = 'retool.comparison';

interface Parts {
  readonly store: RunStore;
  readonly picker: RunPicker;
  readonly strings: Strings;
  readonly extension: vscode.Uri;
  readonly log: Log;
  /** Resolves when the store has the runs that are on the disk. */
  readonly settled: () => Promise<void>;
}

/** Evaluations beside each other: at most one view for a run, or for a folder of imported ones. */
export class Comparisons extends DisposableStore implements vscode.WebviewPanelSerializer {
  private readonly parts: Parts;
  private readonly open = new Map<
    string,
    { readonly panel: vscode.WebviewPanel; readonly source: ComparisonSource; readonly content: ComparisonPanel }
  >();

  constructor(parts: Parts) {
    super();
    this.parts = parts;
    this.add(vscode.window.registerWebviewPanelSerializer(viewType, this));
  }

  /**
   * @param subject a node of a run, its evaluations or one of them; `{ runId, place }`; `{ folder }` of imported ones; or
   *   nothing.
   */
  async compare(subject: unknown): Promise<void> {
    await this.parts.settled();
    const source = await this.sourceOf(subject);
    const place = placeOf(subject);
    const evaluation = place && 'evaluation' in place ? place.evaluation : undefined;
    const known = this.open.get(keyOf(source));
    if (known) {
      known.panel.reveal(undefined, false);
      return known.content.refresh(evaluation);
    }
    this.bind(vscode.window.createWebviewPanel(viewType, '', vscode.ViewColumn.Active, {}), source, {}, evaluation);
  }

  /** The run whose evaluations a person compares. */
  current(): string | undefined {
    const active = [...this.open.values()].find(({ panel }) => panel.active)?.source;
    return active && 'runId' in active ? active.runId : undefined;
  }

  close(runId: string): void {
    this.open.get(keyOf({ runId }))?.panel.dispose();
  }

  async deserializeWebviewPanel(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const { ComparisonState } = await onDemand.comparisonMessages();
    const parsed = ComparisonState.safeParse(state);
    if (!parsed.success) return panel.dispose();
    await this.parts.settled();
    this.bind(panel, parsed.data.source, parsed.data.choice);
  }

  /** Where there is no run, what was imported into a folder that is open. */
  private async sourceOf(subject: unknown): Promise<ComparisonSource> {
    const { folder } = (subject ?? {}) as { readonly folder?: unknown };
    if (typeof folder === 'string') return { folder };
    const { store, picker, strings } = this.parts;
    if (store.ids().length === 0) {
      for (const { uri } of vscode.workspace.workspaceFolders ?? []) {
        const imported = join(uri.fsPath, '.retool', 'evaluations');
        if (await isFolder(imported)) return { folder: imported };
      }
    }
    const words = strings.comparison;
    return { runId: (await picker.pick(subject, { title: words.pickRun, none: words.none })).id };
  }

  private bind(
    panel: vscode.WebviewPanel,
    source: ComparisonSource,
    choice: ComparisonChoice,
    evaluation?: string,
  ): void {
    const { strings, extension } = this.parts;
    const key = keyOf(source);
    panel.title = strings.tree.evaluations;
    const content = new ComparisonPanel(panel, source, { ...this.parts, choice, evaluation });
    this.open.set(key, { panel, source, content });
    furnish(panel, extension, {
      icon: 'table',
      name: 'comparison',
      styles: ['dashboard.css', 'comparison.css'],
      data: { strings: strings.comparison.page, panel: { source } },
    });
    panel.onDidDispose(() => {
      if (this.open.get(key)?.panel === panel) this.open.delete(key);
      content.dispose();
    });
  }
}

const keyOf = (source: ComparisonSource) => JSON.stringify(source);

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
