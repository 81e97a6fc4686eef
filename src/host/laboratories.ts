import type * as vscode from 'vscode';
import { RetoolError } from '../lib/errors';
import { DisposableStore } from '../lib/lifecycle';
import type { FromLaboratory, ToLaboratory } from '../schema/laboratory';
import type { RunState } from '../schema/runState';
import type { RolloutPlace } from '../schema/trajectory';
import { laboratoryPage, type Placed, placed, toCsv, toJsonl } from './model/laboratoryRows';
import { placeText } from './model/treeRow';
import { onDemand } from './onDemand';
import { type PageParts, Pages } from './pages';
import { pickPlace, placeOf, placesOf } from './placePicker';
import { chooseInTurn } from './quickPick';
import { saveAs } from './saveAs';
import { showTrajectory } from './trajectoryOpener';
import { WebviewChannel } from './webviewChannel';
import { furnish } from './webviewPage';

interface Place {
  readonly runId: string;
  readonly place: RolloutPlace;
}

/** Tables of the same trajectories under every reward rule. */
export class Laboratories extends Pages<Place, DisposableStore> {
  constructor(parts: PageParts) {
    super('laboratory', parts);
  }

  /** @param subject a node of a step, an evaluation or a run, a run's id, or nothing. */
  async compare(subject: unknown): Promise<void> {
    const { picker, strings, settled } = this.parts;
    await settled();
    const { pickSource: title, none } = strings.laboratory;
    const { noneAnywhere } = strings.behaviour;
    const { run, place } = await chooseInTurn(async (choose) => {
      const fits = (candidate: RunState) => placesOf(candidate).length > 0;
      const run = await picker.pick(subject, { title: strings.trajectory.pickRun, none: noneAnywhere, fits }, choose);
      return { run, place: placeOf(subject) ?? (await pickPlace(run, { title, none }, strings, choose)) };
    });
    this.reveal({ runId: run.id, place });
  }

  protected override async restored(state: unknown): Promise<Place | undefined> {
    const { LaboratoryState } = await onDemand.laboratoryMessages();
    return LaboratoryState.safeParse(state).data;
  }

  protected override keyOf({ runId, place }: Place): string {
    return JSON.stringify([runId, place]);
  }

  protected override runOf({ runId }: Place): string {
    return runId;
  }

  protected override fill(panel: vscode.WebviewPanel, { runId, place }: Place): DisposableStore {
    const { store, strings, extension, log } = this.parts;
    const owned = new DisposableStore();
    const run = store.get(runId);
    panel.title = strings.laboratory.title(run?.name ?? runId, placeText(place, strings));
    let graded: Promise<readonly Placed[]> | undefined;
    const channel = owned.add(
      new WebviewChannel<FromLaboratory, ToLaboratory>(
        panel.webview,
        async (message) => (await onDemand.laboratoryMessages()).FromLaboratory.parse(message),
        (message) => {
          if (message.type === 'ready') graded = this.grade(runId, place, panel.title, (out) => channel.send(out));
          else if (message.type === 'problem') log.error(`laboratory: ${message.message}`);
          else void graded?.then((rows) => this.act(message, runId, place, rows)).catch((error) => this.told(error));
        },
        (error) => log.warn(`laboratory: ${error}`),
      ),
    );
    furnish(panel, extension, {
      icon: 'scale',
      name: 'laboratory',
      styles: ['dashboard.css', 'laboratory.css'],
      data: { strings: strings.laboratory.page, panel: { runId, place } },
    });
    return owned;
  }

  /** @returns the rows that the page shows; none where they cannot be read. */
  private async grade(
    runId: string,
    place: RolloutPlace,
    title: string,
    send: (message: ToLaboratory) => void,
  ): Promise<readonly Placed[]> {
    const { store, strings, log } = this.parts;
    try {
      const run = store.get(runId);
      if (!run) throw new RetoolError('run', strings.errors.runGone);
      const { compareRules } = await onDemand.laboratory();
      const found = await compareRules(run.folder, place);
      const rows = placed(found);
      if (rows.length === 0) throw new RetoolError('run', strings.laboratory.none);
      send(laboratoryPage(title, found, rows, strings));
      return rows;
    } catch (error) {
      const known = RetoolError.from('run', strings.laboratory.none, error);
      log.warn(`laboratory: ${known.message}`);
      send({ type: 'failed', message: [known.message, known.hint].filter(Boolean).join(' ') });
      return [];
    }
  }

  private async act(
    message: Extract<FromLaboratory, { type: 'open' | 'export' }>,
    runId: string,
    place: RolloutPlace,
    rows: readonly Placed[],
  ): Promise<void> {
    if (message.type === 'open') {
      const row = rows[message.row];
      if (!row) return;
      const { problemId, branch } = row.trajectory;
      return showTrajectory({ runId, place, problemId, branch });
    }
    const { strings } = this.parts;
    const name = `${runId}-${'step' in place ? `step-${place.step}` : place.evaluation}-rules.${message.format}`;
    const { exportTitle: title, exported } = strings.laboratory;
    const isCsv = message.format === 'csv';
    const filters: Record<string, string[]> = isCsv ? { CSV: ['csv'] } : { 'JSON Lines': ['jsonl'] };
    await saveAs(isCsv ? toCsv(rows) : toJsonl(rows), { name, title, filters, exported }, strings);
  }
}
