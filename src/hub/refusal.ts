import { RetoolError } from '../lib/errors';
import { pageAddress } from './hubAddresses';
import type { HubAnswer } from './hubHttp';
import { headerOf, silentSeconds } from './hubHttp';
import { type HubFile, nameOf, nameOfRepository } from './hubName';
import { type HubServer, sourceName } from './hubSource';

const elsewhere = 'name a mirror, modelscope or a folder by --hub, HF_ENDPOINT or the setting retool.hub';

/** A repository without the file that was asked for. */
export class NoSuchFile extends RetoolError {}

/** No answer. */
export const unreachable = (server: HubServer, error: unknown): RetoolError => {
  const { code, message } = (error ?? {}) as NodeJS.ErrnoException;
  if (code === 'UND_ERR_HEADERS_TIMEOUT') {
    return new RetoolError(
      'service',
      `${sourceName(server)} took the request and said nothing for ${silentSeconds} s.`,
      {
        hint: `Try again later, or ${elsewhere}.`,
        cause: error,
      },
    );
  }
  const why = message || code || 'no reason given';
  return new RetoolError('service', `The hub ${sourceName(server)} cannot be reached: ${why.replace(/\.$/, '')}.`, {
    hint: `Check the network, or ${elsewhere}.`,
    cause: error,
  });
};

/** A connection that ended within a file. @param received, total bytes. */
export const brokenOff = (
  server: HubServer,
  received: number,
  total: number | undefined,
  cause?: unknown,
): RetoolError => {
  const all = total === undefined ? '' : ` of ${total}`;
  return new RetoolError(
    'service',
    `The connection to ${sourceName(server)} broke off after ${received}${all} bytes.`,
    {
      hint: `Try again: what has come is kept. Or ${elsewhere}.`,
      cause,
    },
  );
};

export const noHub = (server: HubServer, what: string): RetoolError =>
  new RetoolError('service', `${sourceName(server)} does not answer like a hub: ${what}.`, {
    hint: `Correct its address, or ${elsewhere}.`,
  });

/** What a hub's refusal means. @param known paths that the repository has, where it could be asked. */
export function refusal(
  server: HubServer,
  file: HubFile,
  answer: HubAnswer,
  hasToken: boolean,
  known: readonly string[],
): RetoolError {
  const { status } = answer;
  const { repository } = file;
  const what = `${repository.kind === 'dataset' ? 'data set' : 'model'} ${nameOfRepository(repository)}`;
  const page = pageAddress(server, repository);
  const told = headerOf(answer, 'x-error-code');
  const where = sourceName(server);
  if (told === 'RevisionNotFound') {
    return new RetoolError('data', `The ${what} has no revision ${repository.revision ?? 'main'} on ${where}.`, {
      hint: `Correct it: ${page} lists the revisions; the slashes of one are written %2F.`,
    });
  }
  if (told === 'GatedRepo' || status === 403) {
    return new RetoolError('service', `${where} gives the ${what} only to those who have been granted access.`, {
      hint: `Ask for it at ${page}, and set ${hasToken ? 'the token of that account' : 'a token'} as HF_TOKEN, in VS Code by 'Set Hub Token'.`,
    });
  }
  // Hugging Face says 401 of a repository that there is not to whoever has no token.
  if (status === 401 || told === 'RepoNotFound') {
    return new RetoolError('data', `${where} has no ${what}, or it is private.`, {
      hint: hasToken
        ? 'Correct its name, or set the token of an account that may read it.'
        : "Correct its name, or set a token as HF_TOKEN, in VS Code by 'Set Hub Token'.",
    });
  }
  if (status === 404) return noSuchFile(file, where, known);
  return new RetoolError('service', `${where} answered ${status} to ${nameOf(file)}.`, {
    hint: `Try again later, or ${elsewhere}.`,
  });
}

const mostNamed = 8;

/** @param known paths that the repository has; none where it could not be asked. */
export function noSuchFile(file: HubFile, where: string, known: readonly string[]): RetoolError {
  const hint =
    known.length === 0
      ? `Correct its name: neither owner, repository, revision nor path may differ.`
      : `It has ${known.slice(0, mostNamed).join(', ')}${known.length > mostNamed ? ` and ${known.length - mostNamed} more` : ''}.`;
  return new NoSuchFile('data', `${where} has no file ${nameOf(file)}.`, { hint });
}
