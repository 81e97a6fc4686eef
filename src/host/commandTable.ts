import * as vscode from 'vscode';
import type { Behaviours } from './behaviours';
import type { CommandTable } from './commands';
import type { Comparisons } from './comparisons';
import type { Dashboards } from './dashboards';
import type { Evaluations } from './evaluations';
import { pickExperiment, saveBeforeStart } from './experimentPicker';
import type { ExperimentReports } from './experimentReports';
import type { HubFetcher } from './hubFetcher';
import { importResults } from './importResults';
import type { Laboratories } from './laboratories';
import type { Log } from './log';
import { newExperiment } from './newExperiment';
import type { Notifier } from './notify';
import { compareWithPreset } from './presetFiles';
import { deleteRun, openFrozenExperiment, revealRunFolder } from './runFiles';
import type { RunPicker } from './runPicker';
import type { RunsTree } from './runsTree';
import { createEnvironment } from './sandboxEnvironment';
import type { SandboxView } from './sandboxView';
import type { ServiceKeys } from './serviceKeys';
import type { Strings } from './strings';
import type { TrainingController } from './trainingController';
import type { TrajectoryOpener } from './trajectoryOpener';
import { askForUnknown } from './unknownValues';
import type { WorkspaceRuns } from './workspaceRuns';

interface Parts {
  readonly training: TrainingController;
  readonly evaluations: Evaluations;
  readonly dashboards: Dashboards;
  readonly laboratories: Laboratories;
  readonly behaviours: Behaviours;
  readonly comparisons: Comparisons;
  readonly dataReports: ExperimentReports;
  readonly planReports: ExperimentReports;
  readonly hubs: HubFetcher;
  readonly opener: TrajectoryOpener;
  readonly picker: RunPicker;
  readonly runs: WorkspaceRuns;
  readonly tree: RunsTree;
  readonly notifier: Notifier;
  /** Of the product. */
  readonly version: string;
  readonly strings: Strings;
  readonly log: Log;
  readonly extension: vscode.Uri;
  readonly sandbox: SandboxView;
  readonly serviceKeys: ServiceKeys;
  /** Folder of the extension, for all workspaces. */
  readonly storage: vscode.Uri;
}

/** What every command does, in a line or two; the work is elsewhere. */
export function createCommandTable(parts: Parts): CommandTable {
  const {
    training,
    evaluations,
    dashboards,
    laboratories,
    behaviours,
    comparisons,
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
    storage,
  } = parts;
  const words = strings.training;
  const anyRun = (subject: unknown, title = words.pickRun) => picker.pick(subject, { title, none: words.noRun });
  return {
    'retool.startTraining': async (subject) => {
      const experiment = await pickExperiment(subject, strings);
      await askForUnknown(experiment, strings);
      await saveBeforeStart(experiment, strings);
      return training.start(experiment);
    },
    'retool.stopTraining': async (subject) =>
      training.stop(
        await picker.pick(subject, {
          title: words.pickRunToStop,
          none: words.noneRunning,
          fits: ({ id }) => training.isOwn(id),
        }),
      ),
    'retool.resumeTraining': async (subject) =>
      training.resume(
        await picker.pick(subject, {
          title: words.pickRunToResume,
          none: words.noneResumable,
          fits: ({ status }) => status !== 'running' && status !== 'completed',
        }),
      ),
    'retool.probeSandbox': async () => {
      const found = sandbox.check();
      await vscode.commands.executeCommand('retool.sandbox.focus');
      vscode.window.setStatusBarMessage(await found, 8000);
    },
    'retool.createSandboxEnvironment': async () => {
      const python = await createEnvironment(storage, strings);
      sandbox.refresh();
      return python;
    },
    'retool.setServiceKey': (address) => serviceKeys.set(address),
    'retool.newExperiment': () => newExperiment(extension, strings),
    'retool.compareWithPreset': async (subject) =>
      compareWithPreset(await pickExperiment(subject, strings, strings.preset.pickExperiment), strings),
    'retool.checkDataSets': async (subject) =>
      dataReports.open(await pickExperiment(subject, strings, strings.data.pickExperiment)),
    'retool.planRun': async (subject) =>
      planReports.open(await pickExperiment(subject, strings, strings.plan.pickExperiment)),
    'retool.importEvaluations': async (subject) => {
      const ids = await importResults(subject, { version, notifier, strings });
      await evaluations.refresh();
      return ids;
    },
    'retool.setHubToken': () => hubs.setToken(),
    'retool.openDashboard': async (subject) => dashboards.open((await anyRun(subject)).id),
    'retool.openTrajectory': (subject) => opener.open(subject),
    'retool.openLaboratory': (subject) => laboratories.compare(subject),
    'retool.evaluateCheckpoint': (subject) => evaluations.evaluate(subject),
    'retool.evaluateAll': (subject) => evaluations.evaluateAll(subject),
    'retool.stopEvaluation': (subject) => evaluations.stop(subject),
    'retool.stopAllEvaluations': () => evaluations.stopAll(),
    'retool.resumeEvaluation': (subject) => evaluations.goOn(subject),
    'retool.deleteEvaluation': (subject) => evaluations.remove(subject),
    'retool.revealEvaluation': (subject) => evaluations.reveal(subject),
    'retool.showBehaviour': (subject) => behaviours.show(subject),
    'retool.compareEvaluations': (subject) => comparisons.compare(subject),
    'retool.openExperiment': async (subject) => {
      if (subject instanceof vscode.Uri) await vscode.window.showTextDocument(subject);
      else await openFrozenExperiment(await anyRun(subject));
    },
    'retool.revealRunFolder': async (subject) => revealRunFolder(await anyRun(subject)),
    'retool.deleteRun': async (subject) => {
      const run = await anyRun(subject, words.pickRunToDelete);
      await deleteRun(run, strings, () => evaluations.leave(run.id));
      dashboards.close(run.id);
      laboratories.close(run.id);
      behaviours.close(run.id);
      comparisons.close(run.id);
      await runs.refresh();
    },
    'retool.copyCode': async (code) => {
      await vscode.env.clipboard.writeText(String(code ?? ''));
      vscode.window.setStatusBarMessage(strings.trajectory.copied, 2000);
    },
    'retool.refresh': async () => {
      await runs.refresh();
      await evaluations.refresh();
      tree.refresh();
    },
    'retool.showLog': () => log.show(),
  };
}
