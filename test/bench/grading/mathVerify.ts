import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { PeerProcess } from '../trainer/peerProcess';

const run = promisify(execFile);
export const mathVerifyVersion = '0.8.0';

/** Installs Math-Verify from PyPI into a virtual environment of its own if need be, and starts it. */
export async function startMathVerify(): Promise<PeerProcess> {
  const cwd = resolve(import.meta.dirname, '../test/bench/peers');
  const installed = `venv-math-verify/installed-${mathVerifyVersion}`;
  if (!existsSync(`${cwd}/${installed}`)) {
    await run('python3', ['-m', 'venv', 'venv-math-verify'], { cwd });
    const packages = [`math-verify==${mathVerifyVersion}`, 'antlr4-python3-runtime==4.13.2'];
    await run('venv-math-verify/bin/python', ['-m', 'pip', 'install', '--quiet', ...packages], { cwd });
    await run('touch', [installed], { cwd });
  }
  const peer = new PeerProcess('venv-math-verify/bin/python', ['math_verify_pairs.py']);
  await peer.answer();
  return peer;
}
