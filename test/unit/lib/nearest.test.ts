import { expect, test } from 'vitest';
import { nearest } from '../../../src/lib/nearest';

test('the word that was meant is found, and none where none is near', () => {
  const known = ['groupSize', 'steps', 'seed', 'learningRate'];
  expect(
    ['groupsize', 'gruopSize', 'step', 'sede', 'learningrates', 'warmup', 's'].map((word) => nearest(word, known)),
  ).toEqual(['groupSize', 'groupSize', 'steps', 'seed', 'learningRate', undefined, undefined]);
});
