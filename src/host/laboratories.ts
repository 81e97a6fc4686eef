import * as vscode from 'vscode';
import type { RunStore } from '../journal/runStore';
import { RetoolError } from '../lib/errors';
import { DisposableStore } from '../lib/lifecycle';
import type { FromLaboratory, ToLaboratory } from '../schema/laboratory';
import type { RunState } from '../schema/runState';
import type { RolloutPlace } from '../schema/trajectory';
import type { Log } from './log';
import { laboratoryPage, type Placed, placed, toCsv, toJsonl } from './model/laboratoryRows';
import { placeText } from './model/treeRow';
import { onDemand } from './onDemand';
import { pickPlace, placeOf, placesOf } from './placePicker';
import { chooseInTurn } from './quickPick';
import type { RunPicker } from './runPicker';
import type { Strings } from './strings';
import { showTrajectory } from './trajectoryOpener';
import { WebviewChannel } from './webviewChannel';
import { furnish } from './webviewPage';

const viewType = 'retool.laboratory';

interface Parts {
  readonly store: RunStore;
  readonly picker: RunPicker;
  readonly strings: Strings;
  readonly extension: vscode.Uri;
  readonly log: Log;
  /** Resolves when the store has the runs that are on the disk. */
  readonly settled: () => Promise<void>;
}

/** Tables of the same trajectories under every reward rule: at most one for a step or an evaluation. */
export class Laboratories extends DisposableStore implements vscode.WebviewPanelSerializer {
  private readonly parts: Parts;
  private readonly open = new Map<string, { readonly panel: vscode.WebviewPanel; readonly runId: string }>();

  constructor(parts: Parts) {
    super();
    this.parts = parts;
    this.add(vscode.window.registerWebviewPanelSerializer(viewType, this));
  }

  /** @param subject a node of a step, an evaluation or a run, a run's id, or nothing. */
  async compare(subject: unknown): Promise<void> {
    const { picker, strings, settled } = this.parts;
    await settled();
    const { pickSource: title, none } = strings.laboratory;
    const { run, place } = await chooseInTurn(async (choose) => {
      const fits = (candidate: RunState) => placesOf(candidate).length > 0;
      const run = await picker.pick(subject, { title: strings.trajectory.pickRun, none, fits }, choose);
      return { run, place: placeOf(subject) ?? (await pickPlace(run, { title, none }, strings, choose)) };
    });
    const known = this.open.get(keyOf(run.id, place));
    if (known) return known.panel.reveal(undefined, false);
    this.bind(vscode.window.createWebviewPanel(viewType, '', vscode.ViewColumn.Active, {}), run.id, place);
  }

  /** The run whose trajectories a person compares. */
  current(): string | undefined {
    return [...this.open.values()].find(({ panel }) => panel.active)?.runId;
  }

  close(runId: string): void {
    for (const one of [...this.open.values()]) if (one.runId === runId) one.panel.dispose();
  }

  async deserializeWebviewPanel(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const { LaboratoryState } = await onDemand.laboratoryMessages();
    const parsed = LaboratoryState.safeParse(state);
    if (!parsed.success) return panel.dispose();
    await this.parts.settled();
    this.bind(panel, parsed.data.runId, parsed.data.place);
  }

  private bind(panel: vscode.WebviewPanel, runId: string, place: RolloutPlace): void {
    const { store, strings, extension, log } = this.parts;
    const owned = new DisposableStore();
    const key = keyOf(runId, place);
    this.open.set(key, { panel, runId });
    const run = store.get(runId);
    panel.title = strings.laboratory.title(run?.name ?? runId, placeText(place, strings));
    let graded: Promise<readonly Placed[]> | undefined;
    const channel = owned.add(
      new WebviewChannel<FromLaboratory, ToLaboratory>(
        panel.webview,
        async (message) => (await onDemand.laboratoryMessages()).FromLaboratory.parse(message),
        (message) => {
          if (message.type === 'ready') graded = this.grade(runId, place, panel.title, (out) => channel.send(out));
          else if (message.type === 'problem') log.error(`laboratory: ${message.message}`);
          else void graded?.then((rows) => this.act(message, runId, place, rows)).catch((error) => this.told(error));
        },
        (error) => log.warn(`laboratory: ${error}`),
      ),
    );
    furnish(panel, extension, {
      icon: 'scale',
      name: 'laboratory',
      styles: ['dashboard.css', 'laboratory.css'],
      data: { strings: strings.laboratory.page, panel: { runId, place } },
    });
    panel.onDidDispose(() => {
      if (this.open.get(key)?.panel === panel) this.open.delete(key);
      owned.dispose();
    });
  }

  /** @returns the rows that the page shows; none where they cannot be read. */
  private async grade(
    runId: string,
    place: RolloutPlace,
    title: string,
    send: (message: ToLaboratory) => void,
  ): Promise<readonly Placed[]> {
    const { store, strings, log } = this.parts;
    try {
      const run = store.get(runId);
      if (!run) throw new RetoolError('run', strings.errors.runGone);
      const { compareRules } = await onDemand.laboratory();
      const found = await compareRules(run.folder, place);
      const rows = placed(found);
      if (rows.length === 0) throw new RetoolError('run', strings.laboratory.none);
      send(laboratoryPage(title, found, rows, strings));
      return rows;
    } catch (error) {
      const known = RetoolError.from('run', strings.laboratory.none, error);
      log.warn(`laboratory: ${known.message}`);
      send({ type: 'failed', message: [known.message, known.hint].filter(Boolean).join(' ') });
      return [];
    }
  }

  private async act(
    message: Extract<FromLaboratory, { type: 'open' | 'export' }>,
    runId: string,
    place: RolloutPlace,
    rows: readonly Placed[],
  ): Promise<void> {
    if (message.type === 'open') {
      const row = rows[message.row];
      if (!row) return;
      const { problemId, branch } = row.trajectory;
      return showTrajectory({ runId, place, problemId, branch });
    }
    const { strings } = this.parts;
    const name = `${runId}-${'step' in place ? `step-${place.step}` : place.evaluation}-rules.${message.format}`;
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    const file = await vscode.window.showSaveDialog({
      title: strings.laboratory.exportTitle,
      filters: message.format === 'csv' ? { CSV: ['csv'] } : { 'JSON Lines': ['jsonl'] },
      ...(folder && { defaultUri: vscode.Uri.joinPath(folder.uri, name) }),
    });
    if (!file) return;
    const text = message.format === 'csv' ? toCsv(rows) : toJsonl(rows);
    await vscode.workspace.fs.writeFile(file, new TextEncoder().encode(text));
    vscode.window.setStatusBarMessage(strings.laboratory.exported(vscode.workspace.asRelativePath(file)), 4000);
  }

  private told(error: unknown): void {
    const { log, strings } = this.parts;
    const message = error instanceof Error ? error.message : String(error);
    log.error(`laboratory: ${message}`);
    void vscode.window.showErrorMessage(strings.errors.prefix(message));
  }
}

const keyOf = (runId: string, place: RolloutPlace) => JSON.stringify([runId, place]);
