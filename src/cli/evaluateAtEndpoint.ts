import { dirname } from 'node:path';
import { evaluationsFolderOf, keepOutOfGit } from '../journal/runFolder';
import { RetoolError } from '../lib/errors';
import { type EndpointQuestion, evaluateEndpoint } from '../run/endpointEvaluation';
import type { EndpointTools } from '../run/endpointPrompts';
import type { EvaluationChoices } from '../run/evaluationProtocol';
import { heldOutSet } from '../run/evaluationSets';
import type { EvaluationsOptions } from '../run/evaluations';
import type { EvaluationEnd, EvaluationManner } from '../run/evaluationWork';
import { setNames } from '../run/namedSets';
import { ProtocolName } from '../schema/rollout';
import { type Begin, followEvaluation } from './followEvaluation';
import type { Output } from './output';

interface EndpointValues {
  readonly endpoint: string;
  readonly model?: string | undefined;
  readonly experiment?: string | undefined;
  readonly tools?: string | undefined;
  readonly api?: string | undefined;
  readonly dataset: string | undefined;
  readonly choices: EvaluationChoices;
  readonly manner: EvaluationManner & Pick<EndpointQuestion, 'hub' | 'onFetch' | 'signal'>;
}

/** Evaluates a model behind an OpenAI-compatible endpoint; the results stand below the current folder. */
export async function evaluateAtEndpoint(
  { endpoint, model, experiment, tools, api = 'chat', dataset, choices, manner }: EndpointValues,
  { version }: EvaluationsOptions,
  output: Output,
): Promise<EvaluationEnd> {
  if (!model) throw new RetoolError('usage', 'Which model? --model is missing.', { hint: 'As the endpoint names it.' });
  if (experiment === undefined && (dataset === undefined || dataset === heldOutSet)) {
    throw new RetoolError(
      'usage',
      dataset === undefined
        ? 'Which problems? --dataset is missing.'
        : 'Whose held-out problems? Those are held out by an experiment, and --experiment is missing.',
      { hint: `Name a set (${setNames}) or a file by --dataset; or an experiment, whose held-out problems are asked.` },
    );
  }
  if (api !== 'chat' && api !== 'completions') {
    throw new RetoolError('usage', `There is no API "${api}".`, { hint: 'APIs: chat, completions.' });
  }
  const question: EndpointQuestion = {
    url: endpoint,
    model,
    key: process.env.RETOOL_ENDPOINT_KEY || process.env.OPENAI_API_KEY,
    experiment,
    dataset: dataset ?? heldOutSet,
    tools: toolsOf(tools ?? (api === 'chat' ? 'native' : 'text')),
    api,
    choices,
    folder: evaluationsFolderOf(process.cwd()),
    version,
    onNotice: (sentence) => output.say(`Note: ${sentence}`),
    ...manner,
  };
  const begin: Begin = async (onProgress) => {
    const active = await evaluateEndpoint(question, onProgress);
    await keepOutOfGit(dirname(question.folder));
    return active;
  };
  return followEvaluation(model, begin, output, { model });
}

function toolsOf(text: string): EndpointTools | 'text' {
  const known = ['native', 'text', ...ProtocolName.options.filter((name) => name !== 'compact')];
  if (known.includes(text)) return text as EndpointTools | 'text';
  throw new RetoolError('usage', `There are no tools "${text}".`, { hint: `Tools: ${known.join(', ')}.` });
}
