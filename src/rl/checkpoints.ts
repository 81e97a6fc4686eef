import type { Phase } from '../schema/journal';
import type { RunLog, Trainer } from './ports';

export interface KeptCheckpoint {
  readonly phase: Phase;
  readonly step: number;
  readonly path: string;
}

/** Name of a saved state, unique within a run. */
export const checkpointName = (phase: Phase, step: number): string =>
  `${phase === 'coldStart' ? 'cold-start' : 'step'}-${String(step).padStart(6, '0')}`;

/**
 * Which checkpoints stay: the newest `keepLast`, every `keepEvery`-th step of the reinforcement, and the end of the
 * cold start, which is what later ones are compared with.
 *
 * @param kept oldest first.
 */
export function superseded(
  kept: readonly KeptCheckpoint[],
  rule: { readonly keepLast: number; readonly keepEvery: number; readonly coldStartSteps: number },
): KeptCheckpoint[] {
  return kept.slice(0, -rule.keepLast).filter(({ phase, step }) => {
    if (phase === 'coldStart') return step !== rule.coldStartSteps;
    return rule.keepEvery === 0 || step % rule.keepEvery !== 0;
  });
}

/** Saves checkpoints and lets superseded ones go. A journal line is written only after its save has succeeded. */
export class Checkpoints {
  private readonly log: RunLog;
  private readonly rule: Parameters<typeof superseded>[1];
  private kept: KeptCheckpoint[];

  constructor(log: RunLog, rule: Parameters<typeof superseded>[1], kept: readonly KeptCheckpoint[]) {
    this.log = log;
    this.rule = rule;
    this.kept = [...kept];
  }

  async save(trainer: Trainer, phase: Phase, step: number): Promise<string> {
    const path = await trainer.save(checkpointName(phase, step));
    this.kept.push({ phase, step, path });
    await this.log.append({ kind: 'checkpoint', phase, step, path });
    await this.log.commit();
    await this.prune(trainer);
    return path;
  }

  /** What the reinforcement started from; undefined without a cold start. */
  endOfColdStart(): string | undefined {
    return this.kept.find(({ phase, step }) => phase === 'coldStart' && step === this.rule.coldStartSteps)?.path;
  }

  /** Lets superseded ones go: also those that a crash left after a save, where no further save may follow. */
  async prune(trainer: Trainer): Promise<void> {
    for (const old of superseded(this.kept, this.rule)) {
      await trainer.discard(old.path);
      await this.log.append({ kind: 'discarded', path: old.path });
      this.kept = this.kept.filter((checkpoint) => checkpoint !== old);
    }
  }
}
