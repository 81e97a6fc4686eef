import type { Disposable } from '../lib/lifecycle';
import { exitCode } from './output';

/** A closed terminal is a wish to end, too. */
const endingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Milliseconds in which a second signal is the same key press: npm hands on what the terminal has sent already. */
const samePress = 300;

/**
 * Lets a command end in its own way when it is told to.
 *
 * @param first called once.
 * @param again called for what comes later than {@link samePress} after the signal before.
 */
export function onInterrupt(first: () => void, again = (): void => process.exit(exitCode.interrupted)): Disposable {
  let last: number | undefined;
  const take = (): void => {
    const [before, now] = [last, performance.now()];
    if (before !== undefined && now - before < samePress) return;
    last = now;
    if (before === undefined) first();
    else again();
  };
  for (const name of endingSignals) process.on(name, take);
  return {
    dispose: () => {
      for (const name of endingSignals) process.off(name, take);
    },
  };
}
