import { RetoolError } from '../lib/errors';
import type { Experiment } from '../schema/experiment';
import type { Aggregation } from './aggregation';
import { tokenMean } from './aggregation';
import type { LossAndGradient } from './customLoss';
import { type LossSettings, policyLossAndGradient } from './losses';
import type { Loss, LossOffers } from './ports';

/** What an update minimises. */
export interface Objective {
  /** `loss` of the service, or computed here from its log-probabilities. */
  readonly loss: Loss | LossAndGradient;
  readonly aggregation: Aggregation;
}

export const imitation: Objective = { loss: { kind: 'crossEntropy' }, aggregation: tokenMean };

/** The setting for which a loss has to be computed here whatever the service, if there is one. */
export function computedHere({ kind, dualClip, kl }: LossSettings): string | undefined {
  if (kind === 'gspo') return 'kind gspo';
  if (dualClip !== undefined) return 'dualClip';
  return kl && 'kl';
}

/**
 * Chooses between the loss of the service and the one computed here.
 *
 * @throws RetoolError `config` naming the setting that this service cannot fulfil.
 */
export function planObjective({ reinforcement, budgets, coldStart }: Experiment, offers: LossOffers): Objective {
  const settings = reinforcement.loss;
  const { kind, clipLow, clipHigh, entropyCoefficient } = settings;
  const aggregation = {
    kind: settings.aggregation,
    horizon: settings.aggregationTokens ?? budgets.trajectoryTokens,
  };
  const builtIn = computedHere(settings) === undefined && kind !== 'gspo' && offers.losses.includes(kind);
  if (!builtIn && !offers.losses.includes('crossEntropy')) {
    throw new RetoolError('config', `The service has no loss ${kind}, and none by which it could be computed here.`, {
      hint: `Set reinforcement.loss.kind to one that it has: ${offers.losses.join(', ')}.`,
    });
  }
  if ((coldStart?.steps ?? 0) > 0 && !offers.losses.includes('crossEntropy')) {
    throw new RetoolError(
      'config',
      'The service has no cross-entropy that can be weighted, so there can be no cold start.',
      {
        hint: 'Leave out coldStart.',
      },
    );
  }
  if (entropyCoefficient > 0 && !(builtIn && offers.entropy)) {
    const why = builtIn ? 'the service has no entropy bonus' : `a loss with ${computedHere(settings) ?? kind} has none`;
    throw new RetoolError('config', `reinforcement.loss.entropyCoefficient is ${entropyCoefficient}, but ${why}.`, {
      hint: 'Set it to 0.',
    });
  }
  if (!builtIn) return { loss: policyLossAndGradient(settings), aggregation };
  const entropy = entropyCoefficient > 0 ? { entropyCoefficient } : {};
  return {
    loss: kind === 'importanceSampling' ? { kind, ...entropy } : { kind, clipLow, clipHigh, ...entropy },
    aggregation,
  };
}
