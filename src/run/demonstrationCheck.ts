import { RetoolError } from '../lib/errors';
import { deriveSeed } from '../lib/seed';
import type { Sandbox } from '../rl/ports';
import type { Demonstration } from '../schema/trajectory';

/** Enough to notice a file whose code does not print its answers; running all would cost minutes. */
const sample = 4;

/** Runs the code of a few demonstrations for real. @throws RetoolError `data` naming one that prints something else. */
export async function checkDemonstrations(
  demonstrations: readonly Demonstration[],
  file: string,
  sandbox: Sandbox,
): Promise<void> {
  const stride = Math.max(1, Math.floor(demonstrations.length / sample));
  const chosen = demonstrations.filter((_, i) => i % stride === 0).slice(0, sample);
  await Promise.all(
    chosen.map(async ({ id, code, answer }) => {
      const result = await sandbox.run(code, deriveSeed(0, 'check', id), new AbortController().signal);
      const printed = result.stdout.trim();
      if (result.status === 'ok' && printed === answer) return;
      if (result.status === 'infrastructure') {
        throw new RetoolError(
          'python',
          `The sandbox failed at the code of demonstration "${id}": ${sentence(result.stderr)}`,
        );
      }
      const instead = result.status === 'ok' ? `prints "${printed.slice(0, 60)}"` : `ends with ${result.status}`;
      throw new RetoolError(
        'data',
        `${file}: the code of demonstration "${id}" ${instead}, but its answer is "${answer}".`,
        {
          hint: 'The cold start would teach a wrong output: mend the file.',
        },
      );
    }),
  );
}

const sentence = (text: string): string => `${text.trim().replace(/\.$/, '') || 'no reason given'}.`;
