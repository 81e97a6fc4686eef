import { join } from 'node:path';
import * as vscode from 'vscode';
import { registerCommands } from './host/commands';
import { createCommandTable } from './host/commandTable';
import { Dashboards } from './host/dashboards';
import { registerDataProblems } from './host/dataProblems';
import type { EvaluationMaker } from './host/evaluationQueue';
import { createEvaluationStatus } from './host/evaluationStatus';
import { Evaluations } from './host/evaluations';
import { createDataReports, createPlanReports } from './host/experimentReports';
import { registerExperimentSupport } from './host/experimentSupport';
import { HubFetcher } from './host/hubFetcher';
import { Laboratories } from './host/laboratories';
import { Log } from './host/log';
import { Notifier } from './host/notify';
import { registerPlanProblems } from './host/planProblems';
import { PresetFiles, presetScheme } from './host/presetFiles';
import { registerRunDecorations } from './host/runDecorations';
import { RunPicker } from './host/runPicker';
import { RunsTree } from './host/runsTree';
import { SandboxView } from './host/sandboxView';
import { ServiceKeys } from './host/serviceKeys';
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
  readonly evaluationText: () => string | undefined;
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
  const version = String(context.extension.packageJSON.version);
  log.info(`ReTool ${version}, VS Code ${vscode.version}`);
  const notifier = new Notifier(log, strings);

  const store = owned.add(new RunStore());
  const runs = owned.add(new WorkspaceRuns(store));
  const picker: RunPicker = new RunPicker(
    store,
    strings,
    () => dashboards.current() ?? laboratories.current() ?? runOfDocument(vscode.window.activeTextEditor?.document.uri),
  );

  const serviceKeys = new ServiceKeys(context.secrets, strings);
  const hubs = new HubFetcher({ secrets: context.secrets, storage: context.globalStorageUri, notifier, strings });
  const training = owned.add(
    new TrainingController({
      control: once(() => loadRuns(context, owned, serviceKeys)),
      store,
      notifier,
      strings,
      log,
      memory: context.workspaceState,
      hubs,
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

  const evaluations = owned.add(
    new Evaluations({
      maker: once(() => loadEvaluations(context, serviceKeys, hubs)),
      isTraining: () => training.isTraining(),
      store,
      picker,
      notifier,
      strings,
      log,
      memory: context.workspaceState,
    }),
  );
  owned.add(training.onDidEnd(() => evaluations.queue.next()));
  const evaluationStatus = owned.add(createEvaluationStatus(evaluations.queue, strings));

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
  const [dataReports, planReports] = [createDataReports(strings, hubs), createPlanReports(strings, hubs)];
  for (const reports of [dataReports, planReports]) {
    owned.add(vscode.workspace.registerFileSystemProvider(reports.scheme, reports, { isReadonly: true }));
  }

  owned.add(vscode.workspace.registerFileSystemProvider(presetScheme, new PresetFiles(), { isReadonly: true }));

  void runs.settled().then(() => training.tellOfInterrupted());

  const opener = new TrajectoryOpener(picker, strings);
  const laboratories: Laboratories = owned.add(
    new Laboratories({ store, picker, strings, extension, log, settled: () => runs.settled() }),
  );
  const table = createCommandTable({
    training,
    evaluations,
    dashboards,
    laboratories,
    dataReports,
    planReports,
    hubs,
    opener,
    picker,
    runs,
    tree,
    notifier,
    version,
    strings,
    log,
    extension,
    sandbox,
    serviceKeys,
    storage: context.globalStorageUri,
  });
  owned.add(registerCommands(table, notifier, strings));
  const activationMilliseconds = performance.now() - began;
  return {
    store,
    statusText: status.text,
    evaluationText: evaluationStatus.text,
    settled: () => runs.settled(),
    activationMilliseconds,
  };
}

/** Brings in what trains, when the first run is started: a window that only reads never pays for it. */
async function loadRuns(
  context: vscode.ExtensionContext,
  owned: DisposableStore,
  { keyOf: serviceKey }: ServiceKeys,
): Promise<RunControl> {
  const { Runs } = await import('./run/runs');
  const trainerScript = join(context.extensionPath, 'dist', 'trainer.js');
  const version = String(context.extension.packageJSON.version);
  return owned.add(new Runs({ trainerScript, version, serviceKey }));
}

/** Brings in what evaluates, with the first evaluation. */
async function loadEvaluations(
  context: vscode.ExtensionContext,
  { keyOf: serviceKey }: ServiceKeys,
  hubs: HubFetcher,
): Promise<EvaluationMaker> {
  const { evaluateCheckpoint } = await import('./run/evaluations');
  const { questionToGoOn, requestEvaluation } = await import('./run/evaluationRequests');
  const trainerScript = join(context.extensionPath, 'dist', 'trainer.js');
  const version = String(context.extension.packageJSON.version);
  return {
    request: async (question) => requestEvaluation(version, { ...question, hub: await hubs.hub() }),
    questionOf: async (run, id) => questionToGoOn(version, run, id, { hub: await hubs.hub() }),
    evaluate: async (options, onProgress) =>
      evaluateCheckpoint({ trainerScript, version, serviceKey }, { ...options, hub: await hubs.hub() }, onProgress),
  };
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
