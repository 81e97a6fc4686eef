import type { Experiment } from '../schema/experiment';
import type { Metrics } from '../schema/journal';
import { Irregularity, type Trajectory } from '../schema/trajectory';
import { isInfrastructure, present } from './metrics';

/**
 * Whether a step's metrics tell of calls in detail. Where control tokens make a call and every fault ends the trajectory,
 * `rollout/malformed_calls` says it all, and the journal stays as it has always been.
 */
export const countsCalls = ({ protocol, budgets, malformedCalls, calls }: Experiment): boolean =>
  protocol !== 'compact' ||
  budgets.beyondCalls !== 'end' ||
  malformedCalls.policy !== 'end' ||
  Object.keys(calls).length > 0;

/**
 * What became of calls, over the turns of a step.
 *
 * A call is attempted when it can be read or is malformed, well-formed when it can be read, executed when it was run: one
 * beyond the budget is well-formed and not executed, so that both rates mean one thing each.
 *
 * - `rollout/well_formed_rate`: well-formed / attempted. `rollout/executed_rate`: executed / well-formed.
 * - `rollout/masked_turns`: turns that are not trained on.
 * - `rollout/end_trained`: share of answers whose token that ends the turn was sampled, and is trained on.
 * - `calls/*`: turns in which an irregularity was seen; one that was not is left out.
 */
export function callMetrics(all: readonly Trajectory[], endOfTurn: readonly number[]): Metrics {
  const trajectories = all.filter((trajectory) => !isInfrastructure(trajectory));
  const turns = trajectories.flatMap((trajectory) => trajectory.turns);
  const ended = trajectories.filter(({ stop }) => stop === 'malformedCall').length;
  const marked = (irregularity: Irregularity) => turns.filter((turn) => turn.irregular?.includes(irregularity)).length;
  const unread = turns.filter(
    ({ code, irregular }) => code === undefined && irregular?.includes('beyondBudget'),
  ).length;
  const wellFormed = turns.filter(({ code }) => code !== undefined).length;
  const attempted = wellFormed + ended + marked('malformed') + unread;
  const answers = trajectories.filter(({ stop }) => stop === 'answered');
  const trained = answers.filter((answer) => endOfTurn.includes(answer.turns.at(-1)?.tokens.at(-1) ?? -1));
  return present({
    'rollout/attempted_calls': attempted,
    'rollout/well_formed_rate': wellFormed / attempted,
    'rollout/executed_rate': turns.filter(({ result }) => result !== undefined).length / wellFormed,
    'rollout/masked_turns': turns.filter(({ masked }) => masked).length,
    'rollout/end_trained': trained.length / answers.length,
    ...Object.fromEntries(
      Irregularity.options.map((name) => [
        `calls/${name.replaceAll(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`)}`,
        marked(name) || undefined,
      ]),
    ),
  });
}
