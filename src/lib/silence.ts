/** A service that does not answer, and is waited for. */
export interface Silence {
  readonly url: string;
  /** Milliseconds since 1970. */
  readonly since: number;
  /** Why, in the words of the system or a status: `connect ECONNREFUSED 127.0.0.1:80`. */
  readonly reason: string;
}

export const silenceText = ({ url, reason }: Silence): string =>
  `The training service at ${url} does not answer (${reason}): it is waited for.`;

export const answersText = (url: string): string => `The training service at ${url} answers again.`;
