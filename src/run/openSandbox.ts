import { RetoolError } from '../lib/errors';
import type { Disposable } from '../lib/lifecycle';
import { type Interpreter, resolveInterpreter } from '../sandbox/interpreter';
import { PythonSandbox } from '../sandbox/pythonSandbox';
import { SandboxFusion } from '../sandbox/sandboxFusion';
import type { Experiment } from '../schema/experiment';
import type { SandboxLevel } from '../schema/sandboxLevels';
import { requireConsent } from './consent';
import type { Consent } from './runControl';

interface SandboxChoices {
  /** Interpreter from the user's settings; the experiment's own comes first. */
  readonly setting: string | undefined;
  readonly consent: Consent;
  /** Best first; all of this machine where undefined. */
  readonly levels?: readonly SandboxLevel[] | undefined;
}

/** The sandbox of an experiment, tried out. @throws RetoolError `python`, or `cancelled` where nobody consents to it. */
export async function openSandbox(
  { sandbox: limits, observation }: Pick<Experiment, 'sandbox' | 'observation'>,
  choices: SandboxChoices,
): Promise<{
  readonly interpreter: Pick<Interpreter, 'path' | 'version' | 'packages'>;
  readonly python: PythonSandbox | SandboxFusion;
}> {
  const { fusionUrl, python: named } = limits;
  if (fusionUrl !== undefined) {
    // What keeps code apart on the server is up to the server.
    const python = new SandboxFusion(fusionUrl, limits, observation);
    await orDispose(python, () => python.probe());
    return { interpreter: { path: fusionUrl, version: 'of SandboxFusion', packages: {} }, python };
  }
  const interpreter = await resolveInterpreter(named ?? choices.setting);
  const python = new PythonSandbox(interpreter, limits, choices.levels, observation);
  await orDispose(python, async () => {
    await requireConsent(choices.consent, await python.climb());
    await python.probe();
  });
  return { interpreter, python };
}

/** Disposes of `owned` when the work that was to take it over fails. */
export async function orDispose<T>(owned: Disposable, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    owned.dispose();
    throw error;
  }
}

/** @throws RetoolError `python` on Windows. */
export function requirePosix(): void {
  if (process.platform !== 'win32') return;
  throw new RetoolError('python', 'ReTool runs model-written code on Linux and macOS only.', {
    hint: 'Open the folder in WSL (Remote - WSL) and train there.',
  });
}
