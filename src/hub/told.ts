import type { HubPart } from '../schema/hub';
import { type HubAnswer, headerOf } from './hubHttp';

/** What a hub says of a file before it sends it. */
export interface Told {
  readonly commit?: string | undefined;
  /** SHA-256, or the SHA-1 of a git blob, of the content. */
  readonly hash?: string | undefined;
  /** Bytes. */
  readonly size?: number | undefined;
}

/** What one answer adds to it. @param isFirst of the hub itself, not of whom it sends on to. */
export function toldBy(answer: HubAnswer, isFirst: boolean): Told {
  const linked = headerOf(answer, 'x-linked-etag');
  const own = isFirst && answer.status < 300 ? headerOf(answer, 'etag') : undefined;
  const told: Told = {
    commit: headerOf(answer, 'x-repo-commit'),
    hash: hashIn(linked) ?? (headerOf(answer, 'x-repo-commit') === undefined ? undefined : hashIn(own)),
    size: bytesIn(headerOf(answer, 'x-linked-size')),
  };
  return Object.fromEntries(Object.entries(told).filter(([, value]) => value !== undefined));
}

/** ETags of Hugging Face are hashes of the content: SHA-256 in LFS, else git's SHA-1. */
const hashIn = (etag: string | undefined): string | undefined =>
  /^(?:W\/)?"?([0-9a-f]{64}|[0-9a-f]{40})"?$/i.exec(etag ?? '')?.[1]?.toLowerCase();

export const isSha256 = (hash: string | undefined): boolean => hash?.length === 64;

/** A count of bytes; undefined for what is none. */
export const bytesIn = (text: string | undefined): number | undefined =>
  /^\d{1,15}$/.test(text ?? '') ? Number(text) : undefined;

/** What is needed to go on with a part later. A weak ETag does not promise the same bytes. */
export function partOf(answer: HubAnswer, { hash }: Told): HubPart {
  const etag = headerOf(answer, 'etag');
  return { ...(hash !== undefined && { identity: hash }), ...(etag && !etag.startsWith('W/') && { etag }) };
}

/** Asks for what is missing, provided that the file is still the one whose part is there. */
export function rangeOf(size: number, { etag, identity }: HubPart): Record<string, string> {
  if (size === 0 || (etag === undefined && identity === undefined)) return {};
  return { range: `bytes=${size}-`, ...(etag !== undefined && { 'if-range': etag }) };
}
