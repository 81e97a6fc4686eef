import { execa } from 'execa';
import { RetoolError } from '../lib/errors';
import type { Interpreter } from './interpreter';
import runner from './runner.py';

export interface RunnerLimits {
  readonly wallSeconds: number;
  readonly cpuSeconds: number;
  /** Address space. */
  readonly memoryBytes: number;
  /** Longest file, those of output included. */
  readonly fileBytes: number;
}

const script = `
import sys, os, marshal
os.mkfifo(sys.argv[1], 0o600)
print(repr(marshal.dumps(compile(sys.stdin.read(), "<runner>", "exec"))))
`;

/**
 * Makes the FIFO `lifeline` and compiles the runner, once: compiling it in each call would cost a millisecond.
 *
 * @returns a Python program, for this interpreter only. Its argument is the seed, its input a mark and the code.
 * @throws RetoolError `python` when the interpreter fails.
 */
export async function compileRunner(interpreter: Interpreter, lifeline: string, limits: RunnerLimits): Promise<string> {
  const { wallSeconds, cpuSeconds, memoryBytes, fileBytes } = limits;
  const settings = [interpreter.sysPath, lifeline, wallSeconds, cpuSeconds, memoryBytes, fileBytes];
  const call = `run(${settings.map((value) => JSON.stringify(value)).join(', ')})`;
  const result = await execa(interpreter.path, ['-I', '-S', '-B', '-X', 'utf8', '-c', script, lifeline], {
    input: `${runner}\n${call}\n`,
    extendEnv: false,
    timeout: 30_000,
    reject: false,
  });
  if (!result.failed) return `import marshal;exec(marshal.loads(${result.stdout}))`;
  throw new RetoolError('python', `${interpreter.path} cannot prepare the sandbox: ${result.shortMessage}`, {
    hint: 'Choose another interpreter in the setting retool.sandbox.python.',
  });
}
