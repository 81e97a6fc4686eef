import type { RolloutSummary } from '../../journal/rolloutFile';
import type { Phase } from '../../schema/journal';
import type { RunState } from '../../schema/runState';
import { reinforcementPoints } from './runProgress';

/** A place in the tree of runs. `key` names it for good; views keep one object per key. */
export type TreeNode = { readonly key: string; readonly runId: string } & (
  | { readonly kind: 'run' | 'dashboard' | 'experiment' | 'checkpoints' | 'evaluations' | 'steps' }
  | { readonly kind: 'checkpoint'; readonly phase: Phase; readonly step: number }
  | { readonly kind: 'evaluation'; readonly id: string }
  | { readonly kind: 'stepRange'; readonly from: number; readonly to: number }
  | { readonly kind: 'step'; readonly step: number }
  | {
      readonly kind: 'problem';
      readonly step: number;
      readonly number: number;
      readonly group: readonly RolloutSummary[];
    }
  | { readonly kind: 'trajectory'; readonly step: number; readonly number: number; readonly row: RolloutSummary }
  | { readonly kind: 'hint'; readonly text: string }
);
export type NodeOf<K extends TreeNode['kind']> = Extract<TreeNode, { kind: K }>;

/** Above so many steps they are grouped. */
const flatSteps = 200;
const rangeSize = 50;

export const runNode = (runId: string): TreeNode => ({ kind: 'run', key: runId, runId });

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
      return run.checkpoints
        .map(({ phase, step }) => ({ kind: 'checkpoint' as const, key: `${key}/${phase}-${step}`, runId, phase, step }))
        .reverse();
    case 'evaluations':
      return Object.keys(run.evaluations).map((id) => ({ kind: 'evaluation', key: `${key}/${id}`, runId, id }));
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

/** The problems of a step, in the order of its rollout file. */
export function problemsOf({ key, runId, step }: NodeOf<'step'>, rows: readonly RolloutSummary[]): NodeOf<'problem'>[] {
  const groups = new Map<string, RolloutSummary[]>();
  for (const row of rows) groups.set(row.problemId, [...(groups.get(row.problemId) ?? []), row]);
  return [...groups].map(([problemId, group], i) => ({
    kind: 'problem',
    key: `${key}/${problemId}`,
    runId,
    step,
    number: i + 1,
    group,
  }));
}

export const trajectoriesOf = ({ key, runId, step, number, group }: NodeOf<'problem'>): NodeOf<'trajectory'>[] =>
  group.map((row) => ({ kind: 'trajectory', key: `${key}/${row.branch}`, runId, step, number, row }));

/** Key of the node above, by which a view reveals a node. */
export function parentKey(node: TreeNode, run: RunState | undefined): string | undefined {
  if (node.kind === 'run') return undefined;
  if (node.kind !== 'step' || !run) return node.key.slice(0, node.key.lastIndexOf('/'));
  const range = stepsOf({ ...node, kind: 'steps', key: `${node.runId}/steps` }, run).find(
    (candidate) => candidate.kind === 'stepRange' && candidate.from <= node.step && node.step <= candidate.to,
  );
  return range?.key ?? `${node.runId}/steps`;
}
