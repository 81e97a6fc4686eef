import { expect, test } from 'vitest';
import { smooth } from '../../../webview/smoothing';

test('no weight leaves the values alone', () => {
  expect(
    smooth(
      [
        [1, 5],
        [2, 7],
      ],
      0,
    ),
  ).toEqual([
    [1, 5],
    [2, 7],
  ]);
});

test('a constant stays what it is, from the first point on', () => {
  const flat = Array.from({ length: 50 }, (_, i): [number, number] => [i, 3]);
  for (const [, y] of smooth(flat, 0.9)) expect(y).toBeCloseTo(3, 12);
});

test('a gap counts as what it is: what was before it weighs less', () => {
  const [, , afterStep] = smooth(
    [
      [0, 0],
      [1, 0],
      [2, 1],
    ],
    0.6,
  ) as [number, number][];
  const [, , afterGap] = smooth(
    [
      [0, 0],
      [1, 0],
      [20, 1],
    ],
    0.6,
  ) as [number, number][];
  expect(afterGap![1]).toBeGreaterThan(afterStep![1]);
});

test('is the average of W&B where there are a thousand steps or more', () => {
  const points = Array.from({ length: 2001 }, (_, i): [number, number] => [i, i % 2]);
  const base = Math.sqrt(0.6) ** 0.5;
  let [last, debias] = [0, 0];
  const expected = points.map(([, y]) => {
    last = last * base + y;
    debias = debias * base + 1;
    return last / debias;
  });
  const found = smooth(points, 0.6).map(([, y]) => y);
  for (const [i, y] of found.entries()) expect(y).toBeCloseTo(expected[i]!, 9);
});
