import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import * as vscode from 'vscode';
import { DisposableStore } from '../lib/lifecycle';
import type { BehaviourTask } from '../run/behaviourThread';
import type { FromBehaviour, ToBehaviour } from '../schema/behaviour';
import type { RunState } from '../schema/runState';
import type { RolloutPlace } from '../schema/trajectory';
import { reinforcementPoints } from './model/runProgress';
import { placeText } from './model/treeRow';
import { onDemand } from './onDemand';
import { type PageParts, Pages } from './pages';
import { pickPlace, placeOf, placesOf } from './placePicker';
import { chooseInTurn } from './quickPick';
import { showTrajectory } from './trajectoryOpener';
import { WebviewChannel } from './webviewChannel';
import { furnish } from './webviewPage';

interface Source {
  readonly runId: string;
  /** Undefined for a run over its steps. */
  readonly place?: RolloutPlace | undefined;
}

/** How a model uses its interpreter, of a run over its steps, of a step or of an evaluation. */
export class Behaviours extends Pages<Source, DisposableStore> {
  constructor(parts: PageParts) {
    super('behaviour', parts);
  }

  /** @param subject a node of a step, an evaluation or a run, a run's id, or nothing. */
  async show(subject: unknown): Promise<void> {
    const { picker, strings, settled } = this.parts;
    await settled();
    const { pickSource: title, none, noneAnywhere } = strings.behaviour;
    const { run, place } = await chooseInTurn(async (choose) => {
      const fits = (candidate: RunState) => placesOf(candidate).length > 0;
      const run = await picker.pick(subject, { title: strings.trajectory.pickRun, none: noneAnywhere, fits }, choose);
      const overSteps = reinforcementPoints(run).length > 0;
      const place =
        placeOf(subject) ?? (overSteps ? undefined : await pickPlace(run, { title, none }, strings, choose));
      return { run, place };
    });
    this.reveal({ runId: run.id, place });
  }

  protected override async restored(state: unknown): Promise<Source | undefined> {
    const { BehaviourState } = await onDemand.behaviourMessages();
    return BehaviourState.safeParse(state).data;
  }

  protected override keyOf({ runId, place }: Source): string {
    return JSON.stringify([runId, place ?? null]);
  }

  protected override runOf({ runId }: Source): string {
    return runId;
  }

  protected override fill(panel: vscode.WebviewPanel, { runId, place }: Source): DisposableStore {
    const { store, strings, extension, log } = this.parts;
    const owned = new DisposableStore();
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
    owned.add({ dispose: stop });
    return owned;
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
}
