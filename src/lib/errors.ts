/** The boundary at which something failed. It decides the exit code and the button that is offered. */
export type ErrorCode =
  | 'usage'
  | 'config'
  | 'data'
  | 'python'
  | 'service'
  | 'key'
  | 'disk'
  | 'run'
  | 'cancelled'
  | 'bug';

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

/** What an error says of itself. */
export const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message || error.name : String(error);

/** True for the rejection of an aborted signal, whoever threw it. */
export function isAbort(error: unknown): boolean {
  return (
    (error instanceof RetoolError && error.code === 'cancelled') ||
    (error instanceof Error && error.name === 'AbortError')
  );
}

/** What the system says in a code, and what to do about it. */
const diskFaults: Record<string, readonly [what: string, hint: string]> = {
  ENOSPC: ['the disk is full', 'Free some space on that disk, then try again.'],
  EDQUOT: ['the disk quota is used up', 'Free some of your disk quota, then try again.'],
  EROFS: ['the disk is read-only', 'Choose another folder.'],
  EACCES: ['permission denied', 'Check the permissions of that path.'],
  EPERM: ['permission denied', 'Check the permissions of that path.'],
  EEXIST: ['there is a file or a dangling link in its place', 'Move it away, or choose another folder.'],
  ENOTDIR: ['a part of its path is a file, not a folder', 'Move that file away, or choose another folder.'],
  EISDIR: ['it is a folder, not a file', 'Move that folder away.'],
  ENAMETOOLONG: ['its name is too long', 'Give a shorter one.'],
  ELOOP: ['its links lead in a circle', 'Remove them, or choose another path.'],
};

function diskError(what: string, error: unknown): RetoolError | undefined {
  const { code, path, message } = (error ?? {}) as NodeJS.ErrnoException;
  // VS Code hands on what the system said as a text.
  const said = /\b(E[A-Z]{3,}):/.exec(message ?? '')?.[1];
  const fault = diskFaults[code ?? ''] ?? diskFaults[said ?? ''];
  if (!fault) return undefined;
  const [why, hint] = fault;
  return new RetoolError('disk', `${what}: ${why}${path ? ` (${path})` : ''}.`, { hint, cause: error });
}
