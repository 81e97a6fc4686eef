import * as vscode from 'vscode';
import { RetoolError } from '../lib/errors';
import type { RunState } from '../schema/runState';
import type { RolloutPlace } from '../schema/trajectory';
import { reinforcementPoints } from './model/runProgress';
import { childrenOf, type NodeOf, stepNode, type TreeNode } from './model/treeNode';
import { treeRow } from './model/treeRow';
import type { Choose } from './quickPick';
import type { Strings } from './strings';

interface Link {
  readonly kind?: undefined;
  readonly place?: RolloutPlace;
}

/** The place that a node of the tree, or a link of a view, is about. */
export function placeOf(subject: unknown): RolloutPlace | undefined {
  const node = (subject ?? {}) as TreeNode | Link;
  if (node.kind === 'step') return { step: node.step };
  if (node.kind === 'evaluation' || node.kind === 'verdict') return { evaluation: node.id };
  return (node as Link).place;
}

/** Where a run has trajectories: its steps, newest first, then its evaluations that have ended. */
export function placesOf(run: RunState): NodeOf<'step' | 'evaluation'>[] {
  const steps = reinforcementPoints(run).map(({ step }) => stepNode(run.id, step) as NodeOf<'step'>);
  const evaluations = childrenOf({ kind: 'evaluations', key: '', runId: run.id }, run).filter(
    (node): node is NodeOf<'evaluation'> => node.kind === 'evaluation' && hasEnded(node.id, run),
  );
  return [...steps.reverse(), ...evaluations];
}

const hasEnded = (evaluation: string, { evaluations, asked }: RunState): boolean =>
  !!evaluations[evaluation]?.result || asked.some(({ id, status }) => id === evaluation && status === 'done');

/** @throws RetoolError `run` with the sentence `none` where there is nothing to choose from; `cancelled`. */
export async function pickPlace(
  run: RunState,
  words: { readonly title: string; readonly none: string },
  strings: Strings,
  choose: Choose,
): Promise<RolloutPlace> {
  const places = placesOf(run);
  if (places.length === 0) throw new RetoolError('run', words.none);
  return placeOf(await pickNode(words.title, places, run, strings, choose))!;
}

/** Chooses among nodes as the tree shows them. @throws RetoolError `cancelled`. */
export async function pickNode<N extends NodeOf<'step' | 'evaluation' | 'problem' | 'trajectory'>>(
  title: string,
  nodes: readonly N[],
  run: RunState,
  strings: Strings,
  choose: Choose,
): Promise<N> {
  const items = nodes.map((node) => {
    const { label, description = '', icon } = treeRow(node, run, strings);
    return { node, label, description, ...(icon && { iconPath: new vscode.ThemeIcon(icon) }) };
  });
  return (await choose(title, items)).node;
}
