import type { Effort } from './effort';
import { equal } from './rational';
import { equalScalars, type Verdict } from './scalars';
import { apply, contains, type Measure, type Tree, whole } from './tree';
import { comparedUnits, inBaseUnit, onlyUnit, withUnitSymbols } from './unitSymbols';
import { commensurable, isNoun, readUnit, sameWords } from './units';

/** Units are compared where both sides carry one. Percent and degrees may be left out. */
export function compareMeasures(a: Tree, b: Tree, effort: Effort): Verdict {
  if (a.kind === 'measure' && b.kind === 'measure') {
    const [x, y] = [radians(a), radians(b)];
    if (x.unit.dimension === 'percent' || y.unit.dimension === 'percent') {
      return x.unit.dimension === y.unit.dimension && sameWords(x.unit, y.unit)
        ? equalScalars(x.value, y.value, effort)
        : false;
    }
    if (!commensurable(x.unit, y.unit)) return false;
    if (x.unit.dimension !== y.unit.dimension) return equalScalars(x.value, y.value, effort);
    // A decimal is rounded in the unit that it is written in.
    return equal(x.unit.scale, y.unit.scale)
      ? equalScalars(x.value, y.value, effort)
      : equalScalars(inBaseUnit(x), inBaseUnit(y), effort);
  }
  const [measure, other] = a.kind === 'measure' ? [a, b] : [b as Measure, a];
  if (measure.unit.turn !== '') return false;
  const written = lettered(other);
  // None of one thing is none of another only where it is not said of what: 0 kg is not 0 m.
  if (written && (written.unit.dimension === measure.unit.dimension || isZero(written.value)))
    return compareMeasures(measure, written, effort);
  const same = equalScalars(measure.value, other, effort);
  if (same !== false) return same;
  if (measure.unit.dimension === 'percent')
    return equalScalars(apply('divide', measure.value, whole(100)), other, effort);
  const isPi = (tree: Tree) => tree.kind === 'constant' && tree.name === 'pi';
  if (measure.unit.dimension === 'angle1' && contains(other, isPi))
    return equalScalars(inRadians(measure), other, effort);
  return false;
}

/**
 * Sums and products of measures, where both sides hold units. A unit at the end of a sum may belong to all of it: where
 * there is only one, it counts for the whole.
 */
export function compareUnitSums(a: Tree, b: Tree, effort: Effort): Verdict | 'unrelated' {
  if (a.kind !== 'apply' && b.kind !== 'apply') return 'unrelated';
  const compared = comparedUnits(a, b);
  if (!compared) return 'unrelated';
  const { units, which } = compared;
  if (isSum(a) && isSum(b) && onlyUnit(units) && equalScalars(a, b, effort) === true) return true;
  return equalScalars(withUnitSymbols(a, which), withUnitSymbols(b, which), effort);
}

const isSum = (tree: Tree) =>
  tree.kind === 'measure' || (tree.kind === 'apply' && /^(?:add|subtract)$/.test(tree.name));

const isZero = (tree: Tree) => tree.kind === 'number' && tree.value.n === 0n;

/** Nothing of one thing and nothing of another: `0 m`, `0 K`. Of other letters there is no such thing. */
export function compareNothings(a: Tree, b: Tree, effort: Effort): Verdict | 'unrelated' {
  const [x, y] = [lettered(a), lettered(b)];
  return x && y && isZero(x.value) && isZero(y.value) ? compareMeasures(x, y, effort) : 'unrelated';
}

/** `3m` beside a length is one: a letter that names a unit after a number. */
function lettered(tree: Tree): Measure | undefined {
  if (tree.kind !== 'apply' || tree.name !== 'multiply') return undefined;
  const [value, name] = tree.args as [Tree, Tree];
  if (value.kind !== 'number' || name.kind !== 'symbol') return undefined;
  const { unit } = readUnit(name.name);
  return unit && !isNoun(unit) ? { kind: 'measure', value, unit } : undefined;
}

const inRadians = ({ value }: Measure) =>
  apply('divide', apply('multiply', value, { kind: 'constant', name: 'pi' }), whole(180));

/** Radians as degrees. */
function radians(measure: Measure): Measure {
  if (measure.unit.dimension !== 'radian1') return measure;
  const value = apply('divide', apply('multiply', measure.value, whole(180)), { kind: 'constant', name: 'pi' });
  return { kind: 'measure', value, unit: { ...measure.unit, dimension: 'angle1' } };
}
