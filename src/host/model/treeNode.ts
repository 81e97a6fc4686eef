import type { RolloutSummary } from '../../journal/rolloutIndex';
import type { Phase } from '../../schema/journal';
import type { RunState } from '../../schema/runState';
import type { RolloutPlace } from '../../schema/trajectory';
import { reinforcementPoints } from './runProgress';

/** A place in the tree of runs. `key` names it for good; views keep one object per key. */
export type TreeNode = { readonly key: string; readonly runId: string } & (
  | { readonly kind: 'run' | 'imported' | 'dashboard' | 'experiment' | 'checkpoints' | 'evaluations' | 'steps' }
  /** Step 0 of the cold start is the model before any training. */
  | { readonly kind: 'checkpoint'; readonly phase: Phase; readonly step: number }
  | { readonly kind: 'evaluation'; readonly id: string }
  | { readonly kind: 'stepRange'; readonly from: number; readonly to: number }
  | { readonly kind: 'step'; readonly step: number }
  | {
      readonly kind: 'verdict';
      readonly id: string;
      readonly verdict: Verdict;
      readonly rows: readonly RolloutSummary[];
    }
  | { readonly kind: 'problem'; readonly place: RolloutPlace; readonly group: readonly RolloutSummary[] }
  | {
      readonly kind: 'trajectory';
      readonly place: RolloutPlace;
      readonly row: RolloutSummary;
      /** The only one of its problem. */
      readonly alone: boolean;
    }
  | { readonly kind: 'hint'; readonly text: string }
);
export type NodeOf<K extends TreeNode['kind']> = Extract<TreeNode, { kind: K }>;

type Verdict = RolloutSummary['verdict'];

/** Above so many steps they are grouped. */
const flatSteps = 200;
const rangeSize = 50;

export const runNode = (runId: string): TreeNode => ({ kind: 'run', key: runId, runId });
/** What was imported into a folder and belongs to no run. */
export const importedNode = (runId: string): TreeNode => ({ kind: 'imported', key: runId, runId });

/** Children that follow from the state of the run alone: all but those of a step and below. */
export function childrenOf(node: TreeNode, run: RunState): TreeNode[] {
  const { key, runId } = node;
  switch (node.kind) {
    case 'run':
      return (['dashboard', 'experiment', 'checkpoints', 'evaluations', 'steps'] as const).map((kind) => ({
        kind,
        key: `${key}/${kind}`,
        runId,
      }));
    case 'checkpoints':
      return [{ phase: 'coldStart' as const, step: 0 }, ...run.checkpoints]
        .map(({ phase, step }) => ({ kind: 'checkpoint' as const, key: `${key}/${phase}-${step}`, runId, phase, step }))
        .reverse();
    case 'verdict':
      return evaluatedOf(node);
    case 'problem':
      return trajectoriesOf(node);
    case 'imported':
    case 'evaluations':
      return [...Object.keys(run.evaluations), ...run.asked.map(({ id }) => id)].map((id) => ({
        kind: 'evaluation',
        key: `${key}/${id}`,
        runId,
        id,
      }));
    case 'steps':
      return stepsOf(node, run);
    case 'stepRange':
      return stepsWithin(run, node.from, node.to).map((step) => stepNode(runId, step));
    default:
      return [];
  }
}

function stepsOf({ key, runId }: TreeNode, run: RunState): TreeNode[] {
  const steps = stepsWithin(run, 0, Number.POSITIVE_INFINITY);
  if (steps.length <= flatSteps) return steps.map((step) => stepNode(runId, step));
  const starts = new Set(steps.map((step) => Math.floor((step - 1) / rangeSize) * rangeSize + 1));
  return [...starts].map((from) => {
    const to = Math.min(from + rangeSize - 1, steps[0]!);
    return { kind: 'stepRange', key: `${key}/${from}`, runId, from, to };
  });
}

/** Newest first. */
const stepsWithin = (run: RunState, from: number, to: number): number[] =>
  reinforcementPoints(run)
    .map(({ step }) => step)
    .filter((step) => step >= from && step <= to)
    .reverse();

export const stepNode = (runId: string, step: number): TreeNode => ({
  kind: 'step',
  key: `${runId}/steps/step-${step}`,
  runId,
  step,
});

/** The problems of a place, in the order of its file. */
export function problemsOf(key: string, runId: string, place: RolloutPlace, rows: readonly RolloutSummary[]) {
  return [...grouped(rows)].map(
    ([problemId, group]): NodeOf<'problem'> => ({ kind: 'problem', key: `${key}/${problemId}`, runId, place, group }),
  );
}

function grouped(rows: readonly RolloutSummary[]): Map<string, RolloutSummary[]> {
  const groups = new Map<string, RolloutSummary[]>();
  for (const row of rows) groups.set(row.problemId, [...(groups.get(row.problemId) ?? []), row]);
  return groups;
}

export const trajectoriesOf = ({ key, runId, place, group }: NodeOf<'problem'>): NodeOf<'trajectory'>[] =>
  group.map((row) => ({
    kind: 'trajectory',
    key: `${key}/${row.branch}`,
    runId,
    place,
    row,
    alone: group.length === 1,
  }));

/** An evaluation by how its answers were graded: what went wrong comes first, for that is what one reads. */
export function verdictsOf({ key, runId, id }: NodeOf<'evaluation'>, all: readonly RolloutSummary[]) {
  return (['incorrect', 'unknown', 'correct'] as const).flatMap((verdict): NodeOf<'verdict'>[] => {
    const rows = all.filter((row) => row.verdict === verdict);
    return rows.length > 0 ? [{ kind: 'verdict', key: `${key}/${verdict}`, runId, id, verdict, rows }] : [];
  });
}

/** The trajectories of a verdict; those of one problem stand together where it was sampled more than once. */
export function evaluatedOf({ key, runId, id, rows }: NodeOf<'verdict'>): (NodeOf<'problem'> | NodeOf<'trajectory'>)[] {
  return problemsOf(key, runId, { evaluation: id }, rows).flatMap<NodeOf<'problem'> | NodeOf<'trajectory'>>(
    (problem) => (problem.group.length === 1 ? trajectoriesOf(problem) : [problem]),
  );
}

/** Key of the node above, by which a view reveals a node. */
export function parentKey(node: TreeNode, run: RunState | undefined): string | undefined {
  if (node.kind === 'run' || node.kind === 'imported') return undefined;
  if (node.kind !== 'step' || !run) return node.key.slice(0, node.key.lastIndexOf('/'));
  const range = stepsOf({ ...node, kind: 'steps', key: `${node.runId}/steps` }, run).find(
    (candidate) => candidate.kind === 'stepRange' && candidate.from <= node.step && node.step <= candidate.to,
  );
  return range?.key ?? `${node.runId}/steps`;
}
