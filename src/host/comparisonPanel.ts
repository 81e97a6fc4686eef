import { dirname, join, sep } from 'node:path';
import * as vscode from 'vscode';
import type { RunStore } from '../journal/runStore';
import { RetoolError } from '../lib/errors';
import { DisposableStore } from '../lib/lifecycle';
import type { EndedEvaluation } from '../run/runEvaluations';
import type {
  ComparisonChoice,
  ComparisonModel,
  ComparisonSource,
  FromComparison,
  ToComparison,
} from '../schema/comparison';
import { copyMarkdown, exportComparison, savePicture } from './comparisonExport';
import type { Log } from './log';
import type { TrajectoryAddress } from './model/trajectoryPath';
import { problemsOf } from './model/treeNode';
import { onDemand } from './onDemand';
import type { Strings } from './strings';
import { showTrajectory } from './trajectoryOpener';
import { WebviewChannel } from './webviewChannel';

interface Parts {
  readonly store: RunStore;
  readonly strings: Strings;
  readonly log: Log;
  readonly choice: ComparisonChoice;
  /** Id of the evaluation that was asked for: its data set is shown. */
  readonly evaluation: string | undefined;
}

type Opening = Extract<FromComparison, { type: 'open' }>;

/** What one view of a comparison is sent, and what it asks for. */
export class ComparisonPanel extends DisposableStore {
  private readonly panel: vscode.WebviewPanel;
  private readonly source: ComparisonSource;
  private readonly parts: Parts;
  private readonly channel: WebviewChannel<FromComparison, ToComparison>;
  private choice: ComparisonChoice;
  private evaluation: string | undefined;
  private ended: readonly EndedEvaluation[] = [];
  private broken: readonly string[] = [];
  private model: ComparisonModel | undefined;
  /** What was there when the evaluations were last read, and how often they were. */
  private seen = '';
  private readings = 0;

  constructor(panel: vscode.WebviewPanel, source: ComparisonSource, parts: Parts) {
    super();
    this.panel = panel;
    this.source = source;
    this.parts = parts;
    this.choice = parts.choice;
    this.evaluation = parts.evaluation;
    this.channel = this.add(
      new WebviewChannel<FromComparison, ToComparison>(
        panel.webview,
        async (message) => (await onDemand.comparisonMessages()).FromComparison.parse(message),
        (message) => void this.receive(message).catch((error) => this.told(error)),
        (error) => parts.log.warn(`comparison: ${error}`),
      ),
    );
    this.add(
      parts.store.onDidChange(() => {
        if (this.readings > 0 && this.seen !== this.endedNow()) void this.read();
      }),
    );
  }

  /** Which evaluations have ended, as the views of runs know it: another text, and there are others. */
  private endedNow(): string {
    const { store } = this.parts;
    const run = 'runId' in this.source ? store.get(this.source.runId) : undefined;
    const shelf = store.shelfAt(
      'folder' in this.source ? dirname(this.source.folder) : join(run?.folder ?? '', '../..'),
    );
    const states = [run, shelf === undefined ? undefined : store.get(shelf)];
    const asked = states.map((state) =>
      state?.asked.flatMap(({ id, status, result }) => (status === 'done' ? [id, result] : [])),
    );
    return JSON.stringify([asked, Object.entries(run?.evaluations ?? {}).filter(([, { result }]) => result)]);
  }

  /** Reads the evaluations anew: another may have ended. @param evaluation whose data set is to be shown. */
  async refresh(evaluation?: string): Promise<void> {
    this.evaluation = evaluation;
    await this.read();
  }

  private async receive(message: FromComparison): Promise<void> {
    const { strings, log } = this.parts;
    switch (message.type) {
      case 'ready':
        this.choice = { ...message.choice, ...this.choice };
        return this.read();
      case 'choose':
        this.choice = message.choice;
        return this.show();
      case 'open':
        return this.open(message);
      case 'evaluate':
        await vscode.commands.executeCommand(evaluateCommand, this.source);
        return;
      case 'copy':
        return this.model && copyMarkdown(this.model, message.hidden, strings);
      case 'export': {
        const figure = this.model && (await exportComparison(this.model, message.hidden, strings));
        if (figure) this.channel.send({ type: 'draw', figure, hidden: message.hidden });
        return;
      }
      case 'picture':
        return this.model && savePicture(this.model, message, strings);
      case 'problem':
        log.error(`comparison: ${message.message}`);
    }
  }

  private async read(): Promise<void> {
    const { store, strings, log } = this.parts;
    const reading = ++this.readings;
    this.seen = this.endedNow();
    const broken: RetoolError[] = [];
    const onBroken = (fault: RetoolError) => broken.push(fault);
    try {
      const { comparableEvaluations } = await onDemand.comparison();
      const run = 'runId' in this.source ? store.get(this.source.runId) : undefined;
      if ('runId' in this.source && !run) throw new RetoolError('run', strings.errors.runGone);
      const ended = await comparableEvaluations(run ? { run } : (this.source as { folder: string }), onBroken);
      // A later reading knows more.
      if (reading !== this.readings) return;
      this.ended = ended;
      this.broken = broken.map(({ message }) => withoutFolder(message));
      for (const sentence of this.broken) log.warn(`comparison: ${sentence}`);
      if (ended.length === 0 && broken[0]) throw broken[0];
      await this.show();
    } catch (error) {
      if (reading === this.readings) this.fail(error);
    }
  }

  private async show(): Promise<void> {
    const { strings } = this.parts;
    try {
      const { none, noneImported, page, title } = strings.comparison;
      if (this.ended.length === 0) throw new RetoolError('run', 'runId' in this.source ? none : noneImported);
      const asked = this.ended.find(({ id }) => id === this.evaluation)?.protocol.dataset.name;
      this.evaluation = undefined;
      if (asked !== undefined && asked !== this.choice.dataset) this.choice = { dataset: asked };
      const { comparisonModel } = await onDemand.comparison();
      const known = this.ended.some(({ protocol }) => protocol.dataset.name === this.choice.dataset);
      this.model = comparisonModel(this.ended, known ? this.choice : {}, page);
      // What is looked at stays, whatever ends meanwhile.
      this.choice = { ...this.choice, dataset: this.model.dataset, baseline: this.model.baseline };
      this.panel.title = title(this.model.dataset);
      const canEvaluate = 'runId' in this.source;
      this.channel.send({ type: 'compared', model: this.model, canEvaluate, broken: this.broken });
    } catch (error) {
      this.fail(error);
    }
  }

  /** The trajectory that is wanted, with the baseline's beside it; else those of the problem, or of the evaluation, to choose from. */
  private async open({ evaluation, problem, wants }: Opening): Promise<void> {
    if (problem === undefined) {
      const found = this.placeOf(evaluation);
      if (found)
        await vscode.commands.executeCommand('retool.openTrajectory', { runId: found.run.id, place: found.place });
      return;
    }
    const wanted = wants && (await this.trajectoryOf(evaluation, problem, wants));
    if (wanted) {
      const before = this.model && (await this.trajectoryOf(this.model.baseline, problem, opposite[wants]));
      await showTrajectory(wanted);
      if (before) await showTrajectory(before, true);
      return;
    }
    const { node } = (await this.rowsOf(evaluation, problem)) ?? {};
    if (node) await vscode.commands.executeCommand('retool.openTrajectory', node);
  }

  private async trajectoryOf(
    evaluation: string,
    problemId: string,
    wants: Verdict,
  ): Promise<TrajectoryAddress | undefined> {
    const found = await this.rowsOf(evaluation, problemId);
    const row = found?.rows.find(({ verdict }) => (verdict === 'correct') === (wants === 'correct'));
    return row && { runId: found!.runId, place: found!.place, problemId, branch: row.branch };
  }

  private async rowsOf(evaluation: string, problem: string) {
    const found = this.placeOf(evaluation);
    if (!found) return undefined;
    const { run, place } = found;
    const { readRolloutsAt } = await onDemand.rollouts();
    const rows = (await readRolloutsAt(run.folder, place)).filter(({ problemId }) => problemId === problem);
    return { runId: run.id, place, rows, node: problemsOf('', run.id, place, rows)[0] };
  }

  /** @throws RetoolError `run` where its run is in no folder that is open. */
  private placeOf(id: string) {
    const { store, strings } = this.parts;
    const evaluation = this.ended.find((each) => each.id === id);
    if (!evaluation) return undefined;
    const home = dirname(dirname(evaluation.file));
    const own = 'runId' in this.source ? store.get(this.source.runId) : undefined;
    const run = own?.folder === home ? own : store.get(store.shelfAt(home) ?? '');
    if (!run) throw new RetoolError('run', strings.comparison.elsewhere);
    return { run, place: { evaluation: id } };
  }

  private fail(error: unknown): void {
    const { log, strings } = this.parts;
    const known = RetoolError.from('run', strings.comparison.none, error);
    log.warn(`comparison: ${known.message}`);
    this.channel.send({ type: 'failed', message: [known.message, known.hint].filter(Boolean).join(' ') });
  }

  private told(error: unknown): void {
    const { log, strings } = this.parts;
    const message = error instanceof Error ? error.message : String(error);
    log.error(`comparison: ${message}`);
    void vscode.window.showErrorMessage(strings.errors.prefix(message));
  }
}

const evaluateCommand = 'retool.evaluateCheckpoint';

type Verdict = NonNullable<Opening['wants']>;
const opposite = { correct: 'incorrect', incorrect: 'correct' } as const satisfies Record<Verdict, Verdict>;

/** Paths in a sentence as the explorer shows them. */
const withoutFolder = (sentence: string): string =>
  (vscode.workspace.workspaceFolders ?? []).reduce(
    (text, { uri }) => text.replaceAll(`${uri.fsPath}${sep}`, ''),
    sentence,
  );
