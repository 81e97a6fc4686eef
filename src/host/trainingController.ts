import { basename, dirname } from 'node:path';
import * as vscode from 'vscode';
import type { FetchProgress } from '../hub/hubWait';
import type { RunStore } from '../journal/runStore';
import { RetoolError } from '../lib/errors';
import { type Disposable, Emitter } from '../lib/lifecycle';
import type { ActiveRun, RunControl } from '../run/runControl';
import type { RunState } from '../schema/runState';
import type { HubFetcher } from './hubFetcher';
import type { Log } from './log';
import { startText } from './model/format';
import { resultText } from './model/resultText';
import type { Notifier } from './notify';
import { onDemand } from './onDemand';
import { dismissed } from './quickPick';
import { askForConsent } from './sandboxConsent';
import { chosenInterpreter } from './sandboxSettings';
import type { Strings } from './strings';

interface Parts {
  /** Made when the first run is started, so that opening a window costs nothing. */
  readonly control: () => Promise<RunControl>;
  readonly store: RunStore;
  readonly notifier: Notifier;
  readonly strings: Strings;
  readonly log: Log;
  /** Keeps, over a reload of the window, which runs it was training. */
  readonly memory: vscode.Memento;
  readonly hubs: HubFetcher;
  openDashboard(runId: string): void;
}

const memoryKey = 'runsUnderWay';

/** Starts, stops and resumes the runs of this window, and says how they ended. */
export class TrainingController implements Disposable {
  private readonly parts: Parts;
  private readonly active = new Map<string, ActiveRun>();
  private readonly stopping = new Set<string>();
  private closing = false;
  private readonly ends = new Emitter<void>();
  /** A run of this window ended. */
  readonly onDidEnd = this.ends.event;

  constructor(parts: Parts) {
    this.parts = parts;
  }

  /** The window closes: its runs stay in memory, to be told of when it opens again. */
  dispose(): void {
    this.closing = true;
  }

  /** Says which runs ended because the window was closed or reloaded under them, and offers to go on. */
  tellOfInterrupted(): void {
    const { memory, store, notifier, strings } = this.parts;
    const words = strings.training;
    for (const id of memory.get<string[]>(memoryKey, [])) {
      const run = store.get(id);
      if (run?.status !== 'interrupted' && run?.status !== 'stopped') continue;
      notifier.warn(
        words.interrupted(run.name, startText(run.startedAt)),
        { label: words.resume, act: () => vscode.commands.executeCommand('retool.resumeTraining', id) },
        { label: words.openDashboard, act: () => this.parts.openDashboard(id) },
      );
    }
    void this.remember();
  }

  private async remember(): Promise<void> {
    if (!this.closing) await this.parts.memory.update(memoryKey, [...this.active.keys()]);
  }

  /** True while a run of this window is trained. */
  isTraining(): boolean {
    return this.active.size > 0;
  }

  isOwn(runId: string): boolean {
    return this.active.has(runId);
  }

  async start(experiment: vscode.Uri): Promise<string> {
    const { control, strings } = this.parts;
    refuseWindows(strings);
    const folder = vscode.workspace.getWorkspaceFolder(experiment);
    if (!folder) throw new RetoolError('usage', strings.training.noFolder);
    const { runsFolderOf } = await onDemand.folders();
    const name = basename(experiment.fsPath).replace(/\.retool\.json$/, '');
    const hub = await this.parts.hubs.ensure(experiment);
    await this.makeRoom(name);
    const python = await chosenInterpreter(folder.uri);
    const run = await this.launch(strings.training.starting(name), async (ingest, onProgress) =>
      (await control()).start(
        {
          experiment: experiment.fsPath,
          runs: runsFolderOf(dirname(experiment.fsPath)),
          ...(python && { python }),
          allowUnsafeSandbox: (level) => askForConsent(level, this.parts.memory, strings),
          onProgress,
          hub,
        },
        ingest,
      ),
    );
    if (vscode.workspace.getConfiguration('retool').get('dashboard.openOnStart', true))
      this.parts.openDashboard(run.id);
    return run.id;
  }

  async resume(run: RunState): Promise<void> {
    const { control, strings, store } = this.parts;
    refuseWindows(strings);
    if (run.status === 'running') throw new RetoolError('run', strings.training.alreadyRunning(run.name));
    if (run.pending) return;
    await this.makeRoom(run.name);
    store.setPending(run.id, 'resuming');
    try {
      const hub = await this.parts.hubs.hub();
      await this.launch(strings.training.resuming(run.name), async (ingest, _, onFetch) =>
        (await control()).resume(run.folder, ingest, {
          hub,
          onFetch,
          allowUnsafeSandbox: (level) => askForConsent(level, this.parts.memory, strings),
        }),
      );
    } finally {
      store.setPending(run.id, undefined);
    }
    this.parts.openDashboard(run.id);
  }

  /** The first call ends the run after its step; a second one offers to end it at once. Resolves when it has ended. */
  async stop(run: RunState): Promise<void> {
    const { strings, notifier } = this.parts;
    const active = this.active.get(run.id);
    if (!active) {
      throw new RetoolError('run', strings.training.elsewhere(run.name), { hint: strings.training.elsewhereHint });
    }
    if (this.stopping.has(run.id)) {
      notifier.warn(`${strings.training.stopAgain(run.name)} ${strings.training.stopNowDetail}`, {
        label: strings.training.stopNow,
        act: () => active.abort(),
      });
      return;
    }
    this.stopping.add(run.id);
    this.parts.store.setPending(run.id, 'stopping');
    active.stop();
    await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title: strings.training.stopping(run.name) },
      () => active.done,
    );
  }

  /** Two runs share the machine: where one is running, a person decides. @throws RetoolError `cancelled`. */
  private async makeRoom(name: string): Promise<void> {
    const { store, strings } = this.parts;
    const words = strings.training;
    const running = store
      .ids()
      .flatMap((id) => store.get(id) ?? [])
      .filter(({ status }) => status === 'running');
    const [first] = running;
    if (!first) return;
    const own = running.flatMap(({ id }) => this.active.get(id) ?? []);
    const chosen = await vscode.window.showWarningMessage(
      words.another(first.name, startText(first.startedAt)),
      { modal: true, detail: words.anotherDetail(name) },
      words.beside,
      ...(own.length > 0 ? [words.stopFirst] : []),
    );
    if (chosen === words.beside) return;
    if (chosen !== words.stopFirst) throw dismissed();
    for (const run of own) if (!this.stopping.has(run.id)) void this.stop(store.get(run.id)!);
    await Promise.all(own.map(({ done }) => done));
  }

  private async launch(
    title: string,
    begin: (
      ingest: (record: Parameters<RunStore['ingest']>[2][number]) => void,
      onProgress: (field: string, records: number) => void,
      onFetch: (far: FetchProgress) => void,
    ) => Promise<ActiveRun>,
  ): Promise<ActiveRun> {
    const { store, log, strings } = this.parts;
    let run: ActiveRun | undefined;
    const early: Parameters<RunStore['ingest']>[2][number][] = [];
    run = await vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title }, (progress) =>
      begin(
        (record) => {
          if (run) store.ingest(run.id, run.folder, [record]);
          else early.push(record);
        },
        (field, records) =>
          progress.report({ message: strings.data.progress(field, records.toLocaleString(vscode.env.language)) }),
        (far) => progress.report({ message: this.parts.hubs.progressText(far) }),
      ),
    );
    store.setLive(run.id, true);
    store.ingest(run.id, run.folder, early);
    this.active.set(run.id, run);
    void this.remember();
    log.info(`${run.folder}: under way`);
    void this.follow(run);
    return run;
  }

  private async follow(run: ActiveRun): Promise<void> {
    const { store, notifier, strings, log } = this.parts;
    const outcome = await run.done;
    this.active.delete(run.id);
    this.ends.fire();
    this.stopping.delete(run.id);
    store.setPending(run.id, undefined);
    void this.remember();
    if (outcome !== 'failed') log.info(`${run.folder}: ${outcome}`);
    const state = store.get(run.id);
    const name = state?.name ?? run.id;
    const words = strings.training;
    const dashboard = { label: words.openDashboard, act: () => this.parts.openDashboard(run.id) };
    const result = state && resultText(state, strings);
    if (outcome === 'completed')
      notifier.info(result ? words.completedWith(name, result) : words.completed(name), dashboard);
    if (outcome === 'failed') {
      // Not from the journal: a full disk keeps its own reason out of it.
      const { message, hint } = run.failure ?? {};
      const why = [message, hint].filter(Boolean).join(' ') || words.failedUnknown;
      log.error(`${run.folder}: failed: ${why}`);
      notifier.warn(words.failed(name, why), dashboard, { label: words.showLog, act: () => log.show() });
    }
  }
}

function refuseWindows({ training }: Strings): void {
  if (process.platform === 'win32') throw new RetoolError('usage', training.windows, { hint: training.windowsHint });
}
