import { join } from 'node:path';
import { execa } from 'execa';
import { RetoolError } from '../lib/errors';
import { lastLine } from '../lib/readableText';
import type { Interpreter } from './interpreter';

/**
 * Makes a virtual environment with numpy and sympy for the sandbox.
 *
 * @param folder of the environment; one that is there already is brought up to date.
 * @param index address of a package index, instead of pip's own.
 * @returns the path of its interpreter.
 * @throws RetoolError `python` in one sentence when `venv` or `pip` is missing, or the packages cannot be had.
 */
export async function makeSandboxVenv(
  { path }: Interpreter,
  folder: string,
  index: string | undefined,
  signal: AbortSignal,
): Promise<string> {
  const options = { stdin: 'ignore', reject: false, cancelSignal: signal } as const;
  const missing = (result: { readonly stderr: string; readonly stdout: string }) =>
    /No module named (venv|pip|ensurepip)|ensurepip/.test(result.stderr + result.stdout)
      ? new RetoolError('python', `${path} has no venv or no pip.`, {
          hint: 'Install it (Debian and Ubuntu: apt install python3-venv) and try again.',
        })
      : undefined;
  const made = await execa(path, ['-m', 'venv', folder], options);
  signal.throwIfAborted();
  if (made.failed) {
    const why = lastLine(made.stderr) ?? lastLine(made.originalMessage ?? '') ?? 'no reason is given';
    throw missing(made) ?? new RetoolError('python', `The virtual environment cannot be made: ${why}.`);
  }
  const python = join(folder, 'bin', 'python');
  const source = index === undefined ? [] : ['--index-url', index];
  const installed = await execa(python, ['-m', 'pip', 'install', '-q', ...source, 'numpy', 'sympy'], options);
  signal.throwIfAborted();
  if (!installed.failed) return python;
  const why = lastLine(installed.stderr) ?? 'no reason is given';
  throw (
    missing(installed) ??
    new RetoolError('python', `numpy and sympy cannot be installed: ${why}.`, {
      hint: 'Check the network, or name a package index in the setting retool.sandbox.packageIndex.',
    })
  );
}
