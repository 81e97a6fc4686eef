import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { ComparisonChoice, ComparisonSource } from '../schema/comparison';
import { ComparisonPanel } from './comparisonPanel';
import { onDemand } from './onDemand';
import { type PageParts, Pages } from './pages';
import { placeOf } from './placePicker';
import { furnish } from './webviewPage';

interface Shown {
  readonly source: ComparisonSource;
  readonly choice: ComparisonChoice;
  /** The evaluation that was asked for: its data set is shown. */
  readonly evaluation?: string | undefined;
}

/** Evaluations beside each other: of a run, or of a folder of imported ones. */
export class Comparisons extends Pages<Shown, ComparisonPanel> {
  constructor(parts: PageParts) {
    super('comparison', parts);
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
    await this.reveal({ source, choice: {}, evaluation })?.refresh(evaluation);
  }

  protected override async restored(state: unknown): Promise<Shown | undefined> {
    const { ComparisonState } = await onDemand.comparisonMessages();
    return ComparisonState.safeParse(state).data;
  }

  protected override keyOf({ source }: Shown): string {
    return JSON.stringify(source);
  }

  protected override runOf({ source }: Shown): string | undefined {
    return 'runId' in source ? source.runId : undefined;
  }

  /** Where there is no run, what was imported into a folder that is open. */
  private async sourceOf(subject: unknown): Promise<ComparisonSource> {
    const { folder, runId } = (subject ?? {}) as { readonly folder?: unknown; readonly runId?: unknown };
    if (typeof folder === 'string') return { folder };
    const { store, picker, strings } = this.parts;
    const shelf = typeof runId === 'string' && store.isShelf(runId) ? store.get(runId) : undefined;
    if (shelf) return { folder: join(shelf.folder, 'evaluations') };
    if (store.ids().length === 0) {
      for (const { uri } of vscode.workspace.workspaceFolders ?? []) {
        const imported = join(uri.fsPath, '.retool', 'evaluations');
        if (await isFolder(imported)) return { folder: imported };
      }
    }
    const words = strings.comparison;
    return { runId: (await picker.pick(subject, { title: words.pickRun, none: words.none })).id };
  }

  protected override fill(panel: vscode.WebviewPanel, { source, choice, evaluation }: Shown): ComparisonPanel {
    const { strings, extension } = this.parts;
    panel.title = strings.tree.evaluations;
    const content = new ComparisonPanel(panel, source, { ...this.parts, choice, evaluation });
    furnish(panel, extension, {
      icon: 'table',
      name: 'comparison',
      styles: ['dashboard.css', 'comparison.css'],
      data: { strings: strings.comparison.page, panel: { source } },
    });
    return content;
  }
}

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
