import { comparisonWords } from '../schema/comparisonWords';
import { dataSentences } from '../schema/dataWords';
import { planSentences } from '../schema/planWords';
import type { RewardRuleName } from '../schema/reward';
import { levelPromises } from '../schema/sandboxLevels';
import { evaluationStrings } from './evaluationStrings';
import { behaviourMeasures, behaviourWords, dashboardWords, laboratoryWords, type Translate } from './pageWords';
import { trajectoryStrings } from './trajectoryStrings';

/** Every sentence and word that a person reads, but for those of the manifest. */
export const createStrings = (t: Translate) => ({
  status: {
    running: t('Running'),
    completed: t('Finished'),
    stopped: t('Stopped'),
    failed: t('Failed'),
    interrupted: t('Interrupted'),
  },
  runTab: (name: string, start: string) => t('Run: {0} · {1}', name, start),
  phase: { coldStart: t('Cold start'), reinforcement: t('Reinforcement') },

  progress: {
    evaluating: (done: string, all: string) => t('evaluating {0} of {1}', done, all),
    left: (duration: string) => t('{0} left', duration),
    aboutLeft: (duration: string) => t('about {0} left', duration),
    stopping: t('stopping after saving…'),
    silent: (since: string) => t('the training service has not answered since {0}; waiting for it', since),
    resuming: t('resuming…'),
  },

  tree: {
    dashboard: t('Dashboard'),
    experiment: t('Experiment'),
    checkpoints: t('Checkpoints'),
    evaluations: t('Evaluations'),
    steps: t('Steps'),
    before: t('Before reinforcement'),
    after: t('After reinforcement'),
    step: (step: number) => t('Step {0}', step),
    stepOf: (step: number, total: number) => t('step {0} of {1}', step, total),
    started: (when: string) => t('started {0}', when),
    branch: (branch: number) => t('branch {0}', branch),
    correctOf: (right: number, all: number) => t('{0} of {1} correct', right, all),
    verdicts: { correct: t('Correct'), incorrect: t('Incorrect'), unknown: t('Not understood') },
    coldStep: (step: number) => t('Cold start {0}', step),
    steps50: (from: number, to: number) => t('Steps {0}–{1}', from, to),
    correctShare: (share: string) => t('{0} correct', share),
    problemsAndSamples: (problems: string, samples: string) => t('{0} problems, {1} trajectories', problems, samples),
    rewardOf: (reward: string, step: number) => t('Reward {0}: the mean of step {1}, not smoothed', reward, step),
    noGradient: t('no gradient'),
    noGradientWhy: t('Its rewards are equal, or a filter dropped it: this group teaches nothing.'),
    noAnswer: t('no answer'),
    oneCall: t('1 call'),
    calls: (count: number) => t('{0} calls', count),
    tokens: (count: string) => t('{0} tokens', count),
    oneNotice: t('1 notice'),
    notices: (count: number) => t('{0} notices', count),
    noSteps: t('No steps yet'),
    noRollouts: t('No trajectories are stored for this step.'),
    unfinished: t('not finished'),
    lastSaved: (step: number) => t('last saved step {0}', step),
    nothingSaved: t('nothing saved'),
    skipped: (count: number) => t('{0} lines of the journal could not be read', count),
    saved: (when: string) => t('Saved {0}', when),
    interval: (low: string, high: string) => t('95 % interval {0} to {1}', low, high),
    correct: t('Correct'),
    format: t('Format'),
    tool: t('Tool rate'),
    seed: (seed: number) => t('seed {0}', seed),
    python: (version: string, level: string) => t('Python {0}, isolation: {1}', version, level),
    imported: t('Imported'),
    importedSpoken: (count: number) =>
      count === 1 ? t('Imported, 1 evaluation') : t('Imported, {0} evaluations', count),
    importedWhere: (folder: string) => t('Evaluations that belong to no run here, in {0}', folder),
    badgeRunning: t('Running'),
    badgeFailed: t('Failed'),
  },

  trajectory: trajectoryStrings(t),

  laboratory: {
    title: (run: string, place: string) => t('Reward rules: {0} · {1}', run, place),
    pickSource: t('Choose the trajectories to grade under every rule'),
    none: t('This run has no trajectories yet.'),
    caption: (trajectories: string, disputed: string) =>
      t('{0} trajectories. The rules disagree on {1} of them; those come first.', trajectories, disputed),
    leftOut: (count: string) =>
      t('{0} left out: they failed, were withheld by a filter, are texts alone, or cannot be read.', count),
    shownFirst: (count: string) => t('The first {0} are shown; an export holds all.', count),
    total: (correct: string, all: string, unknown: string, mean: string) =>
      t('{0} of {1} correct, {2} not understood, mean reward {3}', correct, all, unknown, mean),
    exported: (path: string) => t('Exported to {0}.', path),
    exportTitle: t('Export grades'),
    rules: {
      'boxed-rational': t('The last box, compared as a number that is written out.'),
      'last-box-math': t('The last box, compared as mathematics.'),
      'box-300-math': t('PyTRIO: the last box of the last 300 characters, compared as mathematics.'),
      'dapo-strict-box-100-eq': t('verl: the last box of the last 100 characters, compared as strings.'),
      'retool-eval': t('ReTool’s evaluator: the last box, or else the last integer of the last line.'),
      torl: t('ToRL: the last box, compared as mathematics.'),
      'torl-execution-penalty': t('ToRL, less 0.5 where the last execution failed or nothing was executed.'),
      'torl-format': t('ToRL: −0.5 for a wrong answer in a box, −1 without a box.'),
      'verl-retool': t('verl-recipe: the strict box; each call makes a wrong answer cheaper, up to −0.6.'),
      'verl-retool-cap-0': t('verl-recipe, an older copy: the same, up to 0.'),
      'slime-retool': t('slime: the strict box; calls count as turns, up to −0.6.'),
      'dapo-overlong': t('DAPO: the strict box, less a penalty from 16,384 tokens on.'),
      'tinker-format': t('tinker-cookbook: 1 or 0, less 0.1 without a box.'),
    } satisfies Record<RewardRuleName, string>,
    page: laboratoryWords(t),
  },

  behaviour: {
    title: (what: string) => t('Behaviour: {0}', what),
    pickSource: t('Choose the trajectories to look at'),
    none: t('This run has no trajectories yet.'),
    noneAnywhere: t('No run in this window has trajectories yet.'),
    broken: t('The trajectories could not be read; the log says why.'),
    measures: behaviourMeasures(t),
    page: behaviourWords(t),
  },

  comparison: {
    title: (dataset: string) => t('Compare on {0}', dataset),
    pickRun: t('Choose the run whose evaluations to compare'),
    none: t('This run has no evaluation that has ended.'),
    noneImported: t('This folder has no evaluation that has ended.'),
    pickExport: t('Export the comparison'),
    figure: t('Figure: scores, differences, problems'),
    checkpointFigure: t('Figure: average, pass and format by checkpoint'),
    table: t('Table, and each problem'),
    tidyTable: t('A line for each evaluation and problem'),
    copied: t('Copied as Markdown.'),
    exported: (path: string) => t('Exported to {0}.', path),
    elsewhere: t('The file of this evaluation lies outside the folders that are open: its trajectories are not shown.'),
    page: comparisonWords((message) => t(message)),
  },

  training: {
    pickExperiment: t('Choose an experiment to train'),
    noExperiment: t('There is no experiment file (*.retool.json) in this workspace.'),
    noFolder: t('ReTool keeps runs in the folder that is open, and none is.'),
    newExperiment: t('New Experiment'),
    starting: (name: string) => t('Starting {0}…', name),
    resuming: (name: string) => t('Resuming {0}…', name),
    unsaved: (name: string) => t('{0} has unsaved changes. Save it and start?', name),
    saveAndStart: t('Save and Start'),
    windows: t('Training runs on Linux and macOS; on Windows, open this folder in WSL.'),
    windowsHint: t('Install the WSL extension and reopen the folder there.'),
    interrupted: (name: string, start: string) =>
      t('{0} of {1} was ended because its window was closed or reloaded. What it had saved is kept.', name, start),
    another: (name: string, start: string) => t('{0} of {1} is being trained.', name, start),
    anotherDetail: (name: string) =>
      t('Beside it, {0} shares the machine, and both take longer. A run that is stopped is saved first.', name),
    beside: t('Train Beside It'),
    stopFirst: t('Stop It First'),
    stopping: (name: string) => t('Stopping {0} after this step…', name),
    stopAgain: (name: string) => t('{0} is being stopped after this step.', name),
    stopNow: t('Stop Now'),
    stopNowDetail: t('The step that is under way is lost. The run can be resumed from its last checkpoint.'),
    completed: (name: string) => t('{0} has finished.', name),
    completedWith: (name: string, result: string) => t('{0} has finished: {1}.', name, result),
    correctFromTo: (before: string, after: string) => t('correct {0} → {1}', before, after),
    failed: (name: string, why: string) => t('{0} failed: {1}', name, why),
    failedUnknown: t('the reason is in the log'),
    openDashboard: t('Open Dashboard'),
    resume: t('Resume'),
    showLog: t('Show Log'),
    pickRunToStop: t('Choose a run to stop'),
    pickRunToResume: t('Choose a run to resume'),
    pickRunToDelete: t('Choose a run to delete'),
    pickRun: t('Choose a run'),
    noRun: t('There are no runs in this workspace.'),
    noneRunning: t('No run is being trained in this window.'),
    noneResumable: t('No run was stopped or interrupted.'),
    elsewhere: (name: string) => t('{0} is being trained by another process.', name),
    elsewhereHint: t('Stop it where it was started.'),
    alreadyRunning: (name: string) => t('{0} is already running.', name),
  },

  evaluation: evaluationStrings(t),

  deletion: {
    ask: (name: string, start: string) => t('Delete the run {0} of {1}?', name, start),
    look: t('Show Its Folder'),
    detail: t('Its journal, trajectories and checkpoints move to the trash.'),
    detailNoTrash: t('Its journal, trajectories and checkpoints are deleted for good: there is no trash here.'),
    confirm: t('Delete'),
    refuse: (name: string) => t('{0} is running and cannot be deleted.', name),
    refuseHint: t('Stop it first.'),
    failed: (name: string) => t('{0} cannot be deleted', name),
    failedHint: t('Make its folder writable, then delete it again.'),
  },

  experiment: {
    pickExample: t('Choose what to begin with'),
    pickFolder: t('Choose the folder for the experiment'),
    noExamples: t('This build has no examples.'),
    askName: t('Name the experiment'),
    nameBecomes: t('Its file and its runs are called after it.'),
    badName: t('Begin with a letter or digit; then letters, digits, spaces, dots and dashes; at most 80.'),
    nameTaken: (file: string) => t('{0} exists already.', file),
    startTraining: t('Start training'),
    missingFile: (path: string) => t('The file {0} does not exist.', path),
  },

  preset: {
    group: t('Published systems'),
    pickSize: (title: string) => t('How is {0} to run?', title),
    reduced: t('On this machine, reduced'),
    reducedDetail: t('Its rules with the local trainer and arithmetic: minutes, no account.'),
    published: t('As published'),
    publishedDetail: (model: string) =>
      t('With {0}, on a training service. Nothing connects to one yet: to read and compare.', model),
    pickExperiment: t('Choose the experiment to compare with its preset'),
    none: (file: string) => t('{0} names no preset: an experiment that began as one has the field $preset.', file),
    comparison: (preset: string, file: string) => t('{0} (preset) ↔ {1}', preset, file),
    compare: (changes: number) => t('Compare with preset (changed: {0})', changes),
    hint: (value: string) => t('preset: {0}', value),
    unknown: t('not known'),
    askUnknown: (field: string, number: number, of: number) =>
      t('{0} is not published: choose a value ({1} of {2})', field, number, of),
    leaveOut: t('Leave empty to go without it'),
  },

  data: {
    check: t('Check data sets'),
    pickExperiment: t('Choose the experiment whose data sets to check'),
    checking: (name: string) => t('Checking the data sets of {0}', name),
    progress: (field: string, records: string) => t('{0}: {1} records', field, records),
    document: (name: string) => t('{0} data sets', name),
    /** By the sentence of the data set doctor. */
    sentences: Object.fromEntries(dataSentences.map((sentence) => [sentence, t(sentence)])) as Readonly<
      Record<string, string>
    >,
  },

  plan: {
    plan: t('Plan'),
    pickExperiment: t('Choose the experiment to plan a run of'),
    making: (name: string) => t('Planning a run of {0}', name),
    document: (name: string) => t('{0} plan', name),
    /** By the sentence of the plan. */
    sentences: Object.fromEntries(planSentences.map((sentence) => [sentence, t(sentence)])) as Readonly<
      Record<string, string>
    >,
  },

  imports: {
    title: t('Evaluation files to import'),
    pickFolder: t('Choose the folder to import the results into'),
    importing: t('Importing results'),
    done: (added: number, known: number, folder: string) =>
      t(
        'Evaluations imported into {2}: {0}; there already: {1}. They hold the last text of each generation, no turns.',
        added,
        known,
        folder,
      ),
    compare: t('Open Comparison'),
    reveal: t('Reveal File'),
  },

  serviceKey: {
    title: t('Key of the training service'),
    askAddress: t('Address of the trainer, as service.url of an experiment has it'),
    badAddress: t('An address begins with http:// or https:// and holds no password and no query.'),
    askKey: (url: string) => t('Key of {0}. Leave it empty to forget the one that is kept.', url),
    kept: t('The key is kept in the secret storage of VS Code.'),
    forgotten: t('The key is forgotten.'),
  },

  hub: {
    fetching: (name: string) => t('Fetching the files of {0}', name),
    received: (file: string, far: string, unit: string) => t('{0}: {1} {2}', file, far, unit),
    receivedOf: (file: string, far: string, all: string, unit: string) =>
      t('{0}: {1} of {2} {3}', file, far, all, unit),
    bytes: t('bytes'),
    waiting: (host: string, next: number, tries: number) => t('waiting for {0}, try {1} of {2}', host, next, tries),
    fetched: (count: number) =>
      t('Files fetched: {0}. Pin them, so that this experiment always takes these bytes?', count),
    pin: t('Pin'),
    untrusted: (names: string) =>
      t('{0} has not been fetched, and a folder that is not trusted fetches nothing.', names),
    untrustedHint: t('Trust the folder to fetch it.'),
    askToken: (host: string) => t('Token for {0}', host),
    tokenPrompt: t('Kept in the secret storage of VS Code and sent to that hub alone. Empty forgets it.'),
  },

  sandbox: {
    checked: (level: string, state: string) => t('Sandbox: {0} ({1})', level, state),
    boundary: t('in use, a boundary'),
    noBoundary: t('in use, not a boundary'),
    refused: (reason: string) => t('refused: {0}', reason),
    notNeeded: t('not needed'),
    keepsFrom: t('What it guarantees'),
    doesNotKeepFrom: t('What it does not guarantee'),
    python: (version: string) => t('Python {0}', version),
    notInstalled: t('not installed'),
    fails: t('The sandbox cannot be checked'),
    consentAsk: (level: string) =>
      t('Run model-written code at the level "{0}", where nothing keeps it from your files?', level),
    consentRisks: t('This machine offers no better level. What can happen at this one, by code that nobody has read:'),
    consentOnce: t('You are asked once in this workspace.'),
    consent: t('Run It Anyway'),
    creating: t('Creating a Python environment with numpy and sympy…'),
    created: t('numpy and sympy are installed: the next run uses them.'),
    /** By the sentence that the levels are described with. */
    promises: Object.fromEntries(
      Object.values(levelPromises)
        .flatMap(({ guarantees, notGuaranteed }) => [...guarantees, ...notGuaranteed])
        .map((sentence) => [sentence, t(sentence)]),
    ) as Readonly<Record<string, string>>,
  },

  trust: {
    needed: t(
      'Training and evaluating run Python that a model wrote: either needs a trusted folder. Reading runs does not.',
    ),
    neededToImport: t('Importing writes into the folder, so it needs a trusted folder. Reading results does not.'),
    manage: t('Manage Trust'),
  },

  errors: {
    prefix: (message: string) => t('ReTool: {0}', message),
    showLog: t('Show Log'),
    openSettings: t('Open Settings'),
    openExperiment: t('Open Experiment'),
    setServiceKey: t('Set Key'),
    runGone: t('This run is no longer on disk.'),
    notWritten: (path: string) => t('{0} cannot be written: its folder is missing, full or read-only.', path),
  },

  log: {
    noFile: t(
      'This VS Code writes no log files, because its native logger (spdlog) is missing. These are the lines since the window was opened.',
    ),
  },

  statusBar: {
    tooltip: (name: string) => t('{0}: open the dashboard', name),
    name: t('ReTool training'),
  },

  duration: {
    seconds: (value: string) => t('{0} s', value),
    minutes: (minutes: number, seconds: number) => t('{0} m {1} s', minutes, seconds),
    hours: (hours: number, minutes: number) => t('{0} h {1} m', hours, minutes),
    days: (days: number, hours: number) => t('{0} d {1} h', days, hours),
  },

  dashboard: dashboardWords(t),
});
export type Strings = ReturnType<typeof createStrings>;
