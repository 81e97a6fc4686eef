import type { SystemName } from './facts';
import { type Setting, settingsFrom, withSettings } from './settings';

function torl(system: SystemName): Setting[] {
  const { as, set, ours } = settingsFrom(system);
  return [
    ours('seed', 1, 'the script sets none'),
    ours('service.kind', 'verl', 'a fork of verl with vLLM'),
    as('service.baseModel', 'baseModel'),
    set('service.context', 3472, ['maxPrompt', 'maxResponse'], 'prompt and response'),
    set('protocol', 'torl-fences', ['protocol', 'stop']),
    set('data.train', null, 'data', 'NOT KNOWN: the training set is not published'),
    as('budgets.calls', 'C'),
    set('budgets.turns', 2, 'C', 'a turn for the call and one for the answer'),
    set('budgets.beyondCalls', 'continueInText', 'afterC'),
    set('budgets.turnTokens', 3072, 'maxResponse', 'a turn has no budget of its own'),
    set('budgets.trajectoryTokens', 3472, ['maxPrompt', 'maxResponse'], 'prompt and response'),
    set('budgets.observationTokens', 1024, 'obsChars', 'no budget of tokens: the most that 256 characters take'),
    set('observation.characters', 256, 'obsChars'),
    set('observation.keep', 'headAndTail', 'obsChars'),
    set('observation.errors', 'lastLineIfError', 'error'),
    set('observation.empty', "timeout_decorator.timeout_decorator.TimeoutError: 'Timed Out'", 'emptyOutput'),
    ours('observation.timeout', 'UnknownError', 'vllm_rollout_spmd.py'),
    set('observation.lastExpression', 'off', 'sandbox.kind'),
    set('observation.unfence', 'off', 'sandbox.kind'),
    set('calls.several', 'last', 'protocol'),
    set('reinforcement.steps', 1000, 'episodes', 'of 300 episodes, by the author in GAIR-NLP/ToRL#22'),
    as('reinforcement.problemsPerStep', 'rolloutBatch'),
    as('reinforcement.groupSize', 'n'),
    set('reinforcement.minibatches', 2, ['miniBatch', 'ppoEpochs'], '128 problems by 16 trajectories / 1024'),
    set('reinforcement.advantage', 'standardised', 'advantage'),
    ours('reinforcement.loss.kind', 'ppo', 'core_algos.py'),
    set('reinforcement.loss.clipLow', 0.8, 'clip', '1 − 0.2'),
    set('reinforcement.loss.clipHigh', 1.2, 'clip', '1 + 0.2'),
    ours('reinforcement.loss.aggregation', 'tokenMean', 'core_algos.py'),
    ours('reinforcement.loss.meanOver', 'sampled', 'groups without a signal stay in the mean: core_algos.py'),
    set('reinforcement.loss.entropyCoefficient', 0, ['entropyCoeff', 'kl']),
    as('reinforcement.learningRate', 'lr'),
    ours('reinforcement.warmupSteps', 0, 'the script sets none'),
    ours('reinforcement.decayFraction', 0, 'the learning rate is constant'),
    ours('reinforcement.finalFraction', 1, 'the learning rate is constant'),
    as('reinforcement.gradientClip', 'gradClip'),
    as('reinforcement.temperature', 'temperature'),
    set('reward.rule', 'torl', 'reward', 'the penalty of failed code is off by default'),
    as('sandbox.wallSeconds', 'sandbox.httpTimeoutS'),
    as('sandbox.concurrency', 'sandbox.threads'),
    ours('evaluation.samplesPerProblem', 1, 'greedy'),
    set('evaluation.temperature', 0, 'eval'),
    as('checkpoints.keepEvery', 'saveFreq'),
  ];
}

export const torl15b = torl('torl-1.5b');

const large = settingsFrom('torl-7b');

/** No script of its own: what is not said is the small one's. */
export const torl7b = withSettings(torl('torl-7b'), [large.as('reinforcement.steps', 'steps')]);
