import type * as z from 'zod';
import type { Engine } from '../engine';
import type { CheckpointStore } from './checkpointStore';
import { Fault } from './fault';
import type { Futures } from './futures';
import type { Registry } from './registry';

/** One request, read. */
export interface Call {
  /** Parsed JSON; undefined without a body. */
  readonly body: unknown;
  /** The body as it came. */
  readonly raw: Uint8Array;
  /** What stands for each `{name}` of the route, in order. */
  readonly params: readonly string[];
  readonly query: URLSearchParams;
  /** Aborts when the client hangs up. */
  readonly signal: AbortSignal;
}

/** Answers with an object, or with a text that is JSON already. */
export type Handler = (call: Call) => unknown;

/** By method and path: `POST /api/v1/asample`. `{name}` stands for one part of the path, `{name...}` for the rest of it. */
export type Routes = Readonly<Record<string, Handler>>;

/** What the handlers work with. */
export interface Context {
  readonly engine: Engine;
  readonly store: CheckpointStore;
  readonly futures: Futures;
  readonly registry: Registry;
  /** Name under which the model is offered. */
  readonly baseModel: string;
  /** How long `retrieve_future` waits for a result. */
  readonly holdMilliseconds: number;
}

/** @throws Fault 422, one sentence that names the field. */
export function parseBody<S extends z.ZodType>(schema: S, { body }: Pick<Call, 'body'>): z.output<S> {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.reduce<string>(
    (path, key) => (typeof key === 'number' ? `${path}[${key}]` : path === '' ? String(key) : `${path}.${String(key)}`),
    '',
  );
  const reason = (issue?.message ?? 'cannot be read').replace(/\.$/, '');
  throw new Fault(422, `${field || 'The request body'}: ${reason.charAt(0).toLowerCase()}${reason.slice(1)}.`);
}
