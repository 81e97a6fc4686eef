import { text } from 'node:stream/consumers';
import { resolveInterpreter } from '../../src/sandbox/interpreter';
import type { SandboxLevel } from '../../src/sandbox/levels';
import { PythonSandbox } from '../../src/sandbox/pythonSandbox';

// Runs snippets in a process, and as a user, of its own. It holds secrets in its environment and its memory.
const answer = 'PARENT_ANSWER_CANARY_1';

interface Work {
  readonly python: string | undefined;
  readonly level: SandboxLevel;
  readonly snippets: readonly { readonly code: string; readonly followUp?: { readonly code: string } }[];
}

async function main(): Promise<void> {
  const { python, level, snippets } = JSON.parse(await text(process.stdin)) as Work;
  const limits = { wallSeconds: 2, cpuSeconds: 1, outputBytes: 8192, concurrency: 1 };
  const sandbox = new PythonSandbox(await resolveInterpreter(python), limits, [level]);
  const { signal } = new AbortController();
  await sandbox.run('print("OTHER_TRAJ_CANARY_1")', 1, signal);
  for (const { code, followUp } of snippets) {
    const result = await sandbox.run(code, 1, signal);
    const next = await sandbox.run(followUp?.code ?? 'print(6 * 7)', 1, signal);
    process.stdout.write(`${JSON.stringify({ ...result, next })}\n`);
  }
  sandbox.dispose();
  if (answer.length === 0) process.exitCode = 1;
}

void main();
