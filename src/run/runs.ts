import { checkRule } from '../grading/checkRule';
import { readRun } from '../journal/readRun';
import { createRunFolder, makeFolders, readFrozenExperiment } from '../journal/runFolder';
import { RunLock } from '../journal/runLock';
import { sweepPartialFiles } from '../lib/atomicFile';
import { RetoolError } from '../lib/errors';
import { compactProtocol } from '../protocols/compact';
import type { RewardRule, Sandbox } from '../rl/ports';
import { resolveInterpreter } from '../sandbox/interpreter';
import { PythonSandbox } from '../sandbox/pythonSandbox';
import { SandboxFusion } from '../sandbox/sandboxFusion';
import type { JournalRecord } from '../schema/journal';
import { levelPromises, type RefusedLevel, type SandboxLevel } from '../schema/sandboxLevels';
import { localVocabulary } from '../trainer/vocabulary';
import { checkDemonstrations } from './demonstrationCheck';
import { gatherMaterials, type Materials, regatherMaterials } from './materials';
import type { ActiveRun, Consent, ResumeOptions, RunControl, StartOptions } from './runControl';
import { type RunParts, TrainingRun } from './trainingRun';

export interface RunsOptions {
  /** The built `trainer.js`, with the compute thread and the kernels beside it. */
  readonly trainerScript: string;
  /** Of the product; written into each journal. */
  readonly version: string;
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
  private readonly protocol = compactProtocol(localVocabulary);

  constructor(options: RunsOptions) {
    this.options = options;
  }

  async start(options: StartOptions, onRecord: (record: JournalRecord) => void = () => {}): Promise<ActiveRun> {
    requirePosix();
    const materials = await gatherMaterials(options, this.protocol);
    const prepared = await this.prepareSandbox(materials, options.python, options);
    try {
      const folder = await createRunFolder(options.runs, materials.frozen, new Date(), options.runDir);
      const lock = await RunLock.take(folder);
      return await this.launch({ folder, lock, materials, ...prepared, previous: undefined, onRecord });
    } catch (error) {
      prepared.python.dispose();
      throw error;
    }
  }

  async resume(
    folder: string,
    onRecord: (record: JournalRecord) => void = () => {},
    options: ResumeOptions = {},
  ): Promise<ActiveRun> {
    requirePosix();
    const frozen = await readFrozenExperiment(folder);
    const lock = await RunLock.take(folder);
    try {
      const state = await readRun(folder);
      if (state.status === 'completed') {
        throw new RetoolError('run', `The run ${folder} is complete: there is nothing to resume.`, {
          hint: 'Start a new run, or raise reinforcement.steps in one of its own.',
        });
      }
      const materials = await regatherMaterials(frozen, this.protocol);
      const prepared = await this.prepareSandbox(materials, state.facts?.python.path, options);
      try {
        await sweepPartialFiles(folder);
        await makeFolders(folder);
        const previous = state.facts && state;
        return await this.launch({ folder, lock, materials, ...prepared, previous, onRecord });
      } catch (error) {
        prepared.python.dispose();
        throw error;
      }
    } catch (error) {
      await lock.release();
      throw error;
    }
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
    const { fusionUrl } = experiment.sandbox;
    if (fusionUrl !== undefined) return this.prepareFusion(fusionUrl, experiment, demonstrations);
    const interpreter = await resolveInterpreter(experiment.sandbox.python ?? setting);
    const python = new PythonSandbox(interpreter, experiment.sandbox, this.options.replace?.levels);
    try {
      const { level, refused } = await python.climb();
      if (!levelPromises[level].boundary) await requireConsent(allowUnsafeSandbox, level, refused);
      await python.probe();
      await checkDemonstrations(demonstrations, python);
    } catch (error) {
      python.dispose();
      throw error;
    }
    return { interpreter, python, sandbox: this.options.replace?.sandbox?.(python) ?? python };
  }

  private async prepareFusion(
    url: string,
    { sandbox: limits }: Materials['experiment'],
    demonstrations: Materials['demonstrations'],
  ) {
    const python = new SandboxFusion(url, limits);
    try {
      await python.probe();
      await checkDemonstrations(demonstrations, python);
    } catch (error) {
      python.dispose();
      throw error;
    }
    const interpreter = { path: url, version: 'of SandboxFusion', packages: {} };
    return { interpreter, python, sandbox: this.options.replace?.sandbox?.(python) ?? python };
  }

  private async launch(parts: Omit<RunParts, 'protocol' | 'rule' | 'trainerScript' | 'version'>): Promise<ActiveRun> {
    const { trainerScript, version, replace } = this.options;
    const run = await TrainingRun.launch({
      ...parts,
      protocol: this.protocol,
      rule: replace?.rule,
      trainerScript,
      version,
    });
    this.active.set(run.id, run);
    void run.done.finally(() => this.active.delete(run.id));
    return run;
  }
}

function requirePosix(): void {
  if (process.platform !== 'win32') return;
  throw new RetoolError('python', 'ReTool runs model-written code on Linux and macOS only.', {
    hint: 'Open the folder in WSL (Remote - WSL) and train there.',
  });
}

async function requireConsent(consent: Consent, level: SandboxLevel, refused: readonly RefusedLevel[]): Promise<void> {
  if (consent === true) return;
  if (consent === false) throw unsafe(level, refused);
  const risks = levelPromises[level].notGuaranteed;
  if (!(await consent({ level, risks, refused })))
    throw new RetoolError('cancelled', 'The sandbox was not consented to.');
}

function unsafe(level: SandboxLevel, refused: readonly RefusedLevel[]): RetoolError {
  const [risk] = levelPromises[level].notGuaranteed;
  const why = refused.map((one) => `${one.level}: ${one.reason}`).join('; ');
  return new RetoolError(
    'python',
    `This machine keeps model-written code apart at the level "${level}" only, where ${risk}${why ? ` (${why})` : ''}.`,
    { hint: 'Train where `retool sandbox probe` shows a boundary, or consent by --allow-unsafe-sandbox.' },
  );
}
