import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { promisify } from 'node:util';
import type { Disposable } from '../../../src/lib/lifecycle';

const run = promisify(execFile);

// The bench runs from `dist/` of a checkout.
const folder = resolve(import.meta.dirname, '../test/bench/peers');

/** Another implementation in a process of its own, which does a piece of work per line and answers with a line. */
export class PeerProcess implements Disposable {
  private readonly child: ChildProcessWithoutNullStreams;
  private readonly lines: AsyncIterator<string>;

  constructor(command: string, args: readonly string[], environment: NodeJS.ProcessEnv = process.env) {
    this.child = spawn(command, args, { cwd: folder, env: environment });
    this.child.stderr.resume();
    const reader: Interface = createInterface({ input: this.child.stdout });
    this.child.once('error', () => reader.close());
    this.lines = reader[Symbol.asyncIterator]();
  }

  /** @throws Error when the process has ended. */
  async answer(): Promise<string> {
    const { value, done } = await this.lines.next();
    if (done) throw new Error('the process ended');
    return value;
  }

  ask(line: string): Promise<string> {
    this.child.stdin.write(`${line}\n`);
    return this.answer();
  }

  dispose(): void {
    this.child.kill();
  }
}

/** Installs TensorFlow.js from the lock file if need be. @param model sizes, as the script takes them. */
export async function startTfjs(model: object): Promise<PeerProcess> {
  if (!existsSync(`${folder}/node_modules/@tensorflow`)) await run('npm', ['ci', '--ignore-scripts'], { cwd: folder });
  return new PeerProcess(process.execPath, ['tfjs.mjs', JSON.stringify(model)]);
}

/** Installs numpy from PyPI into a virtual environment if need be, and starts it on one thread. */
export async function startNumpy(): Promise<PeerProcess> {
  const python = `${folder}/venv/bin/python`;
  if (!existsSync(`${folder}/venv/numpy-installed`)) {
    await run('python3', ['-m', 'venv', 'venv'], { cwd: folder });
    await run(python, ['-m', 'pip', 'install', '--quiet', 'numpy'], { cwd: folder });
    await run('touch', ['venv/numpy-installed'], { cwd: folder });
  }
  // Whatever tunes OpenBLAS by hand can only slow the peer down.
  const { OPENBLAS_CORETYPE: _core, OPENBLAS_L2_SIZE: _size, ...environment } = process.env;
  return new PeerProcess(python, ['numpy_products.py'], {
    ...environment,
    OPENBLAS_NUM_THREADS: '1',
    OMP_NUM_THREADS: '1',
  });
}
