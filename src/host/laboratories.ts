import * as vscode from 'vscode';
import type { RunStore } from '../journal/runStore';
import { RetoolError } from '../lib/errors';
import { DisposableStore } from '../lib/lifecycle';
import type { FromLaboratory, ToLaboratory, TrajectorySource } from '../schema/laboratory';
import type { RunState } from '../schema/runState';
import type { Log } from './log';
import { laboratoryPage, type Placed, placed, toCsv, toJsonl } from './model/laboratoryRows';
import { reinforcementPoints } from './model/runProgress';
import { stepNode } from './model/treeNode';
import { treeRow } from './model/treeRow';
import { onDemand } from './onDemand';
import { dismissed, type RunPicker } from './runPicker';
import type { Strings } from './strings';
import { placeOf, showTrajectory } from './trajectoryOpener';
import { WebviewChannel } from './webviewChannel';
import { webviewHtml } from './webviewHtml';

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
  private readonly panels = new Map<string, vscode.WebviewPanel>();

  constructor(parts: Parts) {
    super();
    this.parts = parts;
    this.add(vscode.window.registerWebviewPanelSerializer(viewType, this));
  }

  /** @param subject a node of a step, an evaluation or a run, a run's id, or nothing. */
  async open(subject: unknown): Promise<void> {
    const { picker, strings, settled } = this.parts;
    await settled();
    const run = await picker.pick(subject, {
      title: strings.trajectory.pickRun,
      none: strings.laboratory.none,
      fits: (candidate) => sourcesOf(candidate).length > 0,
    });
    const source = placeOf(subject ?? {}) ?? (await this.pickSource(run));
    const known = this.panels.get(keyOf(run.id, source));
    if (known) return known.reveal(undefined, false);
    this.bind(vscode.window.createWebviewPanel(viewType, '', vscode.ViewColumn.Active, {}), run.id, source);
  }

  async deserializeWebviewPanel(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const { LaboratoryState } = await onDemand.laboratoryMessages();
    const parsed = LaboratoryState.safeParse(state);
    if (!parsed.success) return panel.dispose();
    await this.parts.settled();
    this.bind(panel, parsed.data.runId, parsed.data.source);
  }

  private async pickSource(run: RunState): Promise<TrajectorySource> {
    const { strings } = this.parts;
    const sources = sourcesOf(run);
    if (sources.length === 0) throw new RetoolError('run', strings.laboratory.none);
    const items = sources.map((source) => {
      const { label, description = '', icon } = rowOf(run, source, strings);
      return { source, label, description, ...(icon && { iconPath: new vscode.ThemeIcon(icon) }) };
    });
    const chosen = await vscode.window.showQuickPick(items, { title: strings.laboratory.pickSource });
    if (!chosen) throw dismissed();
    return chosen.source;
  }

  private bind(panel: vscode.WebviewPanel, runId: string, source: TrajectorySource): void {
    const { store, strings, extension, log } = this.parts;
    const owned = new DisposableStore();
    const key = keyOf(runId, source);
    this.panels.set(key, panel);
    const run = store.get(runId);
    const icon = (theme: string) => vscode.Uri.joinPath(extension, 'media', `scale.${theme}.svg`);
    panel.iconPath = { light: icon('light'), dark: icon('dark') };
    panel.title = strings.laboratory.title(run?.name ?? runId, run ? rowOf(run, source, strings).label : '');
    panel.webview.options = {
      enableScripts: true,
      localResourceRoots: ['dist', 'media'].map((path) => vscode.Uri.joinPath(extension, path)),
    };
    let graded: Promise<readonly Placed[]> | undefined;
    const channel = owned.add(
      new WebviewChannel<FromLaboratory, ToLaboratory>(
        panel.webview,
        async (message) => (await onDemand.laboratoryMessages()).FromLaboratory.parse(message),
        (message) => {
          if (message.type === 'ready') graded = this.grade(runId, source, panel.title, (out) => channel.send(out));
          else if (message.type === 'problem') log.error(`laboratory: ${message.message}`);
          else void graded?.then((rows) => this.act(message, runId, source, rows)).catch((error) => this.told(error));
        },
        (error) => log.warn(`laboratory: ${error}`),
      ),
    );
    panel.webview.html = webviewHtml(panel.webview, extension, {
      name: 'laboratory',
      styles: ['dashboard.css', 'laboratory.css'],
      data: { strings: strings.laboratory.page, panel: { runId, source } },
    });
    panel.onDidDispose(() => {
      if (this.panels.get(key) === panel) this.panels.delete(key);
      owned.dispose();
    });
  }

  /** @returns the rows that the page shows; none where they cannot be read. */
  private async grade(
    runId: string,
    source: TrajectorySource,
    title: string,
    send: (message: ToLaboratory) => void,
  ): Promise<readonly Placed[]> {
    const { store, strings, log } = this.parts;
    try {
      const run = store.get(runId);
      if (!run) throw new RetoolError('run', strings.errors.runGone);
      const { compareRules } = await onDemand.laboratory();
      const found = await compareRules(run.folder, source);
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
    source: TrajectorySource,
    rows: readonly Placed[],
  ): Promise<void> {
    if (message.type === 'open') {
      const row = rows[message.row];
      if (!row) return;
      const { problemId, branch } = row.trajectory;
      return showTrajectory({ runId, place: source, problemId, branch });
    }
    const { strings } = this.parts;
    const name = `${runId}-${'step' in source ? `step-${source.step}` : source.evaluation}-rules.${message.format}`;
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

const keyOf = (runId: string, source: TrajectorySource) => JSON.stringify([runId, source]);

/** Evaluations that have ended, then steps, newest first. */
function sourcesOf(run: RunState): TrajectorySource[] {
  const evaluations = Object.entries(run.evaluations).filter(([, { result }]) => result);
  const steps = reinforcementPoints(run).map(({ step }) => ({ step }));
  return [...evaluations.map(([evaluation]) => ({ evaluation })), ...steps.reverse()];
}

const rowOf = (run: RunState, source: TrajectorySource, strings: Strings) =>
  treeRow(
    'step' in source
      ? stepNode(run.id, source.step)
      : { kind: 'evaluation', key: '', runId: run.id, id: source.evaluation },
    run,
    strings,
  );
