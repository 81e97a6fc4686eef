import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { RetoolError } from '../lib/errors';

/**
 * Where files of a hub come from: a server in one of two dialects, or a folder laid out as `OWNER/NAME/…`. `gitHub` gives
 * files of a commit, for evaluation sets; no setting names it.
 */
export type HubSource =
  | { readonly kind: 'huggingFace' | 'modelScope' | 'gitHub'; readonly url: string }
  | { readonly kind: 'folder'; readonly folder: string };

/** One that is asked over HTTP. */
export type HubServer = Extract<HubSource, { url: string }>;

export const huggingFace = 'https://huggingface.co';
const modelScope = 'https://modelscope.cn';
export const gitHub: HubSource = { kind: 'gitHub', url: 'https://raw.githubusercontent.com' };

/**
 * Reads the one setting of the hub: an address, `modelscope`, or a folder. Empty or undefined is Hugging Face.
 *
 * @throws RetoolError `config` for an address with a password, of another protocol, or without one.
 */
export function parseSource(setting: string | undefined): HubSource {
  const text = setting?.trim() || huggingFace;
  if (text.toLowerCase() === 'modelscope') return { kind: 'modelScope', url: modelScope };
  if (!/^[a-z][a-z\d+.-]+:\/\//i.test(text)) return { kind: 'folder', folder: namedFolder(text) };
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) throw wrong(text.replace(/\/\/[^/]*@/, '//…@'), 'is no http address');
  if (url.username || url.password) throw wrong(url.host, 'has a password in its address');
  const kind = /(^|\.)modelscope\.(cn|ai)$/.test(url.hostname) ? 'modelScope' : 'huggingFace';
  return { kind, url: `${url.origin}${url.pathname}`.replace(/\/+$/, '') };
}

const wrong = (what: string, why: string) =>
  new RetoolError('config', `The hub ${what} ${why}.`, {
    hint: `Name an address such as ${huggingFace}, modelscope, or a folder.`,
  });

/** A folder need not be there yet, but a host without its protocol is none. */
function namedFolder(text: string): string {
  const folder = folderOf(text);
  const host = /^((?:[a-z\d-]+\.)+[a-z\d]+|localhost)(:\d+)?(\/|$)/i.exec(text);
  if (!host || existsSync(folder)) return folder;
  const protocol = /^(localhost|127\.)/i.test(host[1]!) ? 'http' : 'https';
  throw new RetoolError('config', `There is no hub folder ${folder}.`, { hint: `Did you mean ${protocol}://${text}?` });
}

function folderOf(text: string): string {
  if (text === '~' || text.startsWith('~/')) return join(homedir(), text.slice(1));
  return isAbsolute(text) ? text : resolve(text);
}

/** For sentences: the host, or the folder. */
export const sourceName = (source: HubSource): string =>
  source.kind === 'folder' ? source.folder : new URL(source.url).host;

/** Tells sources apart in the cache. */
export const sourceKey = (source: HubSource): string => (source.kind === 'folder' ? source.folder : source.url);

/** The user's cache folder of ReTool Lab. */
export function userCache(environment: NodeJS.ProcessEnv = process.env): string {
  const { XDG_CACHE_HOME: xdg } = environment;
  // The specification has relative ones ignored.
  return join(xdg && isAbsolute(xdg) ? xdg : join(homedir(), '.cache'), 'retool');
}
