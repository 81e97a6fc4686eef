import type { Effort } from './effort';
import { equalScalars, realValue, type Verdict } from './scalars';
import { apply, type Tree } from './tree';
import { all } from './verdicts';

/** An end of an interval: its place on the line, and the tree that says so exactly. */
export interface End {
  readonly at: number;
  readonly tree: Tree;
  readonly closed: boolean;
}

export interface Interval {
  readonly low: End;
  readonly high: End;
}

/** Disjoint intervals from left to right. */
export type Region = readonly Interval[];

const infinite: Tree = { kind: 'constant', name: 'infinity' };
export const minusInfinity: End = { at: Number.NEGATIVE_INFINITY, tree: apply('negate', infinite), closed: false };
export const plusInfinity: End = { at: Number.POSITIVE_INFINITY, tree: infinite, closed: false };
export const wholeLine: Region = [{ low: minusInfinity, high: plusInfinity }];

export function endAt(tree: Tree, closed: boolean, effort: Effort): End | undefined {
  const at = realValue(tree, effort);
  return at === undefined ? undefined : { at, tree, closed: closed && Number.isFinite(at) };
}

export function pointRegion(tree: Tree, effort: Effort): Region | undefined {
  const end = endAt(tree, true, effort);
  return end && [{ low: end, high: end }];
}

const near = (a: number, b: number) =>
  a === b ||
  (Number.isFinite(a) && Number.isFinite(b) && Math.abs(a - b) <= 1e-12 * Math.max(1, Math.abs(a), Math.abs(b)));

export function union(a: Region, b: Region): Region {
  const sorted = [...a, ...b].sort((x, y) => x.low.at - y.low.at || Number(y.low.closed) - Number(x.low.closed));
  const merged: Interval[] = [];
  for (const interval of sorted) {
    const last = merged.at(-1);
    const touches = last && near(last.high.at, interval.low.at) && (last.high.closed || interval.low.closed);
    if (last && (touches || (last.high.at > interval.low.at && !near(last.high.at, interval.low.at)))) {
      merged[merged.length - 1] = { low: last.low, high: farther(last.high, interval.high) };
    } else merged.push(interval);
  }
  return merged;
}

function farther(a: End, b: End): End {
  if (near(a.at, b.at)) return a.closed ? a : b;
  return a.at > b.at ? a : b;
}

export function complement(region: Region): Region {
  const result: Interval[] = [];
  let low: End = minusInfinity;
  for (const interval of region) {
    const high: End = { ...interval.low, closed: !interval.low.closed && Number.isFinite(interval.low.at) };
    if (low.at < high.at && !near(low.at, high.at)) result.push({ low, high });
    else if (near(low.at, high.at) && low.closed && high.closed) result.push({ low, high });
    low = { ...interval.high, closed: !interval.high.closed && Number.isFinite(interval.high.at) };
  }
  if (low.at < Number.POSITIVE_INFINITY) result.push({ low, high: plusInfinity });
  return result;
}

export const intersection = (a: Region, b: Region): Region => complement(union(complement(a), complement(b)));

export function sameRegion(a: Region, b: Region, effort: Effort): Verdict {
  if (a.length !== b.length) return false;
  const sameEnd = (x: End, y: End) => (x.closed === y.closed ? equalScalars(x.tree, y.tree, effort) : false);
  return all(2 * a.length, (index) => {
    const [x, y] = [a[index >> 1]!, b[index >> 1]!];
    return index % 2 === 0 ? sameEnd(x.low, y.low) : sameEnd(x.high, y.high);
  });
}
