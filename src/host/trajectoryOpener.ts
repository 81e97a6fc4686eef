import * as vscode from 'vscode';
import type { RolloutPlace } from '../journal/rolloutPlace';
import { RetoolError } from '../lib/errors';
import type { RunState } from '../schema/runState';
import { reinforcementPoints } from './model/runProgress';
import type { TrajectoryAddress } from './model/trajectoryPath';
import { childrenOf, type NodeOf, problemsOf, stepNode, type TreeNode, trajectoriesOf } from './model/treeNode';
import { placeText, treeRow } from './model/treeRow';
import { onDemand } from './onDemand';
import { dismissed, type RunPicker } from './runPicker';
import type { Strings } from './strings';
import { trajectoryLanguage, trajectoryUri } from './trajectoryFiles';

interface Subject {
  readonly kind?: string;
  readonly place?: RolloutPlace;
}

/** Opens the document of a trajectory. */
export async function showTrajectory(address: TrajectoryAddress): Promise<void> {
  const document = await vscode.workspace.openTextDocument(trajectoryUri(address));
  if (document.languageId !== trajectoryLanguage) {
    await vscode.languages.setTextDocumentLanguage(document, trajectoryLanguage);
  }
  await vscode.window.showTextDocument(document, { preview: true });
}

/** The place that a node of the tree, or a link of a view, is about. */
export function placeOf(subject: unknown): RolloutPlace | undefined {
  const node = subject as TreeNode | Subject;
  if (node.kind === 'step') return { step: (node as NodeOf<'step'>).step };
  if (node.kind === 'evaluation' || node.kind === 'verdict') return { evaluation: (node as NodeOf<'evaluation'>).id };
  return (node as Subject).place;
}

/** Opens a trajectory: the one it is given, or one that is chosen by run, step, problem and branch. */
export class TrajectoryOpener {
  private readonly picker: RunPicker;
  private readonly strings: Strings;

  constructor(picker: RunPicker, strings: Strings) {
    this.picker = picker;
    this.strings = strings;
  }

  async open(subject: unknown): Promise<void> {
    const { pickRun, noSteps } = this.strings.trajectory;
    const run = await this.picker.pick(subject, {
      title: pickRun,
      none: noSteps,
      fits: (candidate) => reinforcementPoints(candidate).length > 0,
    });
    const given = (subject ?? {}) as Subject;
    if (given.kind === 'trajectory') return this.show(subject as NodeOf<'trajectory'>);
    const problem =
      given.kind === 'problem'
        ? (subject as NodeOf<'problem'>)
        : await this.pickProblem(run, placeOf(given) ?? (await this.pickPlace(run)));
    const [only] = problem.group.length === 1 ? trajectoriesOf(problem) : [];
    const where = [run.name, placeText(problem.place, this.strings), problem.group[0]?.problemId].join(' · ');
    await this.show(
      only ?? (await this.choose(this.strings.trajectory.pickTrajectory(where), trajectoriesOf(problem), run)),
    );
  }

  private async show({ runId, place, row }: NodeOf<'trajectory'>): Promise<void> {
    await showTrajectory({ runId, place, problemId: row.problemId, branch: row.branch });
  }

  private async pickPlace(run: RunState): Promise<RolloutPlace> {
    const evaluations = childrenOf({ kind: 'evaluations', key: '', runId: run.id }, run).filter(
      (node): node is NodeOf<'evaluation'> => node.kind === 'evaluation' && !!run.evaluations[node.id]?.result,
    );
    const steps = reinforcementPoints(run)
      .map(({ step }) => stepNode(run.id, step) as NodeOf<'step'>)
      .reverse();
    const places = [...steps, ...evaluations];
    if (places.length === 0) throw new RetoolError('run', this.strings.trajectory.noSteps);
    return placeOf(await this.choose(this.strings.trajectory.pickPlace(run.name), places, run))!;
  }

  private async pickProblem(run: RunState, place: RolloutPlace): Promise<NodeOf<'problem'>> {
    const { readRolloutsAt } = await onDemand.rollouts();
    const problems = problemsOf('', run.id, place, await readRolloutsAt(run.folder, place));
    const where = `${run.name} · ${placeText(place, this.strings)}`;
    return this.choose(this.strings.trajectory.pickProblem(where), problems, run);
  }

  private async choose<N extends NodeOf<'step' | 'evaluation' | 'problem' | 'trajectory'>>(
    title: string,
    nodes: readonly N[],
    run: RunState,
  ): Promise<N> {
    const items = nodes.map((node) => {
      const { label, description = '', icon } = treeRow(node, run, this.strings);
      return { node, label, description, ...(icon && { iconPath: new vscode.ThemeIcon(icon) }) };
    });
    const chosen = await vscode.window.showQuickPick(items, { title, matchOnDescription: true });
    if (!chosen) throw dismissed();
    return chosen.node;
  }
}
