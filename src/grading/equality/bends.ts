import { type Complex, real } from './complex';
import type { Effort } from './effort';
import { evaluate, valueAt } from './evaluate';
import { apply, contains, type Tree } from './tree';

type Binding = ReadonlyMap<string, Complex>;

/** Far enough out for `max(n, 100)` to be n. */
const far = 1009;
/** Bends beyond which no further ones are looked at. */
const mostBends = 8;

/** Where absolute values, maxima and minima change from one argument to another: the trees whose zeros they are. */
function bendingIn(tree: Tree): readonly Tree[] {
  const found: Tree[] = [];
  contains(tree, (part) => {
    if (part.kind !== 'apply' || found.length >= mostBends) return false;
    if (part.name === 'absolute' || part.name === 'abs') found.push(part.args[0]!);
    else if (part.name === 'max' || part.name === 'min')
      found.push(...part.args.slice(1).map((arg) => apply('subtract', arg, part.args[0]!)));
    return false;
  });
  return found;
}

/** Values of symbols on both sides of each bend, and far out: there expressions part that agree elsewhere. */
export function bends(a: Tree, b: Tree, names: ReadonlySet<string>, effort: Effort): readonly Binding[] {
  const bending = [...bendingIn(a), ...bendingIn(b)].slice(0, mostBends);
  if (bending.length === 0) return [];
  const bindings: Binding[] = [];
  for (const name of [...names].slice(0, 4)) {
    const values = [far, -far, ...bending.flatMap((tree) => aroundZero(tree, name, effort))];
    bindings.push(...values.map((value) => new Map([[name, real(value, 0)]])));
  }
  return bindings;
}

/** Whole numbers on both sides of the zero that a straight line through two values has. */
function aroundZero(tree: Tree, name: string, effort: Effort): readonly number[] {
  const at = (value: number) => evaluate(tree, { bound: new Map([[name, real(value, 0)]]), index: 0 }, effort).re;
  const start = Math.round(valueAt(name, { bound: new Map(), index: 0 }).re);
  const [first, second] = [at(start), at(start + 1)];
  const zero = start - first / (second - first);
  return Number.isFinite(zero) && Math.abs(zero) < 1e9 ? [Math.floor(zero) - 1, Math.ceil(zero) + 1] : [];
}
