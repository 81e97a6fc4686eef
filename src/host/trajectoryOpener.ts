import * as vscode from 'vscode';
import { RetoolError } from '../lib/errors';
import type { RunState } from '../schema/runState';
import { reinforcementPoints } from './model/runProgress';
import { type NodeOf, problemsOf, stepNode, trajectoriesOf } from './model/treeNode';
import { treeRow } from './model/treeRow';
import { onDemand } from './onDemand';
import { dismissed, type RunPicker } from './runPicker';
import type { Strings } from './strings';
import { trajectoryLanguage, trajectoryUri } from './trajectoryFiles';

interface Subject {
  readonly kind?: string;
  readonly step?: number;
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
        : await this.pickProblem(run, given.step ?? (await this.pickStep(run)));
    await this.show(await this.choose(this.strings.trajectory.pickTrajectory, trajectoriesOf(problem), run));
  }

  private async show({ runId, step, number, row }: NodeOf<'trajectory'>): Promise<void> {
    const uri = trajectoryUri({ runId, step, number, problemId: row.problemId, branch: row.branch });
    const document = await vscode.workspace.openTextDocument(uri);
    if (document.languageId !== trajectoryLanguage) {
      await vscode.languages.setTextDocumentLanguage(document, trajectoryLanguage);
    }
    await vscode.window.showTextDocument(document, { preview: true });
  }

  private async pickStep(run: RunState): Promise<number> {
    const steps = reinforcementPoints(run)
      .map(({ step }) => stepNode(run.id, step) as NodeOf<'step'>)
      .reverse();
    if (steps.length === 0) throw new RetoolError('run', this.strings.trajectory.noSteps);
    return (await this.choose(this.strings.trajectory.pickStep, steps, run)).step;
  }

  private async pickProblem(run: RunState, step: number): Promise<NodeOf<'problem'>> {
    const [{ readRolloutIndex }, { rolloutFile }] = await Promise.all([onDemand.rollouts(), onDemand.folders()]);
    const rows = await readRolloutIndex(rolloutFile(run.folder, step));
    const problems = problemsOf(stepNode(run.id, step) as NodeOf<'step'>, rows);
    return this.choose(this.strings.trajectory.pickProblem, problems, run);
  }

  private async choose<N extends NodeOf<'step' | 'problem' | 'trajectory'>>(
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
