import type { JSONPath } from 'jsonc-parser';
import { rewardsOf } from '../grading/createRule';
import { dataNameFault, isHubName } from '../hub/hubName';
import { nearest } from '../lib/nearest';
import { presets } from '../presets/presets';
import { computedHere } from '../rl/objective';
import type { Experiment } from '../schema/experiment';
import { namedFiles } from './dataFiles';

/** Tokens; the attention of the local trainer holds no more. */
const mostLocalContext = 2048;

/** Where something does not fit, a sentence without the field, and whether nothing but a start here is in its way. */
type Broken = [path: JSONPath, message: string, onlyStart?: boolean];

/** Fields that depend on each other and do not fit. */
export function brokenRules(experiment: Experiment): Broken[] {
  return [...crossFieldIssues(experiment), ...hubIssues(experiment)];
}

function crossFieldIssues({
  service,
  data,
  budgets,
  malformedCalls,
  reinforcement,
  reward,
  plan,
  $preset: preset,
  evaluation,
  checkpoints,
}: Experiment): Broken[] {
  const { correct, incorrect } = rewardsOf(reward);
  const { loss } = reinforcement;
  const rules: Rule[] = [
    ...serviceRules(service),
    [
      preset !== undefined && !presets.some(({ name }) => name === preset),
      ['$preset'],
      `names no preset${meantPreset(preset)}: \`retool preset list\` names them`,
    ],
    [
      reinforcement.advantage === 'gae',
      ['reinforcement', 'advantage'],
      'is gae, which needs a critic, and the services train policies alone: choose centred, standardised or leaveOneOut',
      true,
    ],
    [
      reinforcement.critic !== undefined && reinforcement.advantage !== 'gae',
      ['reinforcement', 'critic'],
      `is for gae, but advantage is ${reinforcement.advantage}`,
    ],
    [
      reinforcement.groupSize < 2 && reinforcement.advantage !== 'gae',
      ['reinforcement', 'groupSize'],
      'must be at least 2: a trajectory alone has nothing to be compared with',
    ],
    [
      data.holdOut !== undefined && data.evaluation !== undefined,
      ['data', 'holdOut'],
      'stands beside data.evaluation: the evaluation has one of them',
    ],
    [
      data.holdOut !== undefined && !data.deduplicate,
      ['data', 'holdOut'],
      'needs data.deduplicate: a repeated question would be trained on and held out',
    ],
    [
      budgets.trajectoryTokens > service.context,
      ['budgets', 'trajectoryTokens'],
      `is ${budgets.trajectoryTokens}, more than service.context (${service.context})`,
    ],
    [
      budgets.turnTokens > budgets.trajectoryTokens,
      ['budgets', 'turnTokens'],
      `is ${budgets.turnTokens}, more than budgets.trajectoryTokens (${budgets.trajectoryTokens})`,
    ],
    [
      budgets.observationTokens >= budgets.trajectoryTokens,
      ['budgets', 'observationTokens'],
      `is ${budgets.observationTokens}, but a trajectory has only ${budgets.trajectoryTokens} tokens`,
    ],
    [
      malformedCalls.message !== undefined && !['feedBack', 'maskTurn'].includes(malformedCalls.policy),
      ['malformedCalls', 'message'],
      `is told by feedBack and maskTurn, but policy is ${malformedCalls.policy}`,
    ],
    [
      reinforcement.minibatches > reinforcement.problemsPerStep,
      ['reinforcement', 'minibatches'],
      `is ${reinforcement.minibatches}, more than problemsPerStep (${reinforcement.problemsPerStep})`,
    ],
    [
      (reinforcement.resampleOnCorrect ?? 0) >= reinforcement.groupSize,
      ['reinforcement', 'resampleOnCorrect'],
      `is ${reinforcement.resampleOnCorrect}, not below groupSize (${reinforcement.groupSize})`,
    ],
    [
      loss.dualClip !== undefined && loss.kind !== 'ppo',
      ['reinforcement', 'loss', 'dualClip'],
      `bounds the loss of ppo, but kind is ${loss.kind}`,
    ],
    [
      loss.dualClip !== undefined && loss.dualClip <= loss.clipHigh,
      ['reinforcement', 'loss', 'dualClip'],
      `is ${loss.dualClip}, not above clipHigh (${loss.clipHigh})`,
    ],
    [
      loss.entropyCoefficient > 0 && computedHere(loss) !== undefined,
      ['reinforcement', 'loss', 'entropyCoefficient'],
      `is ${loss.entropyCoefficient}, but a loss with ${computedHere(loss)} has no entropy bonus: set it to 0`,
    ],
    [
      loss.entropyCoefficient > 0 && loss.aggregation === 'sequenceMeanTokenMean',
      ['reinforcement', 'loss', 'entropyCoefficient'],
      `is ${loss.entropyCoefficient}, but with sequenceMeanTokenMean there is no entropy bonus: set it to 0`,
    ],
    [
      loss.aggregationTokens !== undefined && loss.aggregation !== 'sequenceMeanTokenSumNorm',
      ['reinforcement', 'loss', 'aggregationTokens'],
      `is for sequenceMeanTokenSumNorm, but aggregation is ${loss.aggregation}`,
    ],
    [
      correct <= incorrect,
      ['reward', reward.correct === undefined ? 'incorrect' : 'correct'],
      reward.correct === undefined
        ? `is ${incorrect}, not below reward.correct (${correct})`
        : `is ${correct}, not above reward.incorrect (${incorrect})`,
    ],
    [
      evaluation.everyCheckpoints > 0 && checkpoints.keepEvery === 0,
      ['evaluation', 'everyCheckpoints'],
      'counts the checkpoints that are kept for good, but checkpoints.keepEvery is 0',
    ],
    [
      evaluation.everyCheckpoints > 0 && data.evaluation === undefined && data.holdOut === undefined,
      ['evaluation', 'everyCheckpoints'],
      'needs problems to evaluate on: data.evaluation or data.holdOut',
    ],
    [
      plan?.cap !== undefined && !plan.prices,
      ['plan', 'cap'],
      'needs plan.prices: without them nothing is known to cost',
    ],
  ];
  return rules.filter(([broken]) => broken).map(([, ...broken]) => broken);
}

type Rule = [broken: boolean, ...Broken];

function meantPreset(name = ''): string {
  const meant = nearest(
    name,
    presets.map((preset) => preset.name),
  );
  return meant === undefined ? '' : ` (did you mean "${meant}"?)`;
}

function serviceRules({ kind, url, baseModel, loraRank, context, threads }: Experiment['service']): Rule[] {
  const local = kind === 'local';
  return [
    [
      !local,
      ['service', 'kind'],
      `is ${kind}, to which nothing connects yet: the local trainer alone can be reached. Set it to local, or begin from the reduced form of a preset`,
      true,
    ],
    [
      local && baseModel !== undefined,
      ['service', 'baseModel'],
      'is for other services: the local trainer has its own',
    ],
    [
      local && loraRank !== undefined,
      ['service', 'loraRank'],
      'is for other services: the local trainer trains all weights',
    ],
    [!local && url !== undefined, ['service', 'url'], `is the address of a local trainer, but kind is ${kind}`],
    [
      local && url === undefined && context > mostLocalContext,
      ['service', 'context'],
      `must be at most ${mostLocalContext}`,
    ],
    [
      url !== undefined && threads > 0,
      ['service', 'threads'],
      'is for a trainer that is started here, but service.url names one that runs already',
    ],
  ];
}

function hubIssues(experiment: Experiment): [JSONPath, string][] {
  const files = namedFiles(experiment).filter(({ path }) => isHubName(path));
  const faults = files.flatMap(({ field, path }): [JSONPath, string][] => {
    const why = dataNameFault(path);
    return why === undefined ? [] : [[field.split('.'), `names no file of a hub: ${why}`]];
  });
  const unused = Object.keys(experiment.pins ?? {}).filter((name) => !files.some(({ path }) => path === name));
  return [
    ...faults,
    ...unused.map((name): [JSONPath, string] => [['pins', name], 'pins a file that nothing here names']),
  ];
}
