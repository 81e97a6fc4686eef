import { expect, it } from 'vitest';
import { circuitBreaker } from '../../../src/run/circuitBreaker';
import { infrastructureResult } from '../../../src/sandbox/toolResult';

const { signal } = new AbortController();

it('opens once, after twelve failures in a row, with the reason', async () => {
  const reasons: string[] = [];
  let calls = 0;
  const failing = infrastructureResult('the broker is gone', 'landlock');
  const sandbox = { run: async () => ({ ...failing, ...(calls++ === 5 ? { status: 'ok' as const } : {}) }) };
  const watched = circuitBreaker(sandbox, (reason) => reasons.push(reason));
  for (let i = 0; i < 17; i++) await watched.run('1', 1, signal);
  expect(reasons).toEqual([]);
  for (let i = 0; i < 5; i++) await watched.run('1', 1, signal);
  expect(reasons).toEqual(['the broker is gone']);
});
