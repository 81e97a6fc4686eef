import { RetoolError } from '../../lib/errors';
import type { FailureCategory } from '../../schema/tinker';

/** A request that is answered with an HTTP error status and one sentence. */
export class Fault extends Error {
  override readonly name = 'Fault';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** The body of a future that failed. */
export function toFailure(error: unknown): { error: string; category: FailureCategory } {
  const { message } = error instanceof Error ? error : new Error(String(error));
  const user = error instanceof Fault || (error instanceof RetoolError && error.code === 'data');
  return { error: message, category: user ? 'user' : 'server' };
}
