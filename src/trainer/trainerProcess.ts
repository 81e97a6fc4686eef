import { constants, setPriority } from 'node:os';
import { RetoolError } from '../lib/errors';
import { TrainerArguments, type TrainerLine, trainerKeyVariable } from '../schema/trainerProcess';
import { assetsIn } from './kernelBuilds';
import { type LocalServer, serve } from './serve';

/** Longest that a checkpoint on its way to the disk delays the end, milliseconds. */
const lastWriteMilliseconds = 500;

/**
 * The local trainer as a process of its own. Prints one JSON line, `{url, pid}` or `{error, hint}`, and ends when its
 * stdin does: that also happens when the parent is killed, so no trainer is left behind.
 */
async function main(): Promise<void> {
  // Before there are threads, which inherit it: training must not make the editor slow.
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  // Ctrl-C, and a signal to a whole group, reach the parent too: it saves first and then lets go of stdin.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
  let server: LocalServer | undefined;
  // A plain exit waits for the compute threads to come to the end of what they are in.
  const vanish = () => process.kill(process.pid, 'SIGKILL');
  const end = () => {
    setTimeout(vanish, lastWriteMilliseconds);
    (server?.close() ?? Promise.resolve()).then(vanish, vanish);
  };
  process.stdin.once('end', end).once('close', end).once('error', end).resume();

  const key = process.env[trainerKeyVariable];
  if (!key) throw new RetoolError('usage', `The environment variable ${trainerKeyVariable} is missing.`);
  server = await serve(readArguments(process.argv[2]), assetsIn(import.meta.dirname), { key });
  const { url, kernels } = server;
  process.stdout.write(`${JSON.stringify({ url, pid: process.pid, kernels } satisfies TrainerLine)}\n`);
}

function readArguments(argument = ''): TrainerArguments {
  try {
    return TrainerArguments.parse(JSON.parse(argument));
  } catch (error) {
    throw new RetoolError('usage', 'The trainer is started by retool, not by itself.', {
      hint: 'Use retool serve or retool train.',
      cause: error,
    });
  }
}

main().catch((error: unknown) => {
  const { message, hint } = RetoolError.from('bug', 'The local trainer could not start', error);
  process.stdout.write(`${JSON.stringify({ error: message, hint })}\n`, () => process.exit(1));
});
