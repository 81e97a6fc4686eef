import type * as z from 'zod';
import { RetoolError } from '../lib/errors';
import type { Connection } from './connection';
import { retrieve, submit, type TwoStep } from './future';
import { StatusError } from './serviceHttp';

/** Answers after which a request was surely not taken, so that its number is free for the next one. */
const refusals = new Set([400, 401, 404, 409, 413, 415, 422]);

/**
 * The order of one model's requests. Each is submitted when the one before it was accepted, not when it has its result,
 * so the service always has the next one at hand.
 */
export class RequestOrder {
  private readonly connection: Connection;
  private next = 1;
  private submitting: Promise<unknown> = Promise.resolve();
  private broken: RetoolError | undefined;

  constructor(connection: Connection) {
    this.connection = connection;
  }

  /**
   * @param build makes the request for its number.
   * @throws RetoolError `service`. After a request of which it is unknown whether it was taken, all later ones are refused.
   */
  async run<S extends z.ZodType>(build: (seq: number) => TwoStep<S>): Promise<z.output<S>> {
    const { http, lifetime, onWaiting } = this.connection;
    const accepting = this.submitting.then(async () => {
      if (this.broken) throw this.broken;
      const step = build(this.next);
      const requestId = await submit(http, step, lifetime).catch((error: unknown) => this.refused(error));
      this.next += 1;
      return { step, requestId };
    });
    this.submitting = accepting.catch(() => undefined);
    const { step, requestId } = await accepting;
    return retrieve(http, step, requestId, lifetime, onWaiting);
  }

  private refused(error: unknown): never {
    if (!(error instanceof StatusError && refusals.has(error.status))) {
      this.broken = new RetoolError(
        'service',
        'The connection was lost while a training request was sent, so the state of the model is unknown.',
        {
          hint: 'Resume the run from its last checkpoint.',
          cause: error,
        },
      );
    }
    throw error;
  }
}
