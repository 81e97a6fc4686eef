import { setTimeout as delay } from 'node:timers/promises';
import { RetoolError } from '../lib/errors';
import { Emitter } from '../lib/lifecycle';
import { isPassing, realPatience } from '../lib/patience';
import type { Experiment } from '../schema/experiment';
import { ServerCapabilities } from '../schema/tinker';
import type { LocalService } from './localService';
import { localProfile } from './profile';
import { ServiceHttp, StatusError } from './serviceHttp';
import { TinkerClient } from './tinkerClient';

/** Environment variable that holds the key of the trainer at `service.url`. */
export const serviceKeyVariable = 'RETOOL_SERVICE_KEY';

type Shape = Pick<Experiment['service'], 'context' | 'layers' | 'width' | 'heads'>;

/** The key of the trainer at `url` is missing or wrong. */
class KeyRefused extends RetoolError {
  readonly url: string;

  constructor(url: string, message: string, options: { readonly hint: string }) {
    super('key', message, options);
    this.url = url;
  }
}

/** A trainer that runs already, as `retool serve` offers it. */
export interface ServedTrainer {
  readonly url: string;
  readonly key: string | undefined;
  /** What an experiment asks of it. */
  readonly shape: Shape;
  /** Default 15,000. */
  readonly patienceMilliseconds?: number;
}

/**
 * Connects to a trainer that runs already. Nothing is started, and what ends is the session alone.
 *
 * @throws as {@link requireServedTrainer}.
 */
export async function connectServedTrainer(served: ServedTrainer, signal: AbortSignal): Promise<LocalService> {
  const { url, key } = served;
  const kernels = await requireServedTrainer(served, signal);
  const client = await TinkerClient.connect({ url, ...(key !== undefined && { key }), profile: localProfile }, signal);
  const failed = new Emitter<RetoolError>();
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  client.onDidLoseSession(() => failed.fire(forgotten(url)));
  failed.event((error) => client.dispose(error));
  const whyLost = async () => {
    const reason = await client.whyLost();
    return reason instanceof StatusError ? forgotten(url) : reason;
  };
  const dispose = () => {
    client.dispose();
    end();
  };
  return { client, pid: undefined, kernels, onDidFail: failed.event, ended, whyLost, dispose };
}

const forgotten = (url: string): RetoolError =>
  new RetoolError('service', `The trainer at ${url} no longer knows this session: it was started anew.`, {
    hint: 'Resume the run from its last checkpoint; a trainer on another folder has no checkpoint of it.',
  });

/**
 * Asks a trainer who it is, once, without a session.
 *
 * @returns what it computes with, where it says so.
 * @throws RetoolError `service` where it is away or does not answer, `key` where it refuses the key, `config` where its model is not
 * the one that is asked for.
 */
export async function requireServedTrainer(
  served: ServedTrainer,
  signal: AbortSignal,
): Promise<LocalService['kernels']> {
  const { url, shape } = served;
  const { supported_models: models } = await capabilitiesOf(served, signal);
  const [model] = models;
  if (!model) throw new RetoolError('service', `The trainer at ${url} offers no model.`);
  const context = model.max_context_length ?? undefined;
  if (context !== undefined && context < shape.context) {
    const [has, asked] = [context, shape.context].map((tokens) => tokens.toLocaleString('en'));
    throw new RetoolError('config', `service.context asks for ${asked} tokens, but the trainer at ${url} has ${has}.`, {
      hint: 'Lower service.context and budgets.trajectoryTokens, or start the trainer with more: retool serve --context.',
    });
  }
  for (const field of ['layers', 'width', 'heads'] as const) {
    const has = model.local?.[field];
    if (has === undefined || has === shape[field]) continue;
    throw new RetoolError('config', `service.${field} is ${shape[field]}, but the trainer at ${url} has ${has}.`, {
      hint: "Start it with 'retool serve --experiment FILE', or put its value into the experiment.",
    });
  }
  return model.local?.kernels;
}

async function capabilitiesOf({ url, key, patienceMilliseconds = 15_000 }: ServedTrainer, signal: AbortSignal) {
  const clock = new AbortController();
  const silent = new RetoolError('service', `The trainer at ${url} does not answer.`, {
    hint: 'Check service.url in the experiment, and that the trainer runs.',
  });
  const both = AbortSignal.any([signal, clock.signal]);
  const http = new ServiceHttp({ url, key, connections: 1, patience: realPatience, lifetime: both });
  const busy = (status: number) =>
    new RetoolError('service', `The trainer at ${url} is busy or broken: it answers ${status} again and again.`, {
      hint: 'Try again later; what it writes itself may say why.',
    });
  let refused: number | undefined;
  delay(patienceMilliseconds, undefined, { signal: both }).then(
    () => clock.abort(refused === undefined ? silent : busy(refused)),
    () => {},
  );
  try {
    return await http.call('GET', '/api/v1/get_server_capabilities', undefined, ServerCapabilities, both, {
      onceLost: true,
      onAgain: (status) => {
        refused = status;
      },
    });
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    if (error.status === 401 || error.status === 403) {
      const how = key === undefined ? 'wants a key' : 'refuses the key';
      throw new KeyRefused(url, `The trainer at ${url} ${how}.`, {
        hint: `Put the key that 'retool serve' prints into ${serviceKeyVariable}; in VS Code: "Set Key of the Training Service".`,
      });
    }
    if (isPassing(error.status)) throw busy(error.status);
    throw new RetoolError('service', `What answers at ${url} is no trainer (${error.status}).`, {
      hint: "service.url is an address as 'retool serve' prints it.",
    });
  } finally {
    clock.abort(silent);
    await http.destroy(silent);
  }
}
