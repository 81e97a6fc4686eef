import { join } from 'node:path';
import { JournalWriter } from '../journal/journalFile';
import { writeRollouts } from '../journal/rolloutFile';
import { evaluationFile, rolloutFile, runPaths } from '../journal/runFolder';
import { answersText, type Silence, silenceText } from '../lib/silence';
import type { RunLog } from '../rl/ports';
import type { JournalEntry, JournalRecord, Phase } from '../schema/journal';
import type { Trajectory } from '../schema/trajectory';
import { type EvaluationSetting, writeEvaluation } from './evaluationFile';

/** A run's memory on disk. Every record is handed on after it has been written. */
export class JournalLog implements RunLog {
  private readonly folder: string;
  private readonly writer: JournalWriter;
  private readonly setting: Omit<EvaluationSetting, 'modelPath'>;
  private readonly onRecord: (record: JournalRecord) => void;
  private lastCheckpoint: string | null = null;
  private moment: { readonly phase: Phase; readonly step: number } = { phase: 'reinforcement', step: 0 };

  private constructor(
    folder: string,
    writer: JournalWriter,
    setting: Omit<EvaluationSetting, 'modelPath'>,
    onRecord: (record: JournalRecord) => void,
  ) {
    this.folder = folder;
    this.writer = writer;
    this.setting = setting;
    this.onRecord = onRecord;
  }

  static async open(
    folder: string,
    setting: Omit<EvaluationSetting, 'modelPath'>,
    onRecord: (record: JournalRecord) => void,
  ): Promise<JournalLog> {
    const writer = await JournalWriter.open(join(folder, runPaths.journal));
    return new JournalLog(folder, writer, setting, onRecord);
  }

  async append(entry: JournalEntry): Promise<void> {
    if (entry.kind === 'checkpoint' || entry.kind === 'resumed') {
      this.lastCheckpoint = entry.kind === 'checkpoint' ? entry.path : entry.checkpoint;
    }
    if ('phase' in entry) this.moment = { phase: entry.phase, step: entry.step };
    this.onRecord(await this.writer.append(entry));
  }

  /** Notes that the training service does not answer and is waited for; with undefined, that it answers again. */
  async service(url: string, silence: Silence | undefined): Promise<void> {
    const moment = { kind: 'noticed', ...this.moment } as const;
    await this.append(
      silence
        ? { ...moment, level: 'warning', message: silenceText(silence), service: 'silent' }
        : { ...moment, level: 'info', message: answersText(url), service: 'answers' },
    );
  }

  commit(): Promise<void> {
    return this.writer.sync();
  }

  rollouts(step: number, trajectories: readonly Trajectory[]): Promise<void> {
    return writeRollouts(rolloutFile(this.folder, step), trajectories);
  }

  evaluation(id: string, trajectories: readonly Trajectory[]): Promise<void> {
    const setting = { ...this.setting, modelPath: this.lastCheckpoint };
    return writeEvaluation(evaluationFile(this.folder, id), trajectories, setting);
  }

  close(): Promise<void> {
    return this.writer.close();
  }
}
