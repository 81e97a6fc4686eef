import { dirname, join, resolve } from 'node:path';
import { supports } from '../evaluation/supports';
import { durationText, forecast, runningEvaluation, runSummary, totalSteps } from '../journal/forecast';
import { readRun } from '../journal/readRun';
import { emptyRun, reduce } from '../journal/reduce';
import { runsFolderOf } from '../journal/runFolder';
import { RetoolError } from '../lib/errors';
import type { Disposable } from '../lib/lifecycle';
import { pointsText } from '../lib/texts';
import { sayEnglish } from '../run/dataReportText';
import { planProblemText } from '../run/planReportText';
import type { ActiveRun, Outcome, RunControl } from '../run/runControl';
import type { EvaluationResult, JournalRecord, Phase } from '../schema/journal';
import { mostSteps } from '../schema/learning';
import type { Plan } from '../schema/plan';
import type { RunState } from '../schema/runState';
import { readArguments, wholeNumber } from './arguments';
import { commandHelp } from './help';
import { hubAccess } from './hubAccess';
import { onInterrupt } from './interrupts';
import { runByNpm, shown } from './invocation';
import { exitCode, type Output } from './output';
import { percent } from './percent';
import { readingProgress } from './readingProgress';

const runOptions = {
  json: { type: 'boolean' },
  hub: { type: 'string' },
  'allow-unsafe-sandbox': { type: 'boolean' },
} as const;

export async function trainCommand(args: readonly string[], control: RunControl, output: Output): Promise<number> {
  const { values, positionals } = readArguments(
    commandHelp.train.usage,
    args,
    { least: 1, most: 1 },
    { ...runOptions, 'run-dir': { type: 'string' }, steps: { type: 'string' }, seed: { type: 'string' } },
  );
  const steps = wholeNumber('--steps', values.steps, 0, mostSteps);
  const seed = wholeNumber('--seed', values.seed, 0, 2_147_483_647);
  const runDir = values['run-dir'];
  if (runDir === '') throw new RetoolError('usage', '--run-dir is empty.', { hint: 'Name a new folder.' });
  const follower = new Follower(output);
  const experiment = resolve(positionals[0]!);
  const run = await control.start(
    {
      experiment,
      runs: runsFolderOf(dirname(experiment)),
      ...(runDir === undefined ? {} : { runDir: resolve(runDir) }),
      allowUnsafeSandbox: values['allow-unsafe-sandbox'] === true,
      signal: follower.beginning.signal,
      onProgress: readingProgress(output),
      onPlan: (plan) => warn(plan, output),
      ...hubAccess(values.hub, output),
      overrides: { ...(steps === undefined ? {} : { steps }), ...(seed === undefined ? {} : { seed }) },
    },
    follower.take,
  );
  return follower.follow(run);
}

/** What a person should know of the settings before the run begins. */
function warn({ problems }: Plan, output: Output): void {
  for (const problem of problems.filter(({ level }) => level === 'warning')) {
    const message = planProblemText(problem, sayEnglish);
    output.say(`Warning: ${message}`);
    output.record({ kind: 'warning', field: problem.path.join('.'), message });
  }
}

export async function resumeCommand(args: readonly string[], control: RunControl, output: Output): Promise<number> {
  const { values, positionals } = readArguments(commandHelp.resume.usage, args, { least: 1, most: 1 }, runOptions);
  const folder = resolve(positionals[0]!);
  const follower = new Follower(output, await readRun(folder));
  const options = {
    allowUnsafeSandbox: values['allow-unsafe-sandbox'] === true,
    signal: follower.beginning.signal,
    ...hubAccess(values.hub, output),
  };
  return follower.follow(await control.resume(folder, follower.take, options));
}

/** Shows a run that this process trains, and ends it when the user says so. */
class Follower {
  private readonly output: Output;
  private state: RunState;
  private run: ActiveRun | undefined;
  private readonly interrupts: Disposable;
  /** Aborted when the user ends what comes before the run. */
  readonly beginning = new AbortController();

  constructor(output: Output, state: RunState = emptyRun('run', '')) {
    this.output = output;
    this.state = state;
    this.interrupts = onInterrupt(
      () => this.stop(),
      () => this.abort(),
    );
  }

  readonly take = (record: JournalRecord): void => {
    this.state = reduce(this.state, record);
    this.output.record(record);
    this.show(record);
  };

  async follow(run: ActiveRun): Promise<number> {
    this.state = { ...this.state, folder: run.folder };
    this.run = run;
    if (this.beginning.signal.aborted) run.stop();
    const outcome = await run.done;
    this.interrupts.dispose();
    return this.finish(outcome, run.failure);
  }

  private stop(): void {
    this.output.say('Stopping after this step. Press Ctrl-C again to stop at once.');
    this.beginning.abort(new RetoolError('cancelled', 'Stopped before the run began.'));
    this.run?.stop();
  }

  private abort(): void {
    // Before the run exists there is nothing to save.
    if (!this.run) process.exit(exitCode.interrupted);
    this.run.abort();
  }

  private finish(outcome: Outcome, failure: RetoolError | undefined): number {
    const summary = runSummary(this.state);
    if (outcome === 'failed') {
      const message = failure?.message ?? 'The run failed.';
      const hint = failure?.hint ?? `Go on by 'retool resume ${shown(this.state.folder)}'.`;
      this.output.error(new RetoolError('run', message, { hint }));
      this.output.summary(summary);
      return exitCode.failed;
    }
    for (const line of closingLines(this.state, summary)) this.output.advise(line);
    this.output.summary(summary);
    return outcome === 'completed' ? exitCode.done : exitCode.interrupted;
  }

  private show(record: JournalRecord): void {
    const { output } = this;
    switch (record.kind) {
      case 'started': {
        const { python, service } = record;
        const size = service.parameters === undefined ? '' : `, ${service.parameters.toLocaleString('en')} parameters`;
        output.say(
          `${record.name}, seed ${record.seed}: ${service.kind} trainer${size}${service.url ? ` at ${service.url}` : ''}; Python ${python.version}, sandbox ${python.level}.`,
        );
        return;
      }
      case 'resumed':
        output.say(`Going on after ${record.phase === 'coldStart' ? 'cold start' : 'step'} ${record.step}.`);
        return;
      case 'step': {
        const { step } = record;
        const all = totalSteps(this.state);
        if (step % stepsApart(record.phase, all) === 0 || step === all) output.progress(progressLine(this.state));
        return;
      }
      case 'evaluationStarted':
        output.progress(evaluationLine(this.state));
        return;
      case 'evaluationProgressed':
        if (process.stdout.isTTY || record.done % linesApart(this.state, record.id) === 0)
          output.progress(evaluationLine(this.state));
        return;
      case 'evaluated':
        output.say(`${momentName(record.id, record.step)}: ${ratesText(record.result)}`);
        return;
      case 'noticed':
        output.say(`${record.level === 'warning' ? 'Warning' : 'Note'}, step ${record.step}: ${record.message}`);
        return;
      default:
        return;
    }
  }
}

const ratesText = ({ correct, tool, format }: { correct: number; tool: number; format: number }): string =>
  `correct ${percent(correct)}, tool ${percent(tool)}, format ${percent(format)}`;

function progressLine(run: RunState): string {
  const point = run.points.at(-1);
  const metrics = point?.metrics ?? {};
  const pace = metrics['perf/tokens_per_second'];
  const tail = [...(pace === undefined ? [] : [`${Math.round(pace).toLocaleString('en')} tok/s`]), ...leftOf(run)];
  if (run.phase === 'coldStart') {
    const loss = metrics['train/loss']?.toFixed(3) ?? '–';
    return [`Cold start ${run.step}/${run.plan.coldStart}`, `loss ${loss}`, ...tail].join(' · ');
  }
  const reward = metrics['reward/mean'];
  return [
    `Step ${run.step}/${run.plan.reinforcement}`,
    `reward ${reward === undefined ? '–' : reward.toFixed(2)}`,
    `correct ${percent(metrics['reward/correct'])}`,
    `tool ${percent(metrics['rollout/tool_rate'])}`,
    ...tail,
  ].join(' · ');
}

/** Where there is no terminal, a phase of few steps gets about ten lines. */
function stepsApart(phase: Phase, all: number): number {
  if (process.stdout.isTTY) return 1;
  return Math.min(phase === 'coldStart' ? 50 : 5, Math.ceil(all / 10));
}

/** For example `Evaluating before reinforcement: 320 of 1,024 · 2 m 05 s left`. */
function evaluationLine(run: RunState): string {
  const { id = '', step = 0, done = 0, rollouts = 0 } = runningEvaluation(run) ?? {};
  const far = `${done.toLocaleString('en')} of ${rollouts.toLocaleString('en')}`;
  const when = momentName(id, step);
  return [`Evaluating ${when[0]!.toLowerCase()}${when.slice(1)}: ${far}`, ...leftOf(run)].join(' · ');
}

/** When of a run an evaluation is. */
const momentName = (id: string, step: number): string =>
  id === 'before' ? 'Before reinforcement' : id === 'after' ? 'After reinforcement' : `After step ${step}`;

/** Where there is no terminal, an evaluation gets about four lines. */
const linesApart = (run: RunState, id: string): number =>
  Math.max(1, Math.ceil((run.evaluations[id]?.rollouts ?? 0) / 4));

/** Of the whole run, evaluations included. */
function leftOf(run: RunState): string[] {
  const left = forecast(run);
  return left ? [`${left.rough ? 'about ' : ''}${durationText(left.seconds)} left`] : [];
}

function closingLines(run: RunState, summary: ReturnType<typeof runSummary>): string[] {
  const folder = shown(run.folder);
  const last = run.points.findLast(({ phase }) => phase === 'reinforcement')?.step;
  const change =
    summary.before && summary.after
      ? [
          `Correct ${percent(summary.before.correct)} -> ${percent(summary.after.correct)}, tool ${percent(summary.before.tool)} -> ${percent(summary.after.tool)}.`,
          ...(summary.change ? [changeLine(summary.change)] : []),
        ]
      : [];
  const next = [
    ...(run.status === 'completed' ? [] : [{ command: `retool resume ${folder}`, does: 'goes on' }]),
    ...(last === undefined ? [] : [{ command: `retool show ${folder} --step ${last}`, does: 'lists its rollouts' }]),
  ];
  return [
    run.status === 'completed'
      ? `Done in ${durationText(summary.seconds)}.`
      : `Stopped${run.checkpoints.length > 0 ? ' and saved' : ' before the first checkpoint'}.`,
    ...change,
    ...idleLine(summary),
    `Run folder: ${folder}`,
    ...next.map(({ command, does }) => `  ${command}   # ${does}`),
    curvesLine(run.folder),
  ];
}

/** Steps that taught nothing are told when they begin; at the end, that they lasted. */
const idleLine = ({ idleSteps, steps }: ReturnType<typeof runSummary>): string[] =>
  idleSteps === 0
    ? []
    : [
        idleSteps === steps
          ? `None of the ${steps} steps made an update: the policy is as it was before them.`
          : `The last ${idleSteps} of ${steps} steps made no update: the policy is as it was after step ${steps - idleSteps}.`,
      ];

/** What the two evaluations let say of the problems, or why they let say nothing. */
function changeLine(change: NonNullable<EvaluationResult['change']>): string {
  const judged = supports({ kind: 'difference', paired: change });
  if (!judged.supported) return judged.reason;
  const { difference, low, high, problems, better, worse } = change;
  return `${pointsText(difference)} points, 95 % interval ${pointsText(low)} to ${pointsText(high)}: of ${problems} problems ${better} came out better, ${worse} worse.`;
}

/** Where the editor shows the run: it finds what lies in `.retool/runs` beside an experiment of its folder. */
function curvesLine(folder: string): string {
  const home = dirname(dirname(dirname(folder)));
  if (runsFolderOf(home) !== dirname(folder)) {
    return `The editor shows the runs of .retool/runs beside an experiment; this one was put elsewhere.`;
  }
  if (runByNpm && home === join(process.cwd(), 'examples')) return '  npm start   # its curves and rollouts in VS Code';
  return `Its curves: open ${shown(home)} in VS Code and choose ReTool in the activity bar.`;
}
