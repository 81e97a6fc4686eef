import { join } from 'node:path';
import * as vscode from 'vscode';
import { registerCommands } from './host/commands';
import { createCommandTable } from './host/commandTable';
import { Comparisons } from './host/comparisons';
import { Dashboards } from './host/dashboards';
import { registerDataProblems } from './host/dataProblems';
import { createDataReports, createPlanReports } from './host/experimentReports';
import { registerExperimentSupport } from './host/experimentSupport';
import { Laboratories } from './host/laboratories';
import { Log } from './host/log';
import { Notifier } from './host/notify';
import { registerPlanProblems } from './host/planProblems';
import { PresetFiles, presetScheme } from './host/presetFiles';
import { registerRunDecorations } from './host/runDecorations';
import { RunPicker } from './host/runPicker';
import { RunsTree } from './host/runsTree';
import { SandboxView } from './host/sandboxView';
import { createStatusBar } from './host/statusBar';
import { createStrings } from './host/strings';
import { TrainingController } from './host/trainingController';
import { registerTrajectoryDecorations } from './host/trajectoryDecorations';
import { runOfDocument, TrajectoryFiles, trajectoryScheme } from './host/trajectoryFiles';
import { registerTrajectoryLanguage } from './host/trajectoryLanguage';
import { TrajectoryOpener } from './host/trajectoryOpener';
import { followRuns } from './host/viewState';
import { WorkspaceRuns } from './host/workspaceRuns';
import { RunStore } from './journal/runStore';
import { DisposableStore } from './lib/lifecycle';
import type { RunControl } from './run/runControl';

/** What tests may hold on to. */
export interface ExtensionApi {
  readonly store: RunStore;
  readonly statusText: () => string | undefined;
  readonly settled: () => Promise<void>;
  /** What `activate` took, loading not included. */
  readonly activationMilliseconds: number;
}

export function activate(context: vscode.ExtensionContext): ExtensionApi {
  const began = performance.now();
  const owned = new DisposableStore();
  context.subscriptions.push(owned);
  const extension = context.extensionUri;
  const strings = createStrings(vscode.l10n.t);
  const log = owned.add(new Log(context.logUri, strings));
  log.info(`ReTool ${context.extension.packageJSON.version}, VS Code ${vscode.version}`);
  const notifier = new Notifier(log, strings);

  const store = owned.add(new RunStore());
  const runs = owned.add(new WorkspaceRuns(store));
  const picker: RunPicker = new RunPicker(
    store,
    strings,
    () =>
      dashboards.current() ??
      laboratories.current() ??
      comparisons.current() ??
      runOfDocument(vscode.window.activeTextEditor?.document.uri),
  );

  const training = owned.add(
    new TrainingController({
      control: once(() => loadRuns(context, owned)),
      store,
      notifier,
      strings,
      log,
      memory: context.workspaceState,
      openDashboard: (runId) => dashboards.open(runId),
    }),
  );
  const dashboards = owned.add(
    new Dashboards({
      store,
      strings,
      extension,
      log,
      isOwn: (runId) => training.isOwn(runId),
      settled: () => runs.settled(),
    }),
  );

  const tree = owned.add(new RunsTree(store, strings));
  const view = owned.add(
    vscode.window.createTreeView('retool.runs', { treeDataProvider: tree, showCollapseAll: true }),
  );
  owned.add(registerRunDecorations(store, strings));
  owned.add(followRuns(store, view));
  const sandbox = owned.add(new SandboxView(strings));
  owned.add(vscode.window.createTreeView('retool.sandbox', { treeDataProvider: sandbox }));
  owned.add(vscode.workspace.onDidGrantWorkspaceTrust(() => sandbox.refresh()));
  const status = owned.add(createStatusBar(store, strings));

  const trajectories = new TrajectoryFiles(store, strings, () => runs.settled());
  owned.add(
    vscode.workspace.registerFileSystemProvider(trajectoryScheme, trajectories, {
      isReadonly: true,
      isCaseSensitive: true,
    }),
  );
  owned.add(registerTrajectoryLanguage(trajectories, strings));
  owned.add(registerTrajectoryDecorations(trajectories, extension));
  owned.add(registerExperimentSupport(strings));
  owned.add(registerDataProblems(strings));
  owned.add(registerPlanProblems(strings));
  const [dataReports, planReports] = [createDataReports(strings), createPlanReports(strings)];
  for (const reports of [dataReports, planReports]) {
    owned.add(vscode.workspace.registerFileSystemProvider(reports.scheme, reports, { isReadonly: true }));
  }

  owned.add(vscode.workspace.registerFileSystemProvider(presetScheme, new PresetFiles(), { isReadonly: true }));

  void runs.settled().then(() => training.tellOfInterrupted());

  const opener = new TrajectoryOpener(picker, strings);
  const laboratories: Laboratories = owned.add(
    new Laboratories({ store, picker, strings, extension, log, settled: () => runs.settled() }),
  );
  const comparisons: Comparisons = owned.add(
    new Comparisons({ store, picker, strings, extension, log, settled: () => runs.settled() }),
  );
  const table = createCommandTable({
    training,
    dashboards,
    laboratories,
    comparisons,
    dataReports,
    planReports,
    opener,
    picker,
    runs,
    tree,
    strings,
    log,
    extension,
    sandbox,
    storage: context.globalStorageUri,
  });
  owned.add(registerCommands(table, notifier, strings));
  const activationMilliseconds = performance.now() - began;
  return { store, statusText: status.text, settled: () => runs.settled(), activationMilliseconds };
}

/** Brings in what trains, when the first run is started: a window that only reads never pays for it. */
async function loadRuns(context: vscode.ExtensionContext, owned: DisposableStore): Promise<RunControl> {
  const { Runs } = await import('./run/runs');
  const trainerScript = join(context.extensionPath, 'dist', 'trainer.js');
  return owned.add(new Runs({ trainerScript, version: String(context.extension.packageJSON.version) }));
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
