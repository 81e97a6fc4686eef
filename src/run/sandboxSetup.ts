import { type Interpreter, resolveInterpreter } from '../sandbox/interpreter';
import { makeSandboxVenv } from '../sandbox/makeSandboxVenv';
import { PythonSandbox } from '../sandbox/pythonSandbox';
import { Experiment } from '../schema/experiment';
import { levelPromises, type SandboxReport } from '../schema/sandboxLevels';

/**
 * Starts the sandbox on this machine, runs `print(6 * 7)` in it, and says what it gives.
 *
 * @param python an interpreter's path or command; without one, the `python3` on the PATH.
 * @throws RetoolError `python` when there is no interpreter, or no level works.
 */
export async function reportSandbox(python: string | undefined): Promise<SandboxReport> {
  const interpreter = await resolveInterpreter(python);
  const sandbox = new PythonSandbox(interpreter, Experiment.shape.sandbox.parse({}));
  try {
    return await reportOf(sandbox, interpreter);
  } finally {
    sandbox.dispose();
  }
}

/** As `reportSandbox`, of a sandbox that is there. */
export async function reportOf(
  sandbox: PythonSandbox,
  { path, version, packages }: Interpreter,
): Promise<SandboxReport> {
  const { level, refused } = await sandbox.climb();
  await sandbox.probe();
  return { level, ...levelPromises[level], refused, python: { path, version, packages } };
}

/** Makes a virtual environment for the sandbox: see `makeSandboxVenv`. */
export async function makeEnvironment(
  python: string | undefined,
  folder: string,
  index: string | undefined,
  signal: AbortSignal,
): Promise<string> {
  return makeSandboxVenv(await resolveInterpreter(python), folder, index, signal);
}
