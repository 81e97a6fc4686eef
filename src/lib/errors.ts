/** The boundary at which something failed. It decides the exit code and the button that is offered. */
export type ErrorCode = 'usage' | 'config' | 'data' | 'python' | 'service' | 'disk' | 'run' | 'cancelled' | 'bug';

/**
 * An error a person can act on.
 *
 * `message` is one sentence: what is wrong and where. `hint` is one sentence: what to do. `cause` keeps the original.
 */
export class RetoolError extends Error {
  override readonly name = 'RetoolError';
  readonly code: ErrorCode;
  readonly hint: string | undefined;

  constructor(code: ErrorCode, message: string, options: ErrorOptions & { hint?: string } = {}) {
    super(message, options);
    this.code = code;
    this.hint = options.hint;
  }

  /** Attributes an unknown error to a boundary. A typed one passes through: it has crossed a nearer boundary. */
  static from(code: ErrorCode, what: string, error: unknown): RetoolError {
    if (error instanceof RetoolError) return error;
    if (isAbort(error)) return new RetoolError('cancelled', what, { cause: error });
    const system = diskError(what, error);
    if (system) return system;
    return new RetoolError(code, `${what}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

/** True for the rejection of an aborted signal, whoever threw it. */
export function isAbort(error: unknown): boolean {
  return (
    (error instanceof RetoolError && error.code === 'cancelled') ||
    (error instanceof Error && error.name === 'AbortError')
  );
}

const diskHints: Record<string, string> = {
  ENOSPC: 'Free some space on that disk and resume the run.',
  EDQUOT: 'Free some of your disk quota and resume the run.',
  EROFS: 'The disk is read-only: choose another folder.',
  EACCES: 'Check the permissions of that path.',
  EPERM: 'Check the permissions of that path.',
};

function diskError(what: string, error: unknown): RetoolError | undefined {
  const { code, path } = (error ?? {}) as NodeJS.ErrnoException;
  const hint = code === undefined ? undefined : diskHints[code];
  if (hint === undefined) return undefined;
  const full = code === 'ENOSPC' || code === 'EDQUOT';
  const where = path ? ` (${path})` : '';
  return new RetoolError('disk', `${what}: ${full ? 'the disk is full' : 'permission denied'}${where}.`, {
    hint,
    cause: error,
  });
}
