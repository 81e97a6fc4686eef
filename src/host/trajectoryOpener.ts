import * as vscode from 'vscode';
import type { RunState } from '../schema/runState';
import type { RolloutPlace } from '../schema/trajectory';
import type { TrajectoryAddress } from './model/trajectoryPath';
import { type NodeOf, problemsOf, trajectoriesOf } from './model/treeNode';
import { placeText } from './model/treeRow';
import { onDemand } from './onDemand';
import { pickNode, pickPlace, placeOf, placesOf } from './placePicker';
import { type Choose, chooseInTurn } from './quickPick';
import type { RunPicker } from './runPicker';
import type { Strings } from './strings';
import { trajectoryLanguage, trajectoryUri } from './trajectoryFiles';

/** Opens the document of a trajectory. @param beside what is looked at, which keeps the focus. */
export async function showTrajectory(address: TrajectoryAddress, beside = false): Promise<void> {
  const document = await vscode.workspace.openTextDocument(trajectoryUri(address));
  if (document.languageId !== trajectoryLanguage) {
    await vscode.languages.setTextDocumentLanguage(document, trajectoryLanguage);
  }
  await vscode.window.showTextDocument(document, {
    preview: true,
    ...(beside && { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true }),
  });
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
    const { runId, place, row } = await chooseInTurn((choose) => this.choose(subject, choose));
    await showTrajectory({ runId, place, problemId: row.problemId, branch: row.branch });
  }

  private async choose(subject: unknown, choose: Choose): Promise<NodeOf<'trajectory'>> {
    const { pickRun: title, noSteps: none, pickTrajectory } = this.strings.trajectory;
    const fits = (candidate: RunState) => placesOf(candidate).length > 0;
    const run = await this.picker.pick(subject, { title, none, fits }, choose);
    const { kind } = (subject ?? {}) as { readonly kind?: string };
    if (kind === 'trajectory') return subject as NodeOf<'trajectory'>;
    const problem = kind === 'problem' ? (subject as NodeOf<'problem'>) : await this.pickProblem(run, subject, choose);
    const rows = trajectoriesOf(problem);
    const [only, another] = rows;
    if (only && !another) return only;
    const where = [run.name, placeText(problem.place, this.strings), problem.group[0]?.problemId].join(' · ');
    return pickNode(pickTrajectory(where), rows, run, this.strings, choose);
  }

  private async pickProblem(run: RunState, subject: unknown, choose: Choose): Promise<NodeOf<'problem'>> {
    const { pickPlace: title, pickProblem, noSteps } = this.strings.trajectory;
    const place: RolloutPlace =
      placeOf(subject) ?? (await pickPlace(run, { title: title(run.name), none: noSteps }, this.strings, choose));
    const { readRolloutsAt } = await onDemand.rollouts();
    const problems = problemsOf('', run.id, place, await readRolloutsAt(run.folder, place));
    return pickNode(
      pickProblem(`${run.name} · ${placeText(place, this.strings)}`),
      problems,
      run,
      this.strings,
      choose,
    );
  }
}
