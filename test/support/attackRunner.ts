import { text } from 'node:stream/consumers';
import { resolveInterpreter } from '../../src/sandbox/interpreter';
import { PythonSandbox } from '../../src/sandbox/pythonSandbox';
import type { SandboxLevel } from '../../src/schema/sandboxLevels';

// Runs snippets in a process, and as a user, of its own. It holds secrets in its environment and its memory.
/** Sandboxes that attacks are spread over. */
const atOnce = 3;
const answer = 'PARENT_ANSWER_CANARY_1';
/** An honest call, by its import at the same fork servers as the attacks. */
const beside = 'import os\nprint(6 * 7)';

interface Snippet {
  readonly code: string;
  readonly followUp?: { readonly code: string };
  /** How many times it runs at once, with honest calls between. */
  readonly crowd?: number;
}

interface Work {
  readonly python: string | undefined;
  readonly level: SandboxLevel;
  readonly snippets: readonly Snippet[];
}

async function main(): Promise<void> {
  const { python, level, snippets } = JSON.parse(await text(process.stdin)) as Work;
  const limits = { wallSeconds: 2, cpuSeconds: 1, outputBytes: 8192, concurrency: 2 };
  const interpreter = await resolveInterpreter(python);
  const { signal } = new AbortController();
  const waiting = snippets.entries();
  const results: object[] = [];
  // In each, the call after an attack is forked by the server that the attack was.
  const attackOne = async () => {
    const sandbox = new PythonSandbox(interpreter, limits, [level]);
    await sandbox.run('print("OTHER_TRAJ_CANARY_1")', 1, signal);
    for (const [i, { code, followUp, crowd = 1 }] of waiting) {
      const together = Array.from({ length: 2 * crowd - 1 }, (_, n) =>
        sandbox.run(n % 2 === 0 ? code : beside, 1, signal),
      );
      const [result, ...others] = await Promise.all(together);
      const disturbed = others.find((other, n) => n % 2 === 0 && (other.status !== 'ok' || other.stdout !== '42\n'));
      const next = disturbed ?? (await sandbox.run(followUp?.code ?? 'print(6 * 7)', 1, signal));
      results[i] = { ...result, next };
    }
    sandbox.dispose();
  };
  await Promise.all(Array.from({ length: atOnce }, attackOne));
  process.stdout.write(JSON.stringify(results));
  if (answer.length === 0) process.exitCode = 1;
}

void main();
