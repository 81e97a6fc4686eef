import { execa } from 'execa';
import * as z from 'zod';
import { RetoolError } from '../lib/errors';
import { lastLine } from '../lib/readableText';

const Answer = z.object({
  path: z.string().min(1),
  version: z.array(z.int()).length(3),
  prefix: z.string(),
  sysPath: z.array(z.string()),
  packages: z.record(z.string(), z.string()),
});

/** A Python that can run code. */
export interface Interpreter {
  /** The binary itself, behind symbolic links, version managers and virtual environments. */
  readonly path: string;
  /** For example `3.11.2`. */
  readonly version: string;
  /** Folder of the installation: its `lib` holds the standard library. */
  readonly prefix: string;
  /** Folders to import from, in order, those of a virtual environment included. Never the working folder, nor a project's. */
  readonly sysPath: readonly string[];
  /** Versions of the mathematical packages that are installed, by name. They are found, not imported. */
  readonly packages: Readonly<Record<string, string>>;
}

// Python 2 must understand it too, so that it can be refused by name. `-E`: the environment of the host has no say.
const question = `
import sys, os, json
roots = [os.path.abspath(path) + os.sep for path in (sys.prefix, getattr(sys, "base_prefix", sys.prefix), sys.exec_prefix)]
def is_library(path):
    # An editable install puts a project, with whatever lies in it, on the path.
    inside = any(path.startswith(root) for root in roots) or "site-packages" in path or "dist-packages" in path
    return inside and os.path.exists(path)
answer = {
    "path": os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable),
    "version": list(sys.version_info[:3]),
    "prefix": os.path.realpath(getattr(sys, "base_prefix", sys.prefix)),
    "sysPath": [path for path in map(os.path.abspath, filter(None, sys.path)) if is_library(path)],
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
    // Any place that is there and can be entered; a relative name is one on the PATH, or was resolved.
    ...(command.includes('/') && !command.startsWith('/') ? {} : { cwd: '/' }),
    timeout: 30_000,
    forceKillAfterDelay: 1_000,
    reject: false,
  });
  if (result.code === 'ENOENT') throw new RetoolError('python', missing, { hint });
  const answer = Answer.safeParse(parseLastLine(result.stdout));
  if (!answer.success) {
    const why = result.timedOut
      ? 'it did not answer within 30 seconds'
      : (lastLine(result.stderr ?? '') ?? lastLine(result.originalMessage ?? '') ?? 'it printed nothing of use');
    throw new RetoolError('python', `${command} does not work as a Python interpreter: ${why}.`, { hint });
  }
  const { path, version, prefix, sysPath, packages } = answer.data;
  const [major, minor] = version as [number, number, number];
  if (major < 3 || (major === 3 && minor < 9)) {
    throw new RetoolError('python', `${path} is Python ${version.join('.')}, and 3.9 or newer is needed.`, { hint });
  }
  return { path, version: version.join('.'), prefix, sysPath, packages };
}

function parseLastLine(text: string | undefined): unknown {
  try {
    return JSON.parse(text?.trim().split('\n').at(-1) ?? '') as unknown;
  } catch {
    return undefined;
  }
}
