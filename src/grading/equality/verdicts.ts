import type { Verdict } from './scalars';

/** True where all are, false where one is, else unknown. Stops at the first that is false. */
export function all(count: number, test: (index: number) => Verdict): Verdict {
  let result: Verdict = true;
  for (let index = 0; index < count; index += 1) {
    const verdict = test(index);
    if (verdict === false) return false;
    if (verdict === undefined) result = undefined;
  }
  return result;
}
