import { join } from 'node:path';
import { JournalWriter } from '../journal/journalFile';
import { writeRollouts } from '../journal/rolloutFile';
import { evaluationFile, rolloutFile, runPaths } from '../journal/runFolder';
import type { RunLog } from '../rl/ports';
import type { JournalEntry, JournalRecord } from '../schema/journal';
import type { Trajectory } from '../schema/trajectory';
import { type EvaluationSetting, writeEvaluation } from './evaluationFile';

/** A run's memory on disk. Every record is handed on after it has been written. */
export class JournalLog implements RunLog {
  private readonly folder: string;
  private readonly writer: JournalWriter;
  private readonly setting: Omit<EvaluationSetting, 'modelPath'>;
  private readonly onRecord: (record: JournalRecord) => void;
  private lastCheckpoint: string | null = null;

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
    this.onRecord(await this.writer.append(entry));
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
