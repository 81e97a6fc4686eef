import { dirname } from 'node:path';
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
  private model: ComparisonModel | undefined;

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
    const broken: RetoolError[] = [];
    const onBroken = (fault: RetoolError) => broken.push(fault);
    try {
      const { comparableEvaluations } = await onDemand.comparison();
      if ('runId' in this.source) {
        const run = store.get(this.source.runId);
        if (!run) throw new RetoolError('run', strings.errors.runGone);
        this.ended = await comparableEvaluations({ run }, onBroken);
      } else {
        this.ended = await comparableEvaluations(this.source, onBroken);
      }
      if (this.ended.length === 0 && broken[0]) throw broken[0];
      await this.show();
      for (const { message } of broken) {
        log.warn(message);
        void vscode.window.showWarningMessage(message);
      }
    } catch (error) {
      this.fail(error);
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
      this.panel.title = title(this.model.dataset);
      this.channel.send({ type: 'compared', model: this.model, canEvaluate: 'runId' in this.source });
    } catch (error) {
      this.fail(error);
    }
  }

  /** The trajectory that is wanted; else those of the problem, or of the evaluation, to choose from. */
  private async open({ evaluation: id, problem, wants }: Opening): Promise<void> {
    const { store, strings } = this.parts;
    const evaluation = this.ended.find((each) => each.id === id);
    if (!evaluation) return;
    const home = dirname(dirname(evaluation.file));
    const own = 'runId' in this.source ? store.get(this.source.runId) : undefined;
    const run = own?.folder === home ? own : store.get(store.shelfAt(home) ?? '');
    if (!run) throw new RetoolError('run', strings.comparison.elsewhere);
    const place = { evaluation: id };
    if (problem === undefined) {
      await vscode.commands.executeCommand('retool.openTrajectory', { runId: run.id, place });
      return;
    }
    const { readRolloutsAt } = await onDemand.rollouts();
    const rows = (await readRolloutsAt(run.folder, place)).filter(({ problemId }) => problemId === problem);
    const wanted = wants && rows.find(({ verdict }) => (verdict === 'correct') === (wants === 'correct'));
    if (wanted) return showTrajectory({ runId: run.id, place, problemId: problem, branch: wanted.branch });
    const [node] = problemsOf('', run.id, place, rows);
    await vscode.commands.executeCommand('retool.openTrajectory', node);
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
