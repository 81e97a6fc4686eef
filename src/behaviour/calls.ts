import { stripFences } from '../sandbox/stripFences';
import type { Trajectory } from '../schema/trajectory';
import { type CodeLines, codeLines } from './codeLines';
import { type Purpose, purposeOf } from './purpose';
import { type Shape, shapeOf, similarity } from './similarity';
import { syntaxTree } from './syntaxTree';

/** A turn that calls, and what its code is. */
export interface Call {
  /** Index of its turn. */
  readonly turn: number;
  readonly code: string;
  readonly lines: CodeLines;
  /** Undefined where the code is beyond the bound of what is read. */
  readonly shape: Shape | undefined;
  readonly purpose: Purpose;
  readonly executed: boolean;
  readonly succeeded: boolean;
  /** True when an earlier call had the same code. */
  readonly repeats: boolean;
}

/** A failed call, and the first later one that is similar and works. */
export interface Correction {
  readonly failed: Call;
  readonly corrected: Call;
  readonly similarity: number;
}

const same = (call: Pick<Call, 'lines'>): string => call.lines.stripped.join('\n');

export function callsOf({ turns }: Trajectory): Call[] {
  const seen = new Set<string>();
  return turns.flatMap((turn, index) => {
    if (turn.code === undefined) return [];
    const code = stripFences(turn.code);
    const tree = syntaxTree(code);
    const lines = codeLines(code, tree);
    const key = same({ lines });
    const repeats = seen.has(key);
    seen.add(key);
    const executed = turn.result !== undefined && turn.result.status !== 'infrastructure';
    return {
      turn: index,
      code,
      lines,
      shape: tree && shapeOf(tree),
      purpose: purposeOf(tree),
      executed,
      succeeded: turn.result?.status === 'ok',
      repeats,
    };
  });
}

/** @param least similarity of the two, 0..1. */
export function correctionsOf(calls: readonly Call[], least: number): Correction[] {
  return calls.flatMap((failed, index) => {
    if (!failed.executed || failed.succeeded || !failed.shape) return [];
    for (const corrected of calls.slice(index + 1)) {
      if (!corrected.succeeded || !corrected.shape || same(corrected) === same(failed)) continue;
      const alike = similarity(failed.shape, corrected.shape);
      if (alike >= least) return [{ failed, corrected, similarity: alike }];
    }
    return [];
  });
}
