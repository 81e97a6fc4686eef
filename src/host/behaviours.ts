import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import * as vscode from 'vscode';
import type { RunStore } from '../journal/runStore';
import { DisposableStore } from '../lib/lifecycle';
import type { BehaviourTask } from '../run/behaviourThread';
import type { FromBehaviour, ToBehaviour } from '../schema/behaviour';
import type { RunState } from '../schema/runState';
import type { RolloutPlace } from '../schema/trajectory';
import type { Log } from './log';
import { reinforcementPoints } from './model/runProgress';
import { placeText } from './model/treeRow';
import { onDemand } from './onDemand';
import { pickPlace, placeOf, placesOf } from './placePicker';
import { chooseInTurn } from './quickPick';
import type { RunPicker } from './runPicker';
import type { Strings } from './strings';
import { showTrajectory } from './trajectoryOpener';
import { WebviewChannel } from './webviewChannel';
import { furnish } from './webviewPage';

const viewType = 'retool.behaviour';

interface Parts {
  readonly store: RunStore;
  readonly picker: RunPicker;
  readonly strings: Strings;
  readonly extension: vscode.Uri;
  readonly log: Log;
  /** Resolves when the store has the runs that are on the disk. */
  readonly settled: () => Promise<void>;
}

/** How a model uses its interpreter, of a run over its steps, of a step or of an evaluation: at most one page of each. */
export class Behaviours extends DisposableStore implements vscode.WebviewPanelSerializer {
  private readonly parts: Parts;
  private readonly open = new Map<string, { readonly panel: vscode.WebviewPanel; readonly runId: string }>();

  constructor(parts: Parts) {
    super();
    this.parts = parts;
    this.add(vscode.window.registerWebviewPanelSerializer(viewType, this));
  }

  /** @param subject a node of a step, an evaluation or a run, a run's id, or nothing. */
  async show(subject: unknown): Promise<void> {
    const { picker, strings, settled } = this.parts;
    await settled();
    const { pickSource: title, none } = strings.behaviour;
    const { run, place } = await chooseInTurn(async (choose) => {
      const fits = (candidate: RunState) => placesOf(candidate).length > 0;
      const run = await picker.pick(subject, { title: strings.trajectory.pickRun, none, fits }, choose);
      const overSteps = reinforcementPoints(run).length > 0;
      const place =
        placeOf(subject) ?? (overSteps ? undefined : await pickPlace(run, { title, none }, strings, choose));
      return { run, place };
    });
    const known = this.open.get(keyOf(run.id, place));
    if (known) return known.panel.reveal(undefined, false);
    this.bind(vscode.window.createWebviewPanel(viewType, '', vscode.ViewColumn.Active, {}), run.id, place);
  }

  /** The run whose behaviour a person looks at. */
  current(): string | undefined {
    return [...this.open.values()].find(({ panel }) => panel.active)?.runId;
  }

  close(runId: string): void {
    for (const one of [...this.open.values()]) if (one.runId === runId) one.panel.dispose();
  }

  async deserializeWebviewPanel(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const { BehaviourState } = await onDemand.behaviourMessages();
    const parsed = BehaviourState.safeParse(state);
    if (!parsed.success) return panel.dispose();
    await this.parts.settled();
    this.bind(panel, parsed.data.runId, parsed.data.place);
  }

  private bind(panel: vscode.WebviewPanel, runId: string, place: RolloutPlace | undefined): void {
    const { store, strings, extension, log } = this.parts;
    const owned = new DisposableStore();
    const key = keyOf(runId, place);
    this.open.set(key, { panel, runId });
    const name = store.get(runId)?.name ?? runId;
    panel.title = strings.behaviour.title(place ? `${name} · ${placeText(place, strings)}` : name);
    let reading: Worker | undefined;
    const stop = () => {
      void reading?.terminate();
      reading = undefined;
    };
    const channel = owned.add(
      new WebviewChannel<FromBehaviour, ToBehaviour>(
        panel.webview,
        async (message) => (await onDemand.behaviourMessages()).FromBehaviour.parse(message),
        (message) => {
          if (message.type === 'ready') {
            stop();
            reading = this.read(runId, place, (out) => channel.send(out));
          } else if (message.type === 'cancel') {
            stop();
            channel.send({ type: 'ended', cancelled: true });
          } else if (message.type === 'problem') log.error(`behaviour: ${message.message}`);
          else this.look(message, runId).catch((error: unknown) => this.told(error));
        },
        (error) => log.warn(`behaviour: ${error}`),
      ),
    );
    furnish(panel, extension, {
      icon: 'graph',
      name: 'behaviour',
      styles: ['dashboard.css', 'behaviour.css'],
      data: {
        strings: { ...strings.dashboard, behaviour: strings.behaviour.page },
        measures: strings.behaviour.measures,
        panel: { runId, ...(place && { place }), title: panel.title },
      },
    });
    panel.onDidDispose(() => {
      if (this.open.get(key)?.panel === panel) this.open.delete(key);
      stop();
      owned.dispose();
    });
  }

  /** Code of a model is read in a thread: it may take long, and ends when it is told to. */
  private read(
    runId: string,
    place: RolloutPlace | undefined,
    send: (message: ToBehaviour) => void,
  ): Worker | undefined {
    const { store, strings, extension, log } = this.parts;
    const run = store.get(runId);
    if (!run) {
      send({ type: 'failed', message: strings.errors.runGone });
      return undefined;
    }
    const task: BehaviourTask = { folder: run.folder, place, none: strings.behaviour.none };
    const worker = new Worker(join(extension.fsPath, 'dist', 'behaviourThread.js'), { workerData: task });
    worker.on('message', send);
    worker.on('error', (error) => {
      log.error(`behaviour: ${error}`);
      send({ type: 'failed', message: strings.behaviour.broken });
    });
    return worker;
  }

  private async look(message: Extract<FromBehaviour, { type: 'open' | 'openPlace' }>, runId: string): Promise<void> {
    const { place } = message;
    if (message.type === 'openPlace') await vscode.commands.executeCommand('retool.openTrajectory', { runId, place });
    else await showTrajectory({ runId, place, problemId: message.problemId, branch: message.branch });
  }

  private told(error: unknown): void {
    const { log, strings } = this.parts;
    const message = error instanceof Error ? error.message : String(error);
    log.error(`behaviour: ${message}`);
    void vscode.window.showErrorMessage(strings.errors.prefix(message));
  }
}

const keyOf = (runId: string, place: RolloutPlace | undefined) => JSON.stringify([runId, place ?? null]);
