import { checkRule } from '../grading/checkRule';
import { lacksBeginning, readRun } from '../journal/readRun';
import { createRunFolder, makeFolders, readFrozenExperiment } from '../journal/runFolder';
import { RunLock } from '../journal/runLock';
import { sweepPartialFiles } from '../lib/atomicFile';
import { RetoolError } from '../lib/errors';
import type { RewardRule, Sandbox } from '../rl/ports';
import type { JournalRecord } from '../schema/journal';
import type { SandboxLevel } from '../schema/sandboxLevels';
import { localVocabulary } from '../trainer/vocabulary';
import { checkDemonstrations } from './demonstrationCheck';
import { earlierRun } from './earlierRun';
import { gatherMaterials, type Materials, regatherMaterials } from './materials';
import { openSandbox, orDispose, requirePosix } from './openSandbox';
import { planRun, requireUnderCap } from './planner';
import type { ActiveRun, ResumeOptions, RunControl, StartOptions } from './runControl';
import { requireService, type ServiceKeys } from './serviceKeys';
import { type RunParts, TrainingRun } from './trainingRun';

export interface RunsOptions {
  /** The built `trainer.js`, with the compute thread and the kernels beside it. */
  readonly trainerScript: string;
  /** Of the product; written into each journal. */
  readonly version: string;
  readonly serviceKey?: ServiceKeys | undefined;
  /** What stands in the place of a part, for controls and measurements. */
  readonly replace?: {
    readonly sandbox?: (sandbox: Sandbox) => Sandbox;
    readonly rule?: RewardRule;
    /** Levels of the sandbox, best first. */
    readonly levels?: readonly SandboxLevel[];
  };
}

/** Starts and resumes runs: joins files, interpreter, journal, trainer process and method. */
export class Runs implements RunControl {
  readonly active = new Map<string, ActiveRun>();
  private readonly options: RunsOptions;

  constructor(options: RunsOptions) {
    this.options = options;
  }

  async start(options: StartOptions, onRecord: (record: JournalRecord) => void = () => {}): Promise<ActiveRun> {
    requirePosix();
    const materials = await gatherMaterials(options, localVocabulary);
    const plan = planRun(materials, await earlierRun(options.runs, materials.experiment.name));
    requireUnderCap(plan);
    options.onPlan?.(plan);
    const serviceKey = await requireService(materials.experiment.service, this.options.serviceKey, options.signal);
    const prepared = await this.prepareSandbox(materials, options.python, options);
    return orDispose(prepared.python, async () => {
      const folder = await createRunFolder(options.runs, materials.frozen, new Date(), options.runDir);
      return holding(folder, (lock) =>
        this.launch({ folder, lock, materials, ...prepared, serviceKey, previous: undefined, onRecord }),
      );
    });
  }

  async resume(
    folder: string,
    onRecord: (record: JournalRecord) => void = () => {},
    options: ResumeOptions = {},
  ): Promise<ActiveRun> {
    requirePosix();
    const frozen = await readFrozenExperiment(folder);
    return holding(folder, async (lock) => {
      const state = await readRun(folder);
      if (state.status === 'completed') {
        throw new RetoolError('run', `The run ${folder} is complete: there is nothing to resume.`, {
          hint: 'Start a new run; for a longer one, raise reinforcement.steps in its experiment.',
        });
      }
      if (await lacksBeginning(state)) {
        throw new RetoolError('run', `The beginning of the journal of ${folder} is lost, so the run cannot go on.`, {
          hint: 'Restore journal.jsonl, or start a new run.',
        });
      }
      const materials = await regatherMaterials(frozen, localVocabulary, options);
      const serviceKey = await requireService(materials.experiment.service, this.options.serviceKey);
      const prepared = await this.prepareSandbox(materials, state.facts?.python.path, options);
      return orDispose(prepared.python, async () => {
        await sweepPartialFiles(folder);
        await makeFolders(folder);
        const previous = state.facts && state;
        return this.launch({ folder, lock, materials, ...prepared, serviceKey, previous, onRecord });
      });
    });
  }

  dispose(): void {
    for (const run of this.active.values()) run.abort();
  }

  private async prepareSandbox(
    { experiment, demonstrations }: Materials,
    setting: string | undefined,
    { allowUnsafeSandbox = false }: ResumeOptions,
  ) {
    checkRule(experiment.reward);
    const { interpreter, python } = await openSandbox(experiment, {
      setting,
      consent: allowUnsafeSandbox,
      levels: this.options.replace?.levels,
    });
    return orDispose(python, async () => {
      await checkDemonstrations(demonstrations, experiment.coldStart?.demonstrations ?? '', python);
      return { interpreter, python, sandbox: this.options.replace?.sandbox?.(python) ?? python };
    });
  }

  private async launch(parts: Omit<RunParts, 'rule' | 'trainerScript' | 'version'>): Promise<ActiveRun> {
    const { trainerScript, version, replace } = this.options;
    const run = await TrainingRun.launch({
      ...parts,
      rule: replace?.rule,
      trainerScript,
      version,
    });
    this.active.set(run.id, run);
    void run.done.finally(() => this.active.delete(run.id));
    return run;
  }
}

/** Takes the lock of a run for what `work` begins; when that fails, nobody holds it. */
async function holding<T>(folder: string, work: (lock: RunLock) => Promise<T>): Promise<T> {
  const lock = await RunLock.take(folder);
  try {
    return await work(lock);
  } catch (error) {
    await lock.release();
    throw error;
  }
}
