import type { EvaluationResult, Metrics } from '../schema/journal';
import {
  addedIn,
  type GradeFlag,
  messagesIn,
  type Problem,
  promptIn,
  sampledIn,
  type ToolResult,
  type Trajectory,
  type Turn,
  tokensIn,
} from '../schema/trajectory';
import { overProblems } from './overProblems';
import { endsInRepetition } from './repetition';

const share = (part: number, whole: number): number | undefined => (whole > 0 ? part / whole : undefined);

const mean = (values: readonly number[]): number | undefined =>
  share(
    values.reduce((sum, value) => sum + value, 0),
    values.length,
  );

const callsOf = (trajectory: Trajectory): Turn[] => trajectory.turns.filter((turn) => turn.result !== undefined);

export const sampledTokensOf = ({ turns }: Trajectory): number => turns.reduce((sum, turn) => sum + sampledIn(turn), 0);

/** Tokens of the prompts of all turns: each is the one before it, what was sampled and what was added. */
export function promptTokensOf(trajectory: Trajectory): number {
  let [length, all] = [promptIn(trajectory), 0];
  for (const turn of trajectory.turns) {
    // A further call of a message had no prompt of its own.
    if (!turn.continues) all += length;
    length += sampledIn(turn) + addedIn(turn);
  }
  return all;
}

export const isCorrect = (trajectory: Trajectory) => trajectory.grade.verdict === 'correct';
/** True when the trajectory asked for code, whether or not a budget let it run. */
const usesTool = (trajectory: Trajectory) => trajectory.turns.some((turn) => turn.code !== undefined);

export const isInfrastructure = (trajectory: Trajectory): boolean => trajectory.stop === 'infrastructure';
/** True for one that says nothing of the model: it failed by infrastructure, or a filter of the service withheld its answer. */
export const isLost = (trajectory: Trajectory): boolean =>
  isInfrastructure(trajectory) || trajectory.stop === 'contentFilter';

/** Drops what could not be measured: the journal holds no NaN. */
export function present(metrics: Record<string, number | undefined>): Metrics {
  return Object.fromEntries(
    Object.entries(metrics).filter((entry): entry is [string, number] => Number.isFinite(entry[1])),
  );
}

function byKind(trajectories: readonly Trajectory[]): [string, Trajectory[]][] {
  const kinds = [...new Set(trajectories.flatMap(({ kind }) => (kind === undefined ? [] : [kind])))].sort();
  return kinds.map((kind) => [kind, trajectories.filter((trajectory) => trajectory.kind === kind)]);
}

/** Signs of rewards that were not earned, by their metric. */
const flagMetrics: Readonly<Record<GradeFlag, string>> = {
  severalBoxes: 'reward/several_boxes',
  copiedBox: 'reward/copied_box',
  unsupported: 'reward/unsupported',
};

const flagShares = (trajectories: readonly Trajectory[]) =>
  Object.fromEntries(
    Object.entries(flagMetrics).map(([flag, metric]) => [
      metric,
      share(trajectories.filter(({ grade }) => grade.flags?.includes(flag as GradeFlag)).length, trajectories.length),
    ]),
  );

/**
 * What a step's trajectories say, by the names of the journal. Rates are shares in 0..1; trajectories that ended by
 * infrastructure are counted and left out of everything else.
 */
export function rolloutMetrics(all: readonly Trajectory[], degenerateGroups: number, groups: number): Metrics {
  const trajectories = all.filter((trajectory) => !isInfrastructure(trajectory));
  const results = trajectories.flatMap((trajectory) => callsOf(trajectory).flatMap(({ result }) => result ?? []));
  const count = (predicate: (trajectory: Trajectory) => boolean) => trajectories.filter(predicate).length;
  const resultShare = (...statuses: string[]) =>
    share(results.filter(({ status }) => statuses.includes(status)).length, results.length);
  return present({
    'reward/mean': mean(trajectories.map(({ grade }) => grade.reward)),
    'reward/correct': share(count(isCorrect), trajectories.length),
    'reward/format': share(
      count(({ grade }) => grade.formatted),
      trajectories.length,
    ),
    'reward/unknown': share(
      count(({ grade }) => grade.verdict === 'unknown'),
      trajectories.length,
    ),
    ...flagShares(trajectories),
    'rollout/tool_rate': share(count(usesTool), trajectories.length),
    'rollout/code_calls': mean(trajectories.map((trajectory) => callsOf(trajectory).length)),
    'rollout/turns': mean(trajectories.map(messagesIn)),
    'rollout/trajectory_tokens': mean(trajectories.map(tokensIn)),
    'rollout/truncated': share(
      count(({ stop }) => stop === 'turnTokens' || stop === 'trajectoryTokens'),
      trajectories.length,
    ),
    'rollout/repetitive':
      share(
        count(({ turns }) => turns.some(({ tokens }) => endsInRepetition(tokens))),
        trajectories.length,
      ) || undefined,
    'rollout/malformed_calls': share(
      count(
        ({ stop, turns }) => stop === 'malformedCall' || turns.some((turn) => turn.irregular?.includes('malformed')),
      ),
      trajectories.length,
    ),
    'rollout/zero_variance_groups': share(degenerateGroups, groups),
    'rollout/infrastructure': all.length - trajectories.length,
    'sandbox/success_rate': resultShare('ok'),
    'sandbox/error_rate': resultShare('error', 'killed', 'memoryLimit', 'outputLimit'),
    'sandbox/timeout_rate': resultShare('timeout'),
    'sandbox/calls': results.length,
    'sandbox/run_seconds': mean(results.map(({ seconds }) => seconds)),
    'sandbox/queue_seconds': mean(results.map(({ queueSeconds }) => queueSeconds)),
    ...Object.fromEntries(
      byKind(trajectories).flatMap(([kind, members]) => [
        [`reward/correct/${kind}`, share(members.filter(isCorrect).length, members.length)],
        [`rollout/tool_rate/${kind}`, share(members.filter(usesTool).length, members.length)],
      ]),
    ),
  });
}

/**
 * Sums over the run so far, beside the means of a step, of the calls that its training made.
 *
 * @param before what the step before gave; of a resumed run, its last step's metrics.
 */
export function sandboxTotals(before: Metrics, trajectories: readonly Trajectory[]): Metrics {
  const results = trajectories.flatMap((trajectory) => callsOf(trajectory).flatMap(({ result }) => result ?? []));
  const sum = (of: (result: ToolResult) => number) => results.reduce((total, result) => total + of(result), 0);
  const grown = (name: string, by: number) => [`sandbox/total_${name}`, (before[`sandbox/total_${name}`] ?? 0) + by];
  return Object.fromEntries([
    grown('calls', results.length),
    grown(
      'infrastructure',
      sum(({ status }) => Number(status === 'infrastructure')),
    ),
    grown(
      'run_seconds',
      sum(({ seconds }) => seconds),
    ),
    grown(
      'queue_seconds',
      sum(({ queueSeconds }) => queueSeconds),
    ),
  ]);
}

/**
 * Rates of an evaluation; infrastructure failures are counted apart.
 *
 * @param problems of the set, in its order.
 * @param before the evaluation that it is compared with.
 */
export function evaluationResult(
  all: readonly Trajectory[],
  problems: readonly Problem[],
  before?: EvaluationResult,
): EvaluationResult {
  const trajectories = all.filter((trajectory) => !isInfrastructure(trajectory));
  const withTool = trajectories.filter(usesTool);
  const rate = (members: readonly Trajectory[], predicate: (trajectory: Trajectory) => boolean) =>
    share(members.filter(predicate).length, members.length) ?? 0;
  return {
    problems: problems.length,
    samples: trajectories.length,
    correct: rate(trajectories, isCorrect),
    ...overProblems(trajectories, problems, before),
    tool: rate(trajectories, usesTool),
    format: rate(trajectories, ({ grade }) => grade.formatted),
    unknown: rate(trajectories, ({ grade }) => grade.verdict === 'unknown'),
    correctWithTool: withTool.length > 0 ? rate(withTool, isCorrect) : null,
    infrastructure: all.length - trajectories.length,
    tokens: all.reduce((sum, trajectory) => sum + sampledTokensOf(trajectory), 0),
    byKind: Object.fromEntries(
      byKind(trajectories).map(([kind, members]) => [
        kind,
        { samples: members.length, correct: rate(members, isCorrect), tool: rate(members, usesTool) },
      ]),
    ),
  };
}
