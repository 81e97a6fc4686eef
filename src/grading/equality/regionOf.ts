import type { Effort } from './effort';
import { complement, endAt, intersection, pointRegion, type Region, union, wholeLine } from './regions';
import { isName, nameOf, solve } from './solve';
import type { Tree } from './tree';

/** The part of the real line that a tree means, where it means one and its ends are numbers. */
export function regionOf(tree: Tree, effort: Effort): Region | undefined {
  effort.spend();
  switch (tree.kind) {
    case 'group':
      return tree.open === '{' ? points(tree.items, effort) : interval(tree, effort);
    case 'symbol':
      return tree.name === 'mathbb R' ? wholeLine : undefined;
    case 'apply': {
      if (tree.name !== 'union' && tree.name !== 'intersection' && tree.name !== 'without') return undefined;
      const left = regionOf(tree.args[0]!, effort);
      const right = left && regionOf(tree.args[1]!, effort);
      if (!left || !right) return undefined;
      effort.spend(left.length + right.length);
      if (tree.name === 'union') return union(left, right);
      return tree.name === 'intersection' ? intersection(left, right) : intersection(left, complement(right));
    }
    case 'builder':
      return conditions(tree.element, tree.condition, effort);
    case 'relation': {
      if (tree.operators.length === 1 && tree.operators[0] === '∈' && isName(tree.operands[0]!))
        return regionOf(tree.operands[1]!, effort);
      return solve(tree, effort)?.region;
    }
    default:
      return undefined;
  }
}

function points(items: readonly Tree[], effort: Effort): Region | undefined {
  let region: Region = [];
  for (const item of items) {
    const point = pointRegion(item, effort);
    if (!point) return undefined;
    region = union(region, point);
  }
  return region;
}

function interval({ open, close, items }: Tree & { kind: 'group' }, effort: Effort): Region | undefined {
  if (items.length !== 2) return undefined;
  const low = endAt(items[0]!, open === '[', effort);
  const high = endAt(items[1]!, close === ']', effort);
  if (!low || !high || low.at > high.at || (low.at === high.at && !(low.closed && high.closed))) return undefined;
  return [{ low, high }];
}

function conditions(element: Tree, condition: Tree, effort: Effort): Region | undefined {
  const named = element.kind === 'relation' && element.operators[0] === '∈' ? element.operands[0]! : element;
  if (!isName(named)) return undefined;
  let region = element.kind === 'relation' ? regionOf(element.operands[1]!, effort) : wholeLine;
  const parts = condition.kind === 'list' ? condition.items : [condition];
  const either = condition.kind === 'list' && condition.joint === 'or';
  let joined: Region | undefined;
  for (const part of parts) {
    if (part.kind !== 'relation') return undefined;
    const isDomain = part.operators[0] === '∈' && nameOf(part.operands[0]!) === nameOf(named);
    const solved = isDomain
      ? { variable: nameOf(named), region: regionOf(part.operands[1]!, effort) }
      : solve(part, effort);
    if (!solved?.region || solved.variable !== nameOf(named)) return undefined;
    joined =
      joined === undefined
        ? solved.region
        : either
          ? union(joined, solved.region)
          : intersection(joined, solved.region);
  }
  region = region && joined && intersection(region, joined);
  return region;
}
