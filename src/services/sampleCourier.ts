import * as z from 'zod';
import { breathe } from '../lib/breathe';
import { RetoolError } from '../lib/errors';
import { RetrieveFuturesReply, SampleBatchReply } from '../schema/tinker';
import type { Connection } from './connection';
import { StatusError } from './serviceHttp';

interface Parcel {
  readonly body: object;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** Known once the request was accepted. */
  id: string | undefined;
  abandoned: boolean;
}

type Reply = z.output<typeof SampleBatchReply>['replies'][number];

/** Rollouts that go on in one turn of the event loop: an editor shares it. */
const deliveredAtOnce = 32;

const batchPath = '/api/v1/asample_batch';

/**
 * Carries sampling requests of one sampler to the local trainer and their results back, many per HTTP request: what is
 * asked for while a batch is on its way leaves with the next one. A request and a poll for each sample would cost more
 * than the sampling itself.
 */
export class SampleCourier {
  private readonly connection: Connection;
  private readonly samplerId: string;
  private waiting: Parcel[] = [];
  private readonly sent = new Map<string, Parcel>();
  /** Results that came before the answer to their request. */
  private readonly early = new Map<string, unknown>();
  private cancelled: string[] = [];
  private sending = false;
  private polling = false;
  private cursor = 0;

  constructor(connection: Connection, samplerId: string) {
    this.connection = connection;
    this.samplerId = samplerId;
  }

  /** @returns the result of the sampling request as the service gave it; a failed one has `error`. */
  carry(body: object, signal: AbortSignal): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        parcel.abandoned = true;
        if (parcel.id !== undefined) this.cancel(parcel.id);
        parcel.reject(signal.reason);
      };
      const parcel: Parcel = {
        body,
        resolve: (result) => {
          signal.removeEventListener('abort', leave);
          resolve(result);
        },
        reject: (error) => {
          signal.removeEventListener('abort', leave);
          reject(error);
        },
        id: undefined,
        abandoned: false,
      };
      signal.addEventListener('abort', leave, { once: true });
      this.waiting.push(parcel);
      this.send();
    });
  }

  private send(): void {
    if (this.sending) return;
    this.sending = true;
    // Requests that are made in the same turn of the event loop leave together.
    setImmediate(() => {
      const next = () => {
        this.sending = false;
        if (this.waiting.length > 0) this.send();
      };
      this.sendBatch().then(next, next);
    });
  }

  private async sendBatch(): Promise<void> {
    const parcels = this.waiting.filter((parcel) => !parcel.abandoned);
    this.waiting = [];
    if (parcels.length === 0) return;
    const { http, lifetime } = this.connection;
    const body = { requests: parcels.map((parcel) => parcel.body) };
    try {
      const { replies } = await http.call('POST', batchPath, body, SampleBatchReply, lifetime);
      for (const [index, parcel] of parcels.entries()) this.accepted(parcel, replies[index]);
    } catch (error) {
      for (const parcel of parcels) parcel.reject(error);
    }
  }

  private accepted(parcel: Parcel, reply: Reply | undefined): void {
    if (!reply || 'status' in reply) {
      const { status, detail } = reply ?? { status: 500, detail: 'there was no answer to this request' };
      parcel.reject(new StatusError(batchPath, status as number, detail as string, 1));
      return;
    }
    const id = reply.request_id;
    parcel.id = id;
    if (this.early.has(id)) {
      this.deliver(parcel, this.early.get(id));
      this.early.delete(id);
      return;
    }
    if (parcel.abandoned) this.cancel(id);
    this.sent.set(id, parcel);
    this.poll();
  }

  private poll(): void {
    if (this.polling) return;
    this.polling = true;
    this.pollOn()
      .catch((error: unknown) => {
        const parcels = [...this.sent.values()];
        this.sent.clear();
        for (const parcel of parcels) parcel.reject(error);
      })
      .finally(() => {
        this.polling = false;
        if (this.sent.size > 0) this.poll();
      });
  }

  private async pollOn(): Promise<void> {
    const { http, lifetime } = this.connection;
    const target = { type: 'sampling_session', sampling_session_id: this.samplerId };
    while (this.sent.size > 0) {
      const body = { target, prev_cursor: this.cursor };
      const reply = await http.call('POST', '/api/v1/retrieve_futures', body, RetrieveFuturesReply, lifetime);
      this.cursor = reply.cursor;
      for (const [i, { request_id: id, response }] of reply.completions.entries()) {
        if (i > 0 && i % deliveredAtOnce === 0) await breathe();
        const parcel = this.sent.get(id);
        if (parcel) this.deliver(parcel, response);
        else this.early.set(id, response);
        this.sent.delete(id);
      }
    }
  }

  private deliver(parcel: Parcel, response: unknown): void {
    if (response === undefined)
      parcel.reject(new RetoolError('service', 'The service finished a sample but did not give it.'));
    else parcel.resolve(response);
  }

  /** Tells the service that nobody waits. What becomes of that is nobody's concern either. */
  private cancel(id: string): void {
    this.cancelled.push(id);
    if (this.cancelled.length > 1) return;
    setImmediate(() => {
      const { http, lifetime } = this.connection;
      const body = { request_id: this.cancelled };
      this.cancelled = [];
      http.call('POST', '/api/v1/cancel_future', body, z.unknown(), lifetime, { once: true }).catch(() => undefined);
    });
  }
}
