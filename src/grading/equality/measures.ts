import type { Effort } from './effort';
import { equal } from './rational';
import { equalScalars, type Verdict } from './scalars';
import { apply, contains, type Measure, type Tree, whole } from './tree';
import { commensurable, readUnit } from './units';

/** Units are compared where both sides carry one. Percent and degrees may be left out. */
export function compareMeasures(a: Tree, b: Tree, effort: Effort): Verdict {
  if (a.kind === 'measure' && b.kind === 'measure') {
    const [x, y] = [radians(a), radians(b)];
    if (x.unit.dimension === 'percent' || y.unit.dimension === 'percent') {
      return x.unit.dimension === y.unit.dimension ? equalScalars(x.value, y.value, effort) : false;
    }
    if (!commensurable(x.unit, y.unit)) return false;
    if (x.unit.dimension !== y.unit.dimension) return equalScalars(x.value, y.value, effort);
    // A decimal is rounded in the unit that it is written in.
    return equal(x.unit.scale, y.unit.scale)
      ? equalScalars(x.value, y.value, effort)
      : equalScalars(scaled(x), scaled(y), effort);
  }
  const [measure, other] = a.kind === 'measure' ? [a, b] : [b as Measure, a];
  const written = lettered(other);
  if (written?.unit.dimension === measure.unit.dimension) return compareMeasures(measure, written, effort);
  const same = equalScalars(measure.value, other, effort);
  if (same !== false) return same;
  if (measure.unit.dimension === 'percent')
    return equalScalars(apply('divide', measure.value, whole(100)), other, effort);
  const isPi = (tree: Tree) => tree.kind === 'constant' && tree.name === 'pi';
  if (measure.unit.dimension === 'angle1' && contains(other, isPi))
    return equalScalars(inRadians(measure), other, effort);
  return false;
}

/** `3m` beside a length is one: a letter that names a unit after a number. */
function lettered(tree: Tree): Measure | undefined {
  if (tree.kind !== 'apply' || tree.name !== 'multiply') return undefined;
  const [value, name] = tree.args as [Tree, Tree];
  if (value.kind !== 'number' || name.kind !== 'symbol') return undefined;
  const { unit } = readUnit(name.name);
  return unit && { kind: 'measure', value, unit };
}

const inRadians = ({ value }: Measure) =>
  apply('divide', apply('multiply', value, { kind: 'constant', name: 'pi' }), whole(180));

/** Radians as degrees. */
function radians(measure: Measure): Measure {
  if (measure.unit.dimension !== 'radian1') return measure;
  const value = apply('divide', apply('multiply', measure.value, whole(180)), { kind: 'constant', name: 'pi' });
  return { kind: 'measure', value, unit: { ...measure.unit, dimension: 'angle1' } };
}

function scaled({ value, unit }: Measure): Tree {
  if (unit.scale.n === 1n && unit.scale.d === 1n) return value;
  return apply('multiply', value, { kind: 'number', value: unit.scale, digits: 1 });
}
