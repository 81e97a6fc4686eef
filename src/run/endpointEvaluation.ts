import { createHash } from 'node:crypto';
import { dirname, resolve } from 'node:path';
import { createRule } from '../grading/createRule';
import { RetoolError } from '../lib/errors';
import type { Patience } from '../lib/patience';
import { toolName } from '../protocols/readCall';
import type { ToolProtocol } from '../rl/ports';
import type { EvaluationProtocol } from '../schema/evaluation';
import { Experiment } from '../schema/experiment';
import { EndpointHttp } from '../services/endpointHttp';
import { EndpointModel } from '../services/endpointModel';
import { type EndpointTools, systemPrompt } from './endpointPrompts';
import { type EndpointApi, endpointRoll } from './endpointRollout';
import { type EvaluationChoices, experimentUnder, protocolOf } from './evaluationProtocol';
import { requestIn, sourceOf } from './evaluationRequests';
import { evaluationSet } from './evaluationSets';
import {
  type ActiveEvaluation,
  beginEvaluation,
  type EvaluationManner,
  type EvaluationProgress,
  paidGraceSeconds,
} from './evaluationWork';
import { frozenIn, readExperiment } from './experimentFile';
import type { HubAccess } from './hubData';
import { openSandbox, requirePosix } from './openSandbox';

export interface EndpointQuestion extends EvaluationManner, Pick<HubAccess, 'hub' | 'onFetch' | 'signal'> {
  /** Of an OpenAI-compatible server: with or without `/v1`, without key. */
  readonly url: string;
  readonly model: string;
  readonly key: string | undefined;
  /** Experiment file, or that which a run has frozen, whose settings hold; {@link usualExperiment} where undefined. */
  readonly experiment: string | undefined;
  /** `held-out` of the experiment, or as for a checkpoint. */
  readonly dataset: string;
  /** `text` spells calls out in the protocol of the experiment. */
  readonly tools: EndpointTools | 'text';
  readonly api: EndpointApi;
  readonly choices: EvaluationChoices;
  /** Folder of the evaluation. */
  readonly folder: string;
  /** Of the product. */
  readonly version: string;
  readonly patience?: Patience | undefined;
  /** Is told what a person should know of the server, a sentence each. */
  readonly onNotice: (sentence: string) => void;
}

/** Settings of an evaluation that names no experiment: room for a model that thinks before it answers. */
export const usualExperiment = (): Experiment =>
  Experiment.parse({
    name: 'endpoint',
    data: { train: 'none' },
    service: { context: 131_072 },
    protocol: 'retool-code',
    budgets: { turns: 9, calls: 8, turnTokens: 16_384, trajectoryTokens: 65_536, observationTokens: 2048 },
    malformedCalls: { policy: 'feedBack', retries: 2 },
    observation: { keep: 'headAndTail' },
    reinforcement: { steps: 0, concurrency: 16 },
    reward: { rule: 'last-box-math' },
    sandbox: { wallSeconds: 30, cpuSeconds: 30 },
  });

/** The prompts are measured by the server alone: what has no room there ends as a trajectory that was cut. */
const unmeasured = { prompt: () => [] } as Pick<ToolProtocol, 'prompt'> as ToolProtocol;

/** Base address of the API. @throws RetoolError `usage` for one that no server has, or that holds a secret. */
export function endpointUrl(text: string): string {
  const parsed = URL.canParse(text) ? new URL(text) : undefined;
  if (!parsed || !/^https?:$/.test(parsed.protocol)) {
    throw new RetoolError('usage', `${text} is no address of a server.`, {
      hint: 'It begins with http:// or https://, for example http://127.0.0.1:8000/v1.',
    });
  }
  if (parsed.username || parsed.password || parsed.search || parsed.hash) {
    throw new RetoolError('usage', 'The address of an endpoint holds no password and no query, for it is kept.', {
      hint: 'The key comes from RETOOL_ENDPOINT_KEY.',
    });
  }
  const path = parsed.pathname.replace(/\/+$/, '').replace(/\/(chat\/)?completions$/, '');
  return `${parsed.origin}${path === '' ? '/v1' : path}`;
}

/**
 * Evaluates a model that is not trained here, or goes on with the evaluation that asked the same of it.
 *
 * @throws RetoolError before anything of the problems is sampled: `usage`, `config` and `data` for the question,
 * `service` for the server, `run` where it has been made already, `python` for the sandbox.
 */
export async function evaluateEndpoint(
  question: EndpointQuestion,
  onProgress: (progress: EvaluationProgress) => void = () => {},
): Promise<ActiveEvaluation> {
  requirePosix();
  const { model: name, choices, api, folder, key, patience } = question;
  const url = endpointUrl(question.url);
  const asked = await settingsOf(question.experiment);
  const tools = toolsOf(question, asked.experiment);
  const set = await evaluationSet(question.dataset, asked, unmeasured, choices.limit, question);
  const protocol = protocolUnder(protocolOf(asked.experiment, set, choices), tools, api);
  const subject = { kind: 'endpoint', url, model: name } as const;
  const source = sourceOf(question.dataset);
  const request = await requestIn(folder, { by: question.version, reason: 'asked', subject, source, protocol });
  const experiment = experimentUnder(asked.experiment, protocol.mode);
  const concurrency = question.concurrency ?? experiment.reinforcement.concurrency;
  const http = new EndpointHttp({ url, key, connections: concurrency, patience });
  const { temperature, topP, topK } = protocol;
  const model = new EndpointModel(http, name, { temperature, topP, topK }, toolName);
  try {
    const native = tools === 'native' && protocol.mode === 'tool';
    const trial = { maxTokens: 8, seed: 1, ...(native && { tools: 'auto' as const }) };
    let retried = false;
    const onRetry = ({ message }: RetoolError) => {
      if (!retried) question.onNotice(`${message} It is asked again for a while.`);
      retried = true;
    };
    const { signal = new AbortController().signal } = question;
    for (const sentence of await model.probe(api, trial, signal, onRetry)) question.onNotice(sentence);
    const active = await beginEvaluation({
      request,
      folder,
      problems: set.problems,
      notices: set.notices,
      seed: protocol.seed ?? experiment.seed,
      step: 0,
      concurrency,
      chunk: question.chunk,
      mostTokens: question.mostTokens,
      model: { baseModel: name, modelPath: url },
      onProgress,
      graceSeconds: paidGraceSeconds,
      async withRoll(_stop, work) {
        const { python: sandbox } = await openSandbox(experiment, {
          setting: question.python,
          consent: question.allowUnsafeSandbox ?? false,
        });
        const rule = createRule(experiment.reward);
        const clock = () => performance.now() / 1000;
        try {
          return await work(endpointRoll({ model, api, tools, mode: protocol.mode, sandbox, rule, experiment, clock }));
        } finally {
          sandbox.dispose();
        }
      },
    });
    void active.done.catch(() => {}).finally(() => http.close());
    return active;
  } catch (error) {
    await http.close();
    throw error;
  }
}

async function settingsOf(path: string | undefined) {
  const files = {};
  if (path === undefined) return { experiment: usualExperiment(), folder: process.cwd(), files };
  const frozen = await frozenIn(path);
  return frozen ?? { experiment: await readExperiment(path), folder: dirname(resolve(path)), files };
}

function toolsOf({ tools, api, choices }: EndpointQuestion, { protocol }: Experiment): EndpointTools {
  const chosen = tools === 'text' ? protocol : tools;
  if (chosen === 'compact') {
    throw new RetoolError('config', 'The protocol compact is made of control tokens, which no text spells.', {
      hint: 'Evaluate with --tools native, or with a protocol of text, for example --tools retool-code.',
    });
  }
  if (chosen === 'native' && api === 'completions' && choices.mode !== 'text') {
    throw new RetoolError('usage', 'Native tool calls are made in chats alone.', {
      hint: 'Evaluate with --api chat, or with --tools text.',
    });
  }
  return chosen;
}

/** What a model behind an endpoint is asked besides: how it calls, and the words before the question. */
function protocolUnder(protocol: EvaluationProtocol, tools: EndpointTools, api: EndpointApi): EvaluationProtocol {
  const words = createHash('sha256').update(systemPrompt(protocol.mode, tools)).digest('hex').slice(0, 12);
  return { ...protocol, settings: { ...protocol.settings, protocol: tools, api, systemPrompt: words } };
}
