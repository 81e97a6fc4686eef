import { RetoolError } from '../lib/errors';
import type { Trajectory } from '../schema/trajectory';
import { isInfrastructure } from './metrics';

/**
 * Ends a run whose tools are gone: were their failures only left out, the policy would be trained on the rollouts that
 * need no tool, and would unlearn it.
 *
 * @param hint what a person does then.
 * @throws RetoolError `service` when every rollout failed, `python` when code was asked for and none could be run.
 */
export function requireWorkingTools(
  trajectories: readonly Trajectory[],
  hint = 'Nothing was trained on it. Resume the run when the cause is gone.',
): void {
  const failed = trajectories.filter(isInfrastructure);
  if (failed.length === 0) return;
  if (failed.length === trajectories.length) {
    throw new RetoolError('service', `Every rollout failed: ${failed[0]?.failure ?? 'no reason given'}`, { hint });
  }
  const unrun = failed.filter(({ turns }) => turns.at(-1)?.code !== undefined);
  const ran = trajectories.some(({ turns }) =>
    turns.some(({ result }) => result && result.status !== 'infrastructure'),
  );
  if (unrun.length === 0 || ran) return;
  const why = (unrun[0]?.failure ?? 'no reason given').replace(/\.$/, '');
  throw new RetoolError('python', `No code could be run: ${why}.`, { hint });
}
