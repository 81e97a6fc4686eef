import { fill, pointsText } from '../lib/texts';
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

/** Why a claim does not hold: a sentence with its placeholders, `{0}` on, and what stands for them. */
interface Reason {
  readonly sentence: string;
  readonly values: readonly (string | number)[];
}

/** Whether samples and problems are enough for a claim; if not, a sentence that says why. */
export type Judgement =
  | { readonly supported: true }
  | ({ readonly supported: false; readonly reason: string } & Reason);

/** Judges a claim by what it stands on. */
export function supports(claim: Claim): Judgement {
  const against = reasonAgainst(claim);
  if (!against) return { supported: true };
  const { sentence, values } = against;
  return { supported: false, reason: fill(sentence, ...values), sentence, values };
}

const because = (sentence: string, ...values: (string | number)[]): Reason => ({ sentence, values });

function reasonAgainst(claim: Claim): Reason | undefined {
  switch (claim.kind) {
    case 'passAtK': {
      const fewest = claim.scores.reduce((least, { samples }) => Math.min(least, samples), Number.POSITIVE_INFINITY);
      if (claim.scores.length === 0) return because('No problem was evaluated.');
      if (claim.k <= fewest) return undefined;
      return because('pass@{0} needs {0} samples of every problem, and one has {1}.', claim.k, fewest);
    }
    case 'interval': {
      return claim.values.length < 2 ? tooFew(claim.values.length) : undefined;
    }
    case 'difference': {
      const { problems, better, worse, low, high, difference } = claim.paired;
      if (problems < 2) return tooFew(problems);
      if (better + worse === 0) return because('None of the {0} problems came out differently.', problems);
      if (low === high) {
        return because(
          'All {0} problems differ by the same {1} points: their spread is unknown, and an interval would have no width.',
          problems,
          pointsText(difference),
        );
      }
      if (low > 0 || high < 0) return undefined;
      return because(
        'The difference of {0} points may be chance: its 95 % interval, {1} to {2}, includes 0.',
        ...[difference, low, high].map((share) => pointsText(share)),
      );
    }
  }
}

const tooFew = (problems: number): Reason =>
  because(
    `${problems === 1 ? 'One problem says' : 'No problem says'} nothing of others: an interval needs at least two.`,
  );
