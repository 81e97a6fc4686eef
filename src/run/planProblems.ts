import { rewardRules } from '../grading/rewardRules';
import { moneyText } from '../lib/texts';
import type { ToolProtocol } from '../rl/ports';
import type { Experiment } from '../schema/experiment';
import type { Plan, PlanBasis, PlanProblem } from '../schema/plan';
import { planProblemWords } from '../schema/planWords';
import type { Problem } from '../schema/trajectory';
import type { Limits } from './planBasis';
import { degenerateChance, expectedSampling, sizeThatHalves } from './planChances';

/** What the rules look at. */
export interface Planned {
  readonly experiment: Experiment;
  readonly protocol: ToolProtocol;
  readonly problems: readonly Problem[];
  readonly basis: PlanBasis;
  readonly limits: Limits;
  readonly plan: Pick<Plan, 'run' | 'step' | 'evaluation' | 'money'>;
}

/** A chance of so many groups without a signal is worth a word. */
const manyDegenerate = 0.5;
/** Share of problems without room for a call. */
const manyWithoutRoom = 0.5;
/** Batches that are not counted further. */
const countless = 1000;

type Rule = (planned: Planned) => readonly (PlanProblem | false)[];

const found = (
  level: PlanProblem['level'],
  path: PlanProblem['path'],
  sentence: keyof typeof planProblemWords,
  ...values: readonly (string | number)[]
): PlanProblem => ({ level, path, sentence: planProblemWords[sentence], values });

const round = Math.round;
const percent = (share: number): string => (100 * share).toFixed(1);
const isMeasured = ({ response, calls }: PlanBasis): boolean =>
  [response, calls].every(({ from }) => from === 'run' || from === 'demonstrations');

/** Whether turns, outputs and prompt fit in a trajectory; where lengths are known the worst case is not told. */
const lengths: Rule = ({ experiment: { budgets }, basis, limits }) => {
  const { prompt, response, calls, added } = basis;
  const called = Math.min(calls.value, limits.calls);
  const additions = called * added.value;
  const typical = prompt.mean + response.value + additions;
  const most = prompt.longest + limits.turns * budgets.turnTokens + limits.additions * limits.added;
  const limit = budgets.trajectoryTokens;
  const path = ['budgets', 'trajectoryTokens'];
  if (typical > limit) {
    const parts = [typical, prompt.mean, response.value, additions].map(round);
    return [found('warning', path, 'typicalTooLong', ...parts, limit)];
  }
  if (most <= limit || isMeasured(basis)) return [];
  const { turns, additions: outputs, added: output } = limits;
  return [found('info', path, 'mostTooLong', turns, budgets.turnTokens, outputs, output, prompt.longest, most, limit)];
};

/** Whether there is room for an answer behind a call: one of a known length, or one that takes its whole turn. */
const roomForAnswer: Rule = ({ experiment: { budgets }, protocol, problems, basis, limits }) => {
  if (limits.calls === 0) return [];
  const known = isMeasured(basis);
  const answer = protocol.answer('0').length;
  const call = known
    ? Math.min(budgets.turnTokens, basis.response.value / (1 + basis.calls.value))
    : budgets.turnTokens;
  const added = known ? basis.added.value : limits.added;
  const room = budgets.trajectoryTokens - call - added - answer;
  const without = problems.filter((problem) => protocol.prompt(problem).length > room).length;
  return [
    without > manyWithoutRoom * problems.length &&
      found(
        'warning',
        ['budgets', 'turnTokens'],
        'noRoomForAnswer',
        ...[without, problems.length, call, added, answer].map(round),
        budgets.trajectoryTokens,
      ),
  ];
};

const budgetsOfCalls: Rule = ({ experiment: { budgets, plan }, limits }) => [
  budgets.calls > limits.calls &&
    found('warning', ['budgets', 'calls'], 'callsUnanswered', budgets.calls, budgets.turns, limits.calls),
  (plan?.callsPerTrajectory ?? 0) > limits.calls &&
    found('warning', ['plan', 'callsPerTrajectory'], 'moreCallsThanRun', plan!.callsPerTrajectory!, limits.calls),
  (plan?.responseTokens ?? 0) > limits.sampled &&
    found('warning', ['plan', 'responseTokens'], 'moreThanSampled', plan!.responseTokens!, limits.sampled),
];

const groups: Rule = ({ experiment: { reinforcement }, problems, basis }) => {
  if (reinforcement.steps === 0) return [];
  const { groupSize, minibatches, dynamicSampling, problemsPerStep } = reinforcement;
  const wanted = Math.min(problemsPerStep, problems.length);
  const accuracy = basis.accuracy.value;
  const degenerate = degenerateChance(accuracy, groupSize);
  const halved = sizeThatHalves(accuracy, groupSize);
  const said = [percent(degenerate), groupSize, Number(accuracy.toFixed(3))];
  const at = ['reinforcement', 'groupSize'];
  return [
    wanted % minibatches !== 0 && found('info', ['reinforcement', 'minibatches'], 'uneven', minibatches, wanted),
    degenerate > manyDegenerate &&
      (halved === undefined
        ? found('warning', at, 'degenerateForGood', ...said)
        : found('warning', at, 'degenerate', ...said, halved)),
    ...(dynamicSampling ? replacements(dynamicSampling, wanted, problems.length, degenerate) : []),
  ];
};

function replacements(
  { maxBatches, overSampling }: NonNullable<Experiment['reinforcement']['dynamicSampling']>,
  wanted: number,
  problems: number,
  degenerate: number,
): (PlanProblem | false)[] {
  const sampling = { wanted, degenerate, overSampling, maxBatches, available: problems };
  const free = expectedSampling({ ...sampling, maxBatches: countless, available: Number.POSITIVE_INFINITY });
  const { trained } = expectedSampling({ ...sampling, available: Number.POSITIVE_INFINITY });
  const path = ['reinforcement', 'dynamicSampling'];
  const batches = free.batches < countless ? free.batches : `${countless}+`;
  return [
    free.batches > maxBatches &&
      found(
        'warning',
        [...path, 'maxBatches'],
        'tooManyBatches',
        maxBatches,
        batches,
        percent(degenerate),
        round(trained),
        wanted,
      ),
    // Where every problem is drawn in each step, none can be left to replace others.
    degenerate < 1 &&
      wanted / (1 - degenerate) > problems + 0.5 &&
      found('warning', path, 'tooFewProblems', Math.ceil(wanted / (1 - degenerate)), wanted, problems),
  ];
}

const spending: Rule = ({ experiment, plan: { step, evaluation } }) => {
  const { reinforcement, checkpoints } = experiment;
  const { steps } = reinforcement;
  const { samplesPerProblem, temperature } = experiment.evaluation;
  const { keepEvery, keepLast } = checkpoints;
  const trained = steps * step.typical.trajectories;
  return [
    steps > 0 &&
      evaluation.typical.trajectories > trained &&
      found(
        'info',
        ['evaluation', 'samplesPerProblem'],
        'evaluationLonger',
        evaluation.typical.trajectories,
        round(trained),
      ),
    temperature === 0 &&
      samplesPerProblem > 1 &&
      found('info', ['evaluation', 'samplesPerProblem'], 'greedySamples', samplesPerProblem),
    (keepEvery === 0 || keepEvery > steps) &&
      steps > keepLast &&
      found('info', ['checkpoints', 'keepEvery'], 'keepsNothing', keepEvery, steps, keepLast),
  ];
};

/** What is planned all the same, though nothing here can run it. */
const elsewhere: Rule = ({ experiment: { service, reinforcement } }) => [
  service.kind !== 'local' && found('warning', ['service', 'kind'], 'notHere', service.kind),
  reinforcement.advantage === 'gae' && found('warning', ['reinforcement', 'advantage'], 'noCritic'),
];

/** A phase that ends before its learning rate has risen. */
const warmUps: Rule = ({ experiment: { coldStart, reinforcement } }) =>
  Object.entries({ coldStart, reinforcement }).map(
    ([name, phase]) =>
      phase !== undefined &&
      phase.steps > 0 &&
      phase.steps < phase.warmupSteps &&
      found('warning', [name, 'warmupSteps'], 'neverWarm', phase.warmupSteps, phase.steps),
  );

const reward: Rule = ({ experiment: { reward: settings, budgets, service } }) => {
  const { box, adjustments: own } = rewardRules[settings.rule];
  const window = box.windows.at(-1);
  // The local trainer's tokens are bytes.
  const characters = service.kind === 'local' ? budgets.turnTokens : undefined;
  return [
    ...[...own, ...settings.adjustments].flatMap((each, i) => {
      if (each.kind !== 'overlong') return [];
      const place = i < own.length ? ['reward', 'rule'] : ['reward', 'adjustments', i - own.length, 'buffer'];
      const from = each.limit - each.buffer;
      return [
        from < 0 && found('warning', place, 'bufferBeyondLimit', each.buffer, each.limit),
        from >= budgets.trajectoryTokens && found('info', place, 'neverOverlong', from, budgets.trajectoryTokens),
      ];
    }),
    window !== undefined &&
      characters !== undefined &&
      window > characters &&
      found('info', ['reward', 'rule'], 'windowBeyondTurn', window, characters),
  ];
};

const cap: Rule = ({ plan: { money } }) => {
  if (money?.cap === undefined) return [];
  const { currency, run } = money;
  const said = [money.cap, currency, ...[run.typical, run.most].map((value) => moneyText(value))] as const;
  return [
    run.typical > money.cap
      ? found('error', ['plan', 'cap'], 'capExceeded', ...said)
      : run.most > money.cap && found('info', ['plan', 'cap'], 'capMayBeExceeded', ...said),
  ];
};

const gravity = ['error', 'warning', 'info'];

/** Settings that contradict each other or leave no room, the gravest first. */
export const planProblems = (planned: Planned): PlanProblem[] =>
  [elsewhere, lengths, roomForAnswer, budgetsOfCalls, groups, spending, warmUps, reward, cap]
    .flatMap((rule) => rule(planned))
    .filter((problem) => problem !== false)
    .sort((a, b) => gravity.indexOf(a.level) - gravity.indexOf(b.level));
