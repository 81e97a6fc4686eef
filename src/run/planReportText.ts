import { durationText } from '../journal/forecast';
import { moneyText } from '../lib/texts';
import type { Experiment } from '../schema/experiment';
import type { Plan, PlanProblem, Range, Sourced, Usage } from '../schema/plan';
import { planWords } from '../schema/planWords';
import type { Say } from './dataReportText';

/** For example `budgets.calls is 4, but …`. A sentence of its own stands behind a colon. */
export function planProblemText({ path, sentence, values }: PlanProblem, say: Say): string {
  const told = say(sentence, ...values);
  return /^[a-z]/.test(sentence) ? `${path.join('.')} ${told}` : `${path.join('.')}: ${told}`;
}

const rows = ['trajectories', 'modelCalls', 'toolCalls', 'prefill', 'cachedPrefill', 'sampled', 'trained'] as const;

/** The whole plan as text, a line each. @param title the experiment file. */
export function planLines(
  { experiment, problems, plan }: { readonly experiment: Experiment; readonly problems: number; readonly plan: Plan },
  title: string,
  say: Say,
): string[] {
  const { basis, group, updates, batches } = plan;
  const { accuracy, prompt, response, calls, added, run } = basis;
  const whole = (value: number) => say('{0}', Math.round(value)).padStart(14);
  const source = ({ from }: Sourced) => say(planWords[from], ...(from === 'run' ? [run ?? ''] : []));
  const rest = (figure: Sourced, name: 'accuracy' | 'response' | 'calls' | 'added', digits: number) =>
    `${figure.value.toFixed(digits).padStart(14)}  ${say(planWords.source, say(planWords[name]), source(figure))}`;
  const table = (name: 'step' | 'evaluation' | 'coldStart' | 'whole', { typical, most }: Range<Usage>) =>
    most.trajectories + most.trained === 0
      ? []
      : [
          '',
          say(planWords[name]),
          ...rows
            .filter((row) => most[row] > 0 || typical[row] > 0)
            .map(
              (row) =>
                `${whole(typical[row])}${row === 'cachedPrefill' ? ' '.repeat(14) : whole(most[row])}  ${say(planWords[row])}`,
            ),
        ];
  const percent = (share: number) => (100 * share).toFixed(1);
  // A cold start alone samples no groups.
  const hasSteps = experiment.reinforcement.steps > 0;
  return [
    say(planWords.title, title),
    '',
    say(planWords.basis),
    rest(accuracy, 'accuracy', 3),
    `${prompt.mean.toFixed(1).padStart(14)}  ${say(planWords.prompt, prompt.shortest, prompt.longest, problems)}`,
    rest(response, 'response', 1),
    rest(calls, 'calls', 2),
    rest(added, 'added', 1),
    ...(hasSteps ? table('step', plan.step) : []),
    ...table('evaluation', plan.evaluation),
    ...table('coldStart', plan.coldStart),
    ...table('whole', plan.run),
    '',
    say(planWords.computed),
    say(planWords.updates, updates),
    ...(batches === undefined || !hasSteps ? [] : [say(planWords.batches, batches)]),
    ...(hasSteps
      ? [
          [
            say(planWords.group, group.size, percent(group.degenerate)),
            ...(group.halvedBy === undefined ? [] : [say(planWords.halved, group.halvedBy)]),
            ...(group.measured === undefined ? [] : [say(planWords.measured, run ?? '', percent(group.measured))]),
          ].join(' '),
        ]
      : []),
    ...moneyLines(experiment, plan, say),
    ...timeLines(plan, say),
    '',
    say(planWords.problems),
    ...plan.problems.map((problem) => `  ${say(planWords[problem.level])}: ${planProblemText(problem, say)}`),
    ...(plan.problems.length === 0 ? [`  ${say(planWords.nothing)}`] : []),
  ];
}

function moneyLines({ plan: settings, reinforcement }: Experiment, { money }: Plan, say: Say): string[] {
  const prices = settings?.prices;
  if (!money || !prices) return [say(planWords.noPrices)];
  const { currency, step, run, cap } = money;
  const line = ({ typical, most }: Range<number>, name: 'moneyStep' | 'moneyRun', digits: number) =>
    say(planWords.money, moneyText(typical, digits), currency, moneyText(most, digits), say(planWords[name]));
  return [
    ...(reinforcement.steps > 0 ? [line(step, 'moneyStep', 4)] : []),
    line(run, 'moneyRun', 2),
    say(planWords.prices, prices.prefill, prices.cachedPrefill ?? prices.prefill, prices.sample, prices.train),
    ...(cap === undefined ? [] : [say(planWords.cap, cap, currency)]),
  ];
}

function timeLines({ seconds, basis }: Plan, say: Say): string[] {
  if (!seconds) return [say(planWords.noTime)];
  const step = seconds.step < 10 ? `${seconds.step.toFixed(1)} s` : durationText(seconds.step);
  return [
    say(planWords.secondsStep, step, basis.run ?? ''),
    ...(seconds.run === undefined ? [] : [say(planWords.secondsRun, durationText(seconds.run))]),
  ];
}
