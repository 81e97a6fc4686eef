import type { Effort } from './effort';
import { proportional } from './proportional';
import { regionOf } from './regionOf';
import { intersection, sameRegion, union } from './regions';
import { equalScalars, type Verdict } from './scalars';
import { isName, nameOf, orders, solve } from './solve';
import { apply, contains, type Relation, symbolsOf, type Tree } from './tree';
import { all } from './verdicts';

type Equal = (a: Tree, b: Tree) => Verdict;

/**
 * `n=1,2,3` is n=1, n=2, n=3; `(x,y)=(1,2)` stays one answer; what follows an approximation is dropped; a chain of
 * equations keeps its ends.
 */
export function distributed(tree: Tree): Tree {
  if (tree.kind === 'relation') return shortened(tree);
  if (tree.kind !== 'list') return tree;
  const items = tree.items.map(distributed);
  const [first] = items;
  if (
    first?.kind === 'relation' &&
    first.operators.length === 1 &&
    first.operators[0] === '=' &&
    items.slice(1).every(({ kind }) => kind !== 'relation')
  ) {
    const [name] = first.operands as [Tree, Tree];
    return {
      ...tree,
      items: [first, ...items.slice(1).map((value): Relation => ({ ...first, operands: [name, value] }))],
    };
  }
  return { ...tree, items };
}

function shortened({ operands, operators }: Relation): Tree {
  const rough = operators.indexOf('≈');
  if (rough === 0 && !isLabel(operands[0]!)) return operands[0]!;
  const kept = rough > 0 ? rough : operators.length;
  const signs = operators.slice(0, kept).map((operator) => (operator === '≈' ? '=' : operator));
  const parts = operands.slice(0, kept + 1);
  if (signs.length > 1 && isLabel(parts[0]!) && signs.every((operator) => operator === '='))
    return { kind: 'relation', operands: [parts[0]!, parts.at(-1)!], operators: ['='] };
  return { kind: 'relation', operands: parts, operators: signs };
}

/** What an answer may be called: letters, functions of letters, ratios and tuples of them; no arithmetic on numbers. */
export function isLabel(tree: Tree): boolean {
  if (tree.kind === 'symbol' || isName(tree)) return true;
  if (tree.kind === 'constant') return tree.name === 'e' || tree.name === 'i';
  if (tree.kind === 'ratio' || (tree.kind === 'group' && tree.open === '(')) return tree.items.every(isLabel);
  if (tree.kind !== 'apply') return false;
  if (tree.name === 'multiply' || tree.name === 'absolute' || /^(?:call|index) /.test(tree.name)) {
    return tree.args.every((arg) => isLabel(arg) || (tree.name !== 'multiply' && arg.kind === 'number'));
  }
  return (
    tree.name === 'divide' &&
    tree.args.every(isLabel) &&
    contains(tree, (part) => part.kind === 'symbol' && /^[dA-Z]/.test(part.name))
  );
}

const isEquation = (tree: Tree): tree is Relation =>
  tree.kind === 'relation' && tree.operators.length === 1 && tree.operators[0] === '=';
const isMembership = (tree: Tree): tree is Relation =>
  tree.kind === 'relation' && tree.operators.length === 1 && tree.operators[0] === '∈' && isLabel(tree.operands[0]!);
const isInequality = (tree: Tree): tree is Relation =>
  tree.kind === 'relation' && tree.operators.every((operator) => orders.has(operator));

/** Comparison where a side is a relation or holds some; 'unrelated' where none does. */
export function compareRelations(a: Tree, b: Tree, equal: Equal, effort: Effort): Verdict | 'unrelated' {
  if (a.kind === 'relation' && b.kind === 'relation') return compareTwo(a, b, equal, effort);
  const listed = compareAssignments(a, b, equal) ?? compareInequalityLists(a, b, effort);
  if (listed !== undefined) return listed.verdict;
  if (a.kind === 'relation') return againstValue(a, b, true, equal, effort);
  if (b.kind === 'relation') return againstValue(b, a, false, equal, effort);
  return 'unrelated';
}

function compareTwo(a: Relation, b: Relation, equal: Equal, effort: Effort): Verdict {
  if (isEquation(a) && isEquation(b)) return compareEquations(a, b, equal, effort);
  if (isMembership(a) && isMembership(b))
    return nameOf(a.operands[0]!) === nameOf(b.operands[0]!) ? equal(a.operands[1]!, b.operands[1]!) : false;
  if (isInequality(a) && isInequality(b)) return compareInequalities(a, b, equal, effort);
  if (isInequality(a) && isMembership(b)) return againstValue(a, b.operands[1]!, true, equal, effort);
  if (isMembership(a) && isInequality(b)) {
    const [left, right] = [regionOf(a, effort), solve(b, effort)];
    return left && right
      ? right.variable === nameOf(a.operands[0]!) && sameRegion(left, right.region, effort)
      : undefined;
  }
  if (a.operators.join() !== b.operators.join()) return false;
  return all(a.operands.length, (index) => equal(a.operands[index]!, b.operands[index]!));
}

function compareEquations(a: Relation, b: Relation, equal: Equal, effort: Effort): Verdict {
  const [[left, right], [other, value]] = [a.operands as [Tree, Tree], b.operands as [Tree, Tree]];
  const structured = ({ kind }: Tree) =>
    kind !== 'apply' && kind !== 'symbol' && kind !== 'number' && kind !== 'constant' && kind !== 'series';
  if (structured(right) || structured(value) || structured(left) || structured(other)) {
    const straight = all(2, (index) => (index === 0 ? equal(left, other) : equal(right, value)));
    return straight === true || !isLabel(value)
      ? straight
      : all(2, (index) => (index === 0 ? equal(left, value) : equal(right, other)));
  }
  const difference = (x: Tree, y: Tree) => apply('subtract', x, y);
  const same = proportional(difference(left, right), difference(other, value), effort);
  if (same === true) return true;
  const graphs = isGraph(left) && isGraph(other) && left.kind !== other.kind;
  return graphs ? equalScalars(right, value, effort) : same;
}

/** y and f(x) name the same graph. */
const isGraph = (tree: Tree) =>
  nameOf(tree) === 'y' || (tree.kind === 'apply' && /^call f$/.test(tree.name) && tree.args[0]!.kind === 'symbol');

function compareInequalities(a: Relation, b: Relation, equal: Equal, effort: Effort): Verdict {
  const [left, right] = [solve(a, effort), solve(b, effort)];
  if (left && right) return left.variable === right.variable && sameRegion(left.region, right.region, effort);
  const forward =
    a.operators.join() === b.operators.join()
      ? all(a.operands.length, (index) => equal(a.operands[index]!, b.operands[index]!))
      : false;
  if (forward === true || a.operators.length !== 1 || b.operators.length !== 1) return forward;
  const [x, y] = [oriented(a), oriented(b)];
  if (x.strict !== y.strict) return false;
  return proportional(x.tree, y.tree, effort, x.strict === '≠' ? undefined : 1);
}

/** Everything on the side that is greater. */
function oriented({ operands, operators }: Relation): { readonly tree: Tree; readonly strict: string } {
  const [operator] = operators as [string];
  const [left, right] = operands as [Tree, Tree];
  const less = operator === '<' || operator === '≤';
  return {
    tree: less ? apply('subtract', right, left) : apply('subtract', left, right),
    strict: operator === '≠' ? '≠' : operator === '<' || operator === '>' ? '<' : '≤',
  };
}

/** `x=1, y=2` and values without names, which stand in the order of the names; `x=1, x=2` has values in any order. */
function compareAssignments(a: Tree, b: Tree, equal: Equal): { readonly verdict: Verdict } | undefined {
  const [left, right] = [assigned(a), assigned(b)];
  if (left && right) return undefined;
  if (left && (b.kind === 'group' || b.kind === 'list') && !holdsRelation(b))
    return { verdict: valuesOf(left, a, b, equal) };
  if (right && (a.kind === 'group' || a.kind === 'list') && !holdsRelation(a))
    return { verdict: valuesOf(right, b, a, (x, y) => equal(y, x)) };
  if (left && isEquation(b) && b.operands[0]!.kind === 'group') return { verdict: namedTuple(left, b, equal) };
  if (right && isEquation(a) && a.operands[0]!.kind === 'group')
    return { verdict: namedTuple(right, a, (x, y) => equal(y, x)) };
  return undefined;
}

const holdsRelation = (tree: Tree) =>
  (tree.kind === 'group' || tree.kind === 'list') && tree.items.some(({ kind }) => kind === 'relation');

function assigned(tree: Tree): readonly Relation[] | undefined {
  if (tree.kind !== 'list' && !(tree.kind === 'group' && tree.open === '{')) return undefined;
  return tree.items.length > 1 && tree.items.every((item) => isEquation(item) && isLabel(item.operands[0]!))
    ? (tree.items as readonly Relation[])
    : undefined;
}

/** `x=1, y=2, x=3, y=4`: each time that the names begin anew, another solution. Undefined where they are no such thing. */
export function solutionsIn(tree: Tree): readonly Tree[] | undefined {
  const assignments = assigned(tree);
  if (!assignments) return undefined;
  const names = assignments.map(({ operands }) => nameOf(operands[0]!));
  const size = new Set(names).size;
  if (size < 2 || size === names.length || names.length % size !== 0) return undefined;
  const solutions: Tree[] = [];
  for (let at = 0; at < names.length; at += size) {
    if (new Set(names.slice(at, at + size)).size !== size) return undefined;
    solutions.push({ kind: 'group', open: '{', close: '}', items: assignments.slice(at, at + size) });
  }
  return solutions;
}

function valuesOf(
  assignments: readonly Relation[],
  named: Tree,
  other: Tree & { kind: 'group' | 'list' },
  equal: Equal,
): Verdict {
  const values = assignments.map(({ operands }) => operands[1]!);
  const names = new Set(assignments.map(({ operands }) => nameOf(operands[0]!)));
  if (values.length !== other.items.length) return false;
  if (names.size > 1) return all(values.length, (index) => equal(values[index]!, other.items[index]!));
  return equal({ kind: 'list', items: values, joint: named.kind === 'list' ? named.joint : ',' }, other);
}

function namedTuple(assignments: readonly Relation[], tuple: Relation, equal: Equal): Verdict {
  const [names, values] = tuple.operands as [Tree & { kind: 'group' }, Tree];
  if (
    values.kind !== 'group' ||
    names.items.length !== assignments.length ||
    values.items.length !== assignments.length
  )
    return false;
  return all(assignments.length, (index) => {
    const [name, value] = assignments[index]!.operands as [Tree, Tree];
    const place = names.items.findIndex((item) => nameOf(item) === nameOf(name));
    return place < 0 ? false : equal(value, values.items[place]!);
  });
}

/** `x<1 or x>3` is one region. */
function compareInequalityLists(a: Tree, b: Tree, effort: Effort): { readonly verdict: Verdict } | undefined {
  const joined = (tree: Tree) => {
    if (tree.kind !== 'list' || !tree.items.every(isInequality)) return undefined;
    const parts = tree.items.map((item) => solve(item as Relation, effort));
    if (parts.some((part) => part === undefined || part.variable !== parts[0]!.variable)) return undefined;
    const regions = parts.map((part) => part!.region);
    const met = regions.reduce(intersection);
    return {
      variable: parts[0]!.variable,
      region: tree.joint === 'or' || (tree.joint === ',' && met.length === 0) ? regions.reduce(union) : met,
    };
  };
  const [left, right] = [joined(a), joined(b)];
  if (!left && !right) return undefined;
  const single = (tree: Tree) =>
    tree.kind === 'relation'
      ? isMembership(tree)
        ? { variable: nameOf(tree.operands[0]!), region: regionOf(tree, effort) }
        : solve(tree, effort)
      : undefined;
  const [x, y] = [left ?? single(a), right ?? single(b)];
  if (x?.region && y?.region) return { verdict: x.variable === y.variable && sameRegion(x.region, y.region, effort) };
  const region = left && regionOf(b, effort);
  if (left && region) return { verdict: sameRegion(left.region, region, effort) };
  return left && right ? undefined : { verdict: false };
}

const isNumeric = (tree: Tree) =>
  (tree.kind === 'number' || tree.kind === 'constant' || tree.kind === 'apply' || tree.kind === 'measure') &&
  symbolsOf(tree).size === 0;

const arithmetic = /^(?:negate|add|subtract|multiply|divide|power|sqrt)$/;

/** Arithmetic with one letter: such an equation is yet to be solved for it. */
const isUnsolved = (tree: Tree): boolean =>
  symbolsOf(tree).size === 1 && !contains(tree, (part) => part.kind === 'apply' && !arithmetic.test(part.name));

/** `m+n = 100+13 = 113`: equations that end in the value of what is asked for. */
function isWorkedOut({ operands, operators }: Relation): boolean {
  const [asked] = operands as [Tree, ...Tree[]];
  return (
    asked.kind === 'apply' &&
    operators.every((operator) => operator === '=') &&
    symbolsOf(asked).size > 0 &&
    (!isUnsolved(asked) || isLabel(asked)) &&
    operands.slice(1).every(isNumeric)
  );
}

/**
 * A relation against what is none. A name before the sign may be left out. An interval is accepted for an inequality, an
 * inequality for an interval is not: that is Math-Verify's documented asymmetry.
 */
function againstValue(relation: Relation, value: Tree, isGold: boolean, equal: Equal, effort: Effort): Verdict {
  const sides = (inner: Tree) => (isGold ? equal(inner, value) : equal(value, inner));
  if (!isGold && isNumeric(value) && isWorkedOut(relation)) return sides(relation.operands.at(-1)!);
  if (isEquation(relation) || isMembership(relation)) {
    const [name, inner] = relation.operands as [Tree, Tree];
    if (isLabel(name)) return sides(inner);
    const plain = !isGold && symbolsOf(name).size === 0 && equal(name, inner) === true;
    return plain ? sides(inner) : false;
  }
  if (isInequality(relation)) {
    if (!isGold && value.kind !== 'builder') return false;
    const [left, right] = [solve(relation, effort), regionOf(value, effort)];
    return left && right
      ? sameRegion(left.region, right, effort)
      : value.kind === 'apply' || value.kind === 'group'
        ? undefined
        : false;
  }
  return false;
}
