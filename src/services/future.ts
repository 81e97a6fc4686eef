import type * as z from 'zod';
import { RetoolError } from '../lib/errors';
import { parseJson } from '../lib/parseJson';
import { FailedFuture, type FailureCategory, FutureReply, TryAgain } from '../schema/tinker';
import { detailOf, type ServiceHttp, StatusError } from './serviceHttp';

/** A request that the service accepted and could not fulfil. */
export class FailedRequest extends RetoolError {
  /** `user`: sent as it was it can never succeed. */
  readonly category: FailureCategory;

  constructor(type: string, reason: string, category: FailureCategory) {
    const hint = category === 'user' ? {} : { hint: 'Resume the run from its last checkpoint.' };
    super('service', `${type} failed: ${reason.replace(/\.?$/, '.')}`, hint);
    this.category = category;
  }
}

export interface TwoStep<S extends z.ZodType> {
  readonly path: string;
  readonly body: object;
  /** For the service's log and for error messages: `Sample`, `ForwardBackward`. */
  readonly type: string;
  readonly result: S;
  readonly retryConflicts?: boolean;
}

const pollPath = '/api/v1/retrieve_future';
const pollMilliseconds = 45_000;
const badRequests = 3;
const resubmissions = 3;
/** Equal answers of a broken server are believed after this many, so that a run does not hang for ever. */
const serverErrors = 20;
const paymentMilliseconds = 5_000;
const paymentAttempts = 720;

/** Sends the request until it is accepted. @returns the id under which its result is fetched. */
export async function submit(http: ServiceHttp, step: TwoStep<z.ZodType>, signal: AbortSignal): Promise<string> {
  const reply = await http.call('POST', step.path, step.body, FutureReply, signal, {
    retryConflicts: step.retryConflicts ?? true,
  });
  return reply.request_id;
}

/**
 * Waits for the result of an accepted request. One that the service has forgotten is submitted again as it was.
 *
 * @param onWaiting is told why the service makes it wait.
 */
export async function retrieve<S extends z.ZodType>(
  http: ServiceHttp,
  step: TwoStep<S>,
  accepted: string,
  signal: AbortSignal,
  onWaiting?: (state: string) => void,
): Promise<z.output<S>> {
  let requestId = accepted;
  let body = JSON.stringify({ request_id: requestId, allow_metadata_only: false });
  const counts = { lost: 0, bad: 0, broken: 0, forgotten: 0, payment: 0 };
  for (let iteration = 0; ; iteration++) {
    const headers = { 'x-tinker-request-iteration': String(iteration), 'x-tinker-request-type': step.type };
    const answer = await http
      .send('POST', pollPath, body, headers, signal, pollMilliseconds)
      .catch((error: unknown) => {
        http.throwIfOver(signal);
        return http.unreachable(error);
      });
    const lost = answer instanceof RetoolError || answer.status === 429;
    if (lost) {
      if (counts.lost >= 10 && answer instanceof RetoolError) throw answer;
      await http.pause(Math.min(2 ** counts.lost++, 30) * 1000, signal);
      continue;
    }
    counts.lost = 0;
    const { status, text } = answer;
    if (status < 300) {
      const parsed = parseJson(text);
      if (isObject(parsed) && parsed.type === 'try_again') {
        const waiting = TryAgain.safeParse(parsed).data;
        onWaiting?.(waiting?.queue_state_reason ?? waiting?.queue_state ?? 'waiting');
        continue;
      }
      return readResult(http, step, parsed);
    }
    if (status === 408) counts.bad = 0;
    else if (status === 410 && counts.forgotten++ < resubmissions) {
      requestId = await submit(http, step, signal);
      body = JSON.stringify({ request_id: requestId, allow_metadata_only: false });
    } else if (status >= 500 && counts.broken++ < serverErrors) await http.pause(1000, signal);
    else if (status === 402 && counts.payment++ < paymentAttempts) await http.pause(paymentMilliseconds, signal);
    else if (status !== 400 || counts.bad++ >= badRequests) {
      throw new StatusError(pollPath, status, detailOf(text), iteration + 1);
    }
  }
}

/** @throws FailedRequest when the service says that it failed. */
export function readResult<S extends z.ZodType>(http: ServiceHttp, step: TwoStep<S>, result: unknown): z.output<S> {
  const failed = isObject(result) && 'error' in result ? FailedFuture.safeParse(result).data : undefined;
  if (failed) throw new FailedRequest(step.type, failed.error, toCategory(failed.category));
  return http.read(step.path, step.result, result);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function toCategory(category: string | null | undefined): FailureCategory {
  return category === 'user' || category === 'server' ? category : 'unknown';
}
