import { execa } from 'execa';
import * as z from 'zod';
import { RetoolError } from '../lib/errors';

const Answer = z.object({
  path: z.string().min(1),
  version: z.array(z.int()).length(3),
  sysPath: z.array(z.string()),
  packages: z.record(z.string(), z.string()),
});

/** A Python that can run code. */
export interface Interpreter {
  /** The binary itself, behind symbolic links, version managers and virtual environments. */
  readonly path: string;
  /** For example `3.11.2`. */
  readonly version: string;
  /** Folders to import from, in order, those of a virtual environment included. Never the working folder. */
  readonly sysPath: readonly string[];
  /** Versions of the mathematical packages that are installed, by name. They are found, not imported. */
  readonly packages: Readonly<Record<string, string>>;
}

// Python 2 must understand it too, so that it can be refused by name. `-E`: the environment of the host has no say.
const question = `
import sys, os, json
answer = {
    "path": os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable),
    "version": list(sys.version_info[:3]),
    "sysPath": [os.path.abspath(path) for path in sys.path if path and os.path.exists(path)],
    "packages": {},
}
if sys.version_info >= (3, 9):
    from importlib import metadata, util
    for name in ("numpy", "sympy"):
        try:
            if util.find_spec(name):
                answer["packages"][name] = metadata.version(name)
        except Exception:
            pass
print("\\n" + json.dumps(answer))
`;

const hint = 'Install Python 3.9 or newer, or name one in the setting retool.sandbox.python or in sandbox.python.';

/**
 * Finds out once what a Python is, by asking it.
 *
 * @param setting a path or a command. Without one, `python3` and then `python` are looked for on the PATH.
 * @throws RetoolError `python` when there is none, when it does not answer, or when it is older than 3.9.
 */
export async function resolveInterpreter(setting?: string): Promise<Interpreter> {
  if (setting !== undefined) return ask(setting, `Python not found: ${setting}.`);
  const missing = 'Python not found: neither python3 nor python is on the PATH.';
  try {
    return await ask('python3', missing);
  } catch (error) {
    return ask('python', missing).catch(() => {
      throw error;
    });
  }
}

async function ask(command: string, missing: string): Promise<Interpreter> {
  const result = await execa(command, ['-E', '-B', '-c', question], {
    stdin: 'ignore',
    timeout: 30_000,
    forceKillAfterDelay: 1_000,
    reject: false,
  });
  if (result.code === 'ENOENT') throw new RetoolError('python', missing, { hint });
  const answer = Answer.safeParse(parseLastLine(result.stdout));
  if (!answer.success) {
    const why = result.timedOut
      ? 'it did not answer within 30 seconds'
      : lastLine(result.stderr || result.shortMessage);
    throw new RetoolError('python', `${command} does not work as a Python interpreter: ${why}.`, { hint });
  }
  const { path, version, sysPath, packages } = answer.data;
  const [major, minor] = version as [number, number, number];
  if (major < 3 || (major === 3 && minor < 9)) {
    throw new RetoolError('python', `${path} is Python ${version.join('.')}, and 3.9 or newer is needed.`, { hint });
  }
  return { path, version: version.join('.'), sysPath, packages };
}

const lastLine = (text: string | undefined) =>
  (text?.trim().split('\n').at(-1) || 'it printed nothing of use').replace(/\.$/, '');

function parseLastLine(text: string | undefined): unknown {
  try {
    return JSON.parse(lastLine(text)) as unknown;
  } catch {
    return undefined;
  }
}
