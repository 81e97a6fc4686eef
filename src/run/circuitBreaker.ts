import type { Sandbox } from '../rl/ports';

/** Failures of the sandbox in a row that say that it will not come back by itself. */
const most = 12;

/**
 * A sandbox that is watched: when calls fail again and again for no fault of the code, `onDidOpen` is told why, once.
 * Going on would leave out trajectory after trajectory.
 */
export function circuitBreaker(sandbox: Sandbox, onDidOpen: (reason: string) => void): Sandbox {
  let failures = 0;
  return {
    async run(code, seed, signal) {
      const result = await sandbox.run(code, seed, signal);
      failures = result.status === 'infrastructure' ? failures + 1 : 0;
      if (failures === most) onDidOpen(result.stderr || 'the sandbox does not answer');
      return result;
    },
  };
}
