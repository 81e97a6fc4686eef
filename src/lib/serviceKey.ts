import { randomBytes } from 'node:crypto';

/** A key for one start of the local trainer. Tinker's clients accept what begins so. */
export function randomServiceKey(): string {
  return `tml-${randomBytes(24).toString('hex')}`;
}
