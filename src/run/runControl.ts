import type { Hub } from '../hub/hub';
import type { FetchOptions } from '../hub/hubWait';
import type { RetoolError } from '../lib/errors';
import type { Disposable } from '../lib/lifecycle';
import type { JournalRecord } from '../schema/journal';
import type { Plan } from '../schema/plan';
import type { RefusedLevel } from '../schema/sandboxLevels';

/** How a run ended, as its last journal line says. */
export type Outcome = 'completed' | 'stopped' | 'failed';

/** A run that is being written by this process. */
export interface ActiveRun {
  readonly id: string;
  /** Absolute. */
  readonly folder: string;
  /** Resolves when the journal is closed and the trainer gone; never rejects because of the run's own failure. */
  readonly done: Promise<Outcome>;
  /** Why it failed, once `done` has said so. It is in the journal too, unless the disk is what failed. */
  readonly failure: RetoolError | undefined;
  /** Ends it after the step that is under way, saved. */
  stop(): void;
  /** Ends it at once. It can be resumed from its last checkpoint. */
  abort(): void;
}

/** A level of the sandbox that is no boundary: what code can do at it, and why better ones were refused. */
export interface UnsafeLevel {
  readonly level: string;
  readonly risks: readonly string[];
  readonly refused: readonly RefusedLevel[];
}

/** Consent to run model-written code at such a level: given, or asked for when it comes to it. */
export type Consent = boolean | ((level: UnsafeLevel) => Promise<boolean>);

export interface StartOptions {
  /** Path of the experiment file. */
  readonly experiment: string;
  /** Folder of runs below which the run's own folder is made. */
  readonly runs: string;
  /** Use exactly this folder for the run instead. */
  readonly runDir?: string;
  readonly overrides?: { readonly seed?: number; readonly steps?: number };
  /** Interpreter from the user's settings; the experiment's own comes first. */
  readonly python?: string;
  readonly allowUnsafeSandbox?: Consent;
  /** Ends the reading of large data files, before there is a run to stop. */
  readonly signal?: AbortSignal | undefined;
  /** Told which data file is read and its records so far, now and then. */
  readonly onProgress?: ((field: string, records: number) => void) | undefined;
  /** Told what the run will need, before it begins. */
  readonly onPlan?: ((plan: Plan) => void) | undefined;
  /** Told how far a file has come that is fetched from a hub. */
  readonly onFetch?: FetchOptions['onFetch'];
  /** Where files of a hub come from; default: as the environment says. */
  readonly hub?: Hub | undefined;
}

export interface ResumeOptions extends Pick<StartOptions, 'hub' | 'onFetch' | 'signal'> {
  readonly allowUnsafeSandbox?: Consent;
}

/** Starts and resumes runs: what the command line and the extension have in common. */
export interface RunControl extends Disposable {
  /** @throws RetoolError before anything is written when the experiment, its files or the interpreter are wrong. */
  start(options: StartOptions, onRecord?: (record: JournalRecord) => void): Promise<ActiveRun>;
  /** Goes on from the last checkpoint as if never stopped. `onRecord` is told what is new only. */
  resume(folder: string, onRecord?: (record: JournalRecord) => void, options?: ResumeOptions): Promise<ActiveRun>;
  /** The runs that this process writes now. */
  readonly active: ReadonlyMap<string, ActiveRun>;
}
