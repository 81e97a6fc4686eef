import * as vscode from 'vscode';
import type { RunStore } from '../journal/runStore';
import type { Trajectory } from '../schema/trajectory';
import { renderTrajectory, type TrajectoryDocument } from './model/trajectoryDocument';
import { parseTrajectoryPath, type TrajectoryAddress, trajectoryPath } from './model/trajectoryPath';
import { placeText } from './model/treeRow';
import { onDemand } from './onDemand';
import { type ReadOnlyContent, ReadOnlyFiles } from './readOnlyFiles';
import type { Strings } from './strings';

export const trajectoryScheme = 'retool-trajectory';
export const trajectoryLanguage = 'retool-trajectory';

export const trajectoryUri = (address: TrajectoryAddress): vscode.Uri =>
  vscode.Uri.from({ scheme: trajectoryScheme, path: trajectoryPath(address) });

/** The run that a document shows a trajectory of. */
export const runOfDocument = (uri: vscode.Uri | undefined): string | undefined =>
  uri?.scheme === trajectoryScheme ? parseTrajectoryPath(uri.path)?.runId : undefined;

export interface OpenTrajectory extends TrajectoryDocument {
  readonly address: TrajectoryAddress;
  readonly trajectory: Trajectory;
  readonly bytes: Uint8Array;
}

const kept = 24;

/** Trajectories as read-only files. A tab of one survives the window, because its address says where it lies. */
export class TrajectoryFiles extends ReadOnlyFiles {
  private readonly documents = new Map<string, Promise<OpenTrajectory>>();
  private readonly store: RunStore;
  private readonly strings: Strings;

  private readonly settled: () => Promise<void>;

  /** @param settled resolves when the store has the runs that are on the disk. */
  constructor(store: RunStore, strings: Strings, settled: () => Promise<void>) {
    super();
    this.store = store;
    this.strings = strings;
    this.settled = settled;
  }

  /** @throws FileSystemError `FileNotFound` when the run, the step or the trajectory is not there. */
  get(uri: vscode.Uri): Promise<OpenTrajectory> {
    const known = this.documents.get(uri.path);
    if (known !== undefined) return known;
    const document = this.read(uri);
    this.documents.set(uri.path, document);
    document.catch(() => this.documents.delete(uri.path));
    const [oldest] = this.documents.keys();
    if (this.documents.size > kept && oldest !== undefined) this.documents.delete(oldest);
    return document;
  }

  protected override async content(uri: vscode.Uri): Promise<ReadOnlyContent> {
    return { bytes: (await this.get(uri)).bytes, changed: 0 };
  }

  private async read(uri: vscode.Uri): Promise<OpenTrajectory> {
    const { readTrajectoryAt } = await onDemand.rollouts();
    const address = parseTrajectoryPath(uri.path);
    const run = address && (await this.folderOf(address.runId));
    if (!address || run === undefined) throw vscode.FileSystemError.FileNotFound(this.strings.trajectory.gone);
    try {
      const { place, problemId, branch } = address;
      const trajectory = await readTrajectoryAt(run, place, problemId, branch);
      const title = [placeText(place, this.strings), problemId, this.strings.tree.branch(branch)].join(' · ');
      const document = renderTrajectory(trajectory, title, this.strings, 'step' in place);
      return { ...document, address, trajectory, bytes: new TextEncoder().encode(document.text) };
    } catch (error) {
      throw vscode.FileSystemError.FileNotFound(error instanceof Error ? error.message : String(error));
    }
  }

  /** The store may not have found the run yet when a restored tab asks. */
  private async folderOf(runId: string): Promise<string | undefined> {
    if (!this.store.get(runId)) await this.settled();
    return this.store.get(runId)?.folder;
  }
}
