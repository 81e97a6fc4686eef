import type { Score } from './estimators';
import type { PairedDifference } from './pairedDifference';

/** What somebody would like to say of an evaluation. */
export type Claim =
  /** pass@k over these problems. */
  | { readonly kind: 'passAtK'; readonly scores: readonly Score[]; readonly k: number }
  /** An interval over problems; `values` has one of each. */
  | { readonly kind: 'interval'; readonly values: readonly number[] }
  /** That the second checkpoint is better, or worse. */
  | { readonly kind: 'difference'; readonly paired: Omit<PairedDifference, 'standardError'> };

/** Whether samples and problems are enough for a claim; if not, a sentence that says why. */
export type Judgement = { readonly supported: true } | { readonly supported: false; readonly reason: string };

/** Judges a claim by what it stands on. */
export function supports(claim: Claim): Judgement {
  const reason = reasonAgainst(claim);
  return reason === undefined ? { supported: true } : { supported: false, reason };
}

function reasonAgainst(claim: Claim): string | undefined {
  switch (claim.kind) {
    case 'passAtK': {
      const fewest = claim.scores.reduce((least, { samples }) => Math.min(least, samples), Number.POSITIVE_INFINITY);
      if (claim.scores.length === 0) return 'No problem was evaluated.';
      if (claim.k <= fewest) return undefined;
      return `pass@${claim.k} needs ${claim.k} samples of every problem, and one has ${fewest}.`;
    }
    case 'interval': {
      const { values } = claim;
      if (values.length < 2) return tooFew(values.length);
      if (values.some((value) => value !== values[0])) return undefined;
      return `All ${values.length} problems came out the same: ${noSpread}`;
    }
    case 'difference': {
      const { problems, better, worse, low, high, difference } = claim.paired;
      if (problems < 2) return tooFew(problems);
      if (better + worse === 0) return `None of the ${problems} problems came out differently.`;
      if (low === high) return `All ${problems} problems differ by the same ${points(difference)} points: ${noSpread}`;
      if (low > 0 || high < 0) return undefined;
      return `The difference of ${points(difference)} points may be chance: its 95 % interval, ${points(low)} to ${points(high)}, includes 0.`;
    }
  }
}

const noSpread = 'their spread is unknown, and an interval would have no width.';

const tooFew = (problems: number) =>
  `${problems === 1 ? 'One problem says' : 'No problem says'} nothing of others: an interval needs at least two.`;

/** Percentage points, signed: `+12.5`, `−3.1`, `0.0`. */
export function points(share: number): string {
  const text = (Math.abs(share) * 100).toFixed(1);
  if (text === '0.0') return text;
  return `${share > 0 ? '+' : '\u2212'}${text}`;
}
