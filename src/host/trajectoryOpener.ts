import * as vscode from 'vscode';
import type { RunState } from '../schema/runState';
import type { RolloutPlace } from '../schema/trajectory';
import type { TrajectoryAddress } from './model/trajectoryPath';
import { type NodeOf, problemsOf, trajectoriesOf } from './model/treeNode';
import { placeText } from './model/treeRow';
import { onDemand } from './onDemand';
import { pickNode, pickPlace, placeOf, placesOf } from './placePicker';
import type { RunPicker } from './runPicker';
import type { Strings } from './strings';
import { trajectoryLanguage, trajectoryUri } from './trajectoryFiles';

/** Opens the document of a trajectory. */
export async function showTrajectory(address: TrajectoryAddress): Promise<void> {
  const document = await vscode.workspace.openTextDocument(trajectoryUri(address));
  if (document.languageId !== trajectoryLanguage) {
    await vscode.languages.setTextDocumentLanguage(document, trajectoryLanguage);
  }
  await vscode.window.showTextDocument(document, { preview: true });
}

/** Opens a trajectory: the one it is given, or one that is chosen by run, place, problem and branch. */
export class TrajectoryOpener {
  private readonly picker: RunPicker;
  private readonly strings: Strings;

  constructor(picker: RunPicker, strings: Strings) {
    this.picker = picker;
    this.strings = strings;
  }

  async open(subject: unknown): Promise<void> {
    const words = this.strings.trajectory;
    const run = await this.picker.pick(subject, {
      title: words.pickRun,
      none: words.noSteps,
      fits: (candidate) => placesOf(candidate).length > 0,
    });
    const given = (subject ?? {}) as { readonly kind?: string };
    if (given.kind === 'trajectory') return this.show(subject as NodeOf<'trajectory'>);
    const problem = given.kind === 'problem' ? (subject as NodeOf<'problem'>) : await this.pickProblem(run, subject);
    const [only] = problem.group.length === 1 ? trajectoriesOf(problem) : [];
    const where = [run.name, placeText(problem.place, this.strings), problem.group[0]?.problemId].join(' · ');
    await this.show(only ?? (await pickNode(words.pickTrajectory(where), trajectoriesOf(problem), run, this.strings)));
  }

  private async show({ runId, place, row }: NodeOf<'trajectory'>): Promise<void> {
    await showTrajectory({ runId, place, problemId: row.problemId, branch: row.branch });
  }

  private async pickProblem(run: RunState, subject: unknown): Promise<NodeOf<'problem'>> {
    const { pickPlace: title, pickProblem, noSteps } = this.strings.trajectory;
    const place: RolloutPlace =
      placeOf(subject) ?? (await pickPlace(run, { title: title(run.name), none: noSteps }, this.strings));
    const { readRolloutsAt } = await onDemand.rollouts();
    const problems = problemsOf('', run.id, place, await readRolloutsAt(run.folder, place));
    return pickNode(pickProblem(`${run.name} · ${placeText(place, this.strings)}`), problems, run, this.strings);
  }
}
