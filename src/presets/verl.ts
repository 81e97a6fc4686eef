import type { SystemName } from './facts';
import { type Setting, settingsFrom, withSettings } from './settings';

function verl(system: SystemName): Setting[] {
  const { as, set, ours } = settingsFrom(system);
  return [
    ours('seed', 1, 'the recipe sets none'),
    set('service.kind', 'verl', 'verlPin', 'verl on a Ray cluster'),
    as('service.baseModel', 'baseModel'),
    set('service.context', 18_432, ['maxPrompt', 'maxResponse'], 'prompt and response'),
    set('protocol', 'qwen3-json', 'protocol'),
    ours(
      'data.train',
      'hub:BytedTsinghua-SIA/DAPO-Math-17k/data/dapo-math-17k.parquet',
      'retool_dataset_utils.py reads the records of DAPO-Math-17k',
    ),
    set('data.evaluation', 'hub:math-ai/aime25/test.jsonl', 'val.data', 'the same 30 problems'),
    ours('data.deduplicate', false, 'the recipe takes the rows as they are'),
    set('budgets.turns', 8, 'maxTurns'),
    set('budgets.calls', 7, 'maxTurns', 'no cap of its own; a call in the last turn could not be answered'),
    set('budgets.turnTokens', 16_384, 'maxResponse', 'a turn has no budget of its own'),
    set('budgets.trajectoryTokens', 18_432, ['maxPrompt', 'maxResponse'], 'prompt and response'),
    set('budgets.observationTokens', 1024, 'toolResponse', 'no budget of tokens: the most that 256 characters take'),
    ours(
      'malformedCalls.policy',
      'asAnswer',
      'a call that cannot be read is dropped, and the turn taken as an answer: tool_parser.py',
    ),
    set('observation.characters', 256, 'toolResponse'),
    set('observation.keep', 'headAndTail', 'toolResponse'),
    set('observation.marker', '...(truncated)...', 'toolResponse'),
    ours('observation.errors', 'streams', 'stdout, then stderr: sandbox_fusion_tools.py'),
    ours('observation.empty', '', 'the output as it is: sandbox_fusion_tools.py'),
    set('observation.lastExpression', 'printLastLine', 'sandbox.autoPrint'),
    set('observation.unfence', 'firstPython', 'sandbox.fence'),
    set('observation.timeout', 'no stdout here', 'sandbox.onTimeout'),
    set('calls.several', 'first', 'maxParallelCalls'),
    set('reinforcement.steps', null, 'epochs', 'NOT KNOWN: one epoch, whose length the data set decides'),
    as('reinforcement.problemsPerStep', 'trainBatch'),
    as('reinforcement.groupSize', 'n'),
    set('reinforcement.minibatches', 8, ['trainBatch', 'miniBatch', 'ppoEpochs'], '512 / 64'),
    set('reinforcement.advantage', 'standardised', 'advantage'),
    set('reinforcement.advantageEpsilon', 1e-6, 'advantage'),
    ours('reinforcement.loss.kind', 'ppo', 'core_algos.py'),
    set('reinforcement.loss.clipLow', 0.8, 'clip', '1 − 0.2'),
    set('reinforcement.loss.clipHigh', 1.28, 'clip', '1 + 0.28'),
    set('reinforcement.loss.dualClip', 10, 'clip'),
    set('reinforcement.loss.aggregation', 'tokenMean', 'lossAgg'),
    ours('reinforcement.loss.meanOver', 'sampled', 'groups without a signal stay in the mean: core_algos.py'),
    set('reinforcement.loss.entropyCoefficient', 0, ['entropyCoeff', 'kl']),
    as('reinforcement.learningRate', 'lr'),
    set('reinforcement.warmupSteps', 0, 'adam'),
    set('reinforcement.decayFraction', 0, 'adam', 'constant'),
    set('reinforcement.finalFraction', 1, 'adam', 'constant'),
    set('reinforcement.beta1', 0.9, 'adam'),
    set('reinforcement.beta2', 0.999, 'adam'),
    set('reinforcement.weightDecay', 0.01, 'adam'),
    set('reinforcement.gradientClip', 1, 'adam'),
    as('reinforcement.temperature', 'temperature'),
    set('reward.rule', 'verl-retool', 'reward'),
    set('sandbox.fusionUrl', 'http://localhost:8080', 'sandbox.kind'),
    as('sandbox.wallSeconds', 'sandbox.timeoutS'),
    as('sandbox.concurrency', 'sandbox.workers'),
    as('evaluation.samplesPerProblem', 'val.n'),
    as('evaluation.temperature', 'val.temperature'),
    as('evaluation.topP', 'val.topP'),
    as('checkpoints.keepEvery', 'saveFreq'),
  ];
}

/** run_qwen2-32b_dapo.sh: GRPO in spite of its name. */
export const verl32bGrpo = verl('retool-verl-32b-grpo');

const small = settingsFrom('retool-verl-7b-grpo');

export const verl7bGrpo = withSettings(verl('retool-verl-7b-grpo'), [
  small.as('budgets.turns', 'maxTurns'),
  small.set('budgets.calls', 15, 'maxTurns', 'no cap of its own; a call in the last turn could not be answered'),
  small.set('reinforcement.minibatches', 4, ['trainBatch', 'miniBatch', 'ppoEpochs'], '64 / 16'),
]);

const critical = settingsFrom('retool-verl-32b-ppo');

export const verl32bPpo = withSettings(
  verl('retool-verl-32b-ppo').filter(({ path }) => path !== 'reinforcement.advantageEpsilon'),
  [
    critical.as('reinforcement.advantage', 'advantage'),
    critical.set('reinforcement.minibatches', 4, ['trainBatch', 'miniBatch', 'ppoEpochs'], '1024 / 256'),
    critical.as('reinforcement.critic.gamma', 'gamma'),
    critical.as('reinforcement.critic.lambda', 'lambda'),
    critical.as('reinforcement.critic.learningRate', 'criticLr'),
    critical.as('reinforcement.critic.warmupSteps', 'criticWarmup'),
  ],
);

const sft = settingsFrom('retool-verl-sft');

/** run_qwen2-32b_sft.sh: the cold start alone. */
export const verlSft = [
  sft.ours('seed', 1, 'the recipe sets none'),
  sft.ours('service.kind', 'verl', 'verl on a Ray cluster'),
  sft.ours('service.baseModel', 'Qwen/Qwen2.5-32B-Instruct', 'verl-recipe/retool/run_qwen2-32b_sft.sh'),
  sft.as('service.context', 'maxLength'),
  sft.ours('protocol', 'qwen3-json', 'messages with tools, as the reinforcement that follows'),
  sft.set('data.train', 'hub:JoeYing/ReTool-SFT/data/train-00000-of-00001.parquet', 'data'),
  sft.set('data.evaluation', 'hub:JoeYing/ReTool-SFT/data/train-00000-of-00001.parquet', 'note'),
  sft.as('budgets.turnTokens', 'maxLength'),
  sft.as('budgets.trajectoryTokens', 'maxLength'),
  sft.set('coldStart.demonstrations', 'hub:JoeYing/ReTool-SFT/data/train-00000-of-00001.parquet', 'data'),
  sft.set('coldStart.steps', 372, ['epochs', 'saveFreq7b'], '6 epochs of 62 updates'),
  sft.as('coldStart.batchSize', 'batch'),
  sft.ours('coldStart.toolShare', 1, 'the demonstrations are taken as they are'),
  sft.as('coldStart.learningRate', 'lr'),
  sft.set('coldStart.warmupSteps', 37, 'lr', 'a tenth of the updates'),
  sft.set('coldStart.decayFraction', 0.9, 'lr', 'a cosine in the source, a line here'),
  sft.set('coldStart.finalFraction', 0, 'lr'),
  sft.set('coldStart.beta1', 0.9, 'lr'),
  sft.set('coldStart.beta2', 0.95, 'lr'),
  sft.set('coldStart.gradientClip', 1, 'lr'),
  sft.as('coldStart.checkpointEvery', 'saveFreq7b'),
  sft.ours('reinforcement.steps', 0, 'the cold start alone'),
];
