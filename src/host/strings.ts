import { dataSentences } from '../schema/dataWords';
import type { RewardRuleName } from '../schema/experiment';
import { planSentences } from '../schema/planWords';
import { levelPromises } from '../schema/sandboxLevels';
import { dashboardWords, laboratoryWords, type Translate } from './pageWords';

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
    verdicts: { correct: t('Correct'), incorrect: t('Incorrect'), unknown: t('Not graded') },
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
    badgeRunning: t('Running'),
    badgeFailed: t('Failed'),
  },

  trajectory: {
    question: t('Question'),
    gold: t('Gold answer'),
    predicted: t('Predicted'),
    reward: t('Reward'),
    advantage: t('Advantage'),
    leftOut: t('Not trained on'),
    leftOutBy: {
      voidTurn: t('a turn has neither call nor box'),
      resampled: t('others of its group were kept'),
    },
    stoppedBy: t('Stopped by'),
    tokens: t('Tokens'),
    length: (all: string, trained: string) => t('{0}, of which {1} are trained on', all, trained),
    none: t('none'),
    turn: (turn: number) => t('Turn {0}', turn),
    sameMessage: t('another call of the same message'),
    turnFacts: (tokens: string, seconds: string, logprob: string) =>
      t('{0} tokens · {1} · mean log-prob {2}', tokens, seconds, logprob),
    lines: (count: number) => t('{0} lines', count),
    oneLine: t('1 line'),
    output: t('Output'),
    notTrainedOn: (tokens: string) => t('{0} tokens, not trained on', tokens),
    told: t('What the model was told'),
    unusual: t('About the call'),
    masked: t('turn not trained on'),
    irregularity: {
      repaired: t('repaired JSON'),
      severalCalls: t('several calls'),
      textAfterCall: t('text after the call'),
      answerWithCall: t('an answer beside the call'),
      extraParameters: t('further parameters'),
      unknownTool: t('unknown tool'),
      unbalanced: t('call without its end'),
      mention: t('a call that is only spoken of'),
      malformed: t('malformed call'),
      beyondBudget: t('call beyond the budget'),
    },
    rawOutput: t('Output before it was cut for the model'),
    nothingPrinted: t('(nothing printed)'),
    waited: (seconds: string) => t('waited {0}', seconds),
    exit: (code: number) => t('exit {0}', code),
    failure: t('Failure'),
    verdict: { correct: t('correct'), incorrect: t('incorrect'), unknown: t('not understood') },
    read: t('Read as'),
    parts: t('Made of'),
    signs: t('Warning signs'),
    flag: {
      severalBoxes: t('several different boxes in the last turn'),
      copiedBox: t('the code printed the box that the answer repeats'),
      unsupported: t('the answer appears nowhere but in its box'),
    },
    compareRules: t('Compare reward rules'),
    status: {
      ok: t('OK'),
      error: t('error'),
      timeout: t('timed out'),
      outputLimit: t('output limit'),
      memoryLimit: t('memory limit'),
      killed: t('killed'),
      infrastructure: t('sandbox failure'),
    },
    stop: {
      answered: t('answer'),
      turnLimit: t('turn limit'),
      callLimit: t('call limit'),
      turnTokens: t('token limit of a turn'),
      trajectoryTokens: t('token limit of the trajectory'),
      malformedCall: t('malformed call'),
      infrastructure: t('infrastructure failure'),
    },
    lensVerdict: (reward: string, verdict: string, predicted: string, gold: string) =>
      t('Reward {0} · {1} · predicted {2} · gold {3}', reward, verdict, predicted, gold),
    openDashboard: t('Open dashboard'),
    copyPython: t('Copy as Python'),
    copied: t('Copied.'),
    pickRun: t('Choose a run'),
    pickPlace: (run: string) => t('{0}: choose a step or an evaluation', run),
    pickTrajectory: (where: string) => t('{0}: choose a branch', where),
    pickProblem: (where: string) => t('{0}: choose a problem', where),
    noSteps: t('This run has no steps with trajectories yet.'),
    gone: t('The run of this trajectory is no longer on disk.'),
  },

  laboratory: {
    title: (run: string, place: string) => t('Reward rules: {0} · {1}', run, place),
    pickSource: t('Choose the trajectories to grade under every rule'),
    none: t('This run has no trajectories yet.'),
    caption: (trajectories: string, disputed: string) =>
      t('{0} trajectories. The rules disagree on {1} of them; those come first.', trajectories, disputed),
    leftOut: (count: string) => t('{0} left out, because sandbox or service failed.', count),
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

  deletion: {
    ask: (name: string, start: string) => t('Delete the run {0} of {1}?', name, start),
    look: t('Show Its Folder'),
    detail: t('Its journal, trajectories and checkpoints move to the trash.'),
    detailNoTrash: t('Its journal, trajectories and checkpoints are deleted for good: there is no trash here.'),
    confirm: t('Delete'),
    refuse: (name: string) => t('{0} is running and cannot be deleted.', name),
    refuseHint: t('Stop it first.'),
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
    compare: (changes: number) =>
      changes === 0
        ? t('Compare with preset: no change')
        : changes === 1
          ? t('Compare with preset: 1 change')
          : t('Compare with preset: {0} changes', changes),
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

  serviceKey: {
    title: t('Key of the training service'),
    askAddress: t('Address of the trainer, as service.url of an experiment has it'),
    badAddress: t('An address begins with http:// or https:// and holds no password and no query.'),
    askKey: (url: string) => t('Key of {0}. Leave it empty to forget the one that is kept.', url),
    kept: t('The key is kept in the secret storage of VS Code.'),
    forgotten: t('The key is forgotten.'),
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
    needed: t('Training runs Python that a model wrote, so it needs a trusted folder. Reading runs does not.'),
    manage: t('Manage Trust'),
  },

  errors: {
    prefix: (message: string) => t('ReTool: {0}', message),
    showLog: t('Show Log'),
    openSettings: t('Open Settings'),
    openExperiment: t('Open Experiment'),
    runGone: t('This run is no longer on disk.'),
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
