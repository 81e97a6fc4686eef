import { expect, it } from 'vitest';
import { stripFences } from '../../../src/sandbox/stripFences';

it.each([
  ['```python\nprint(1)\n```', 'print(1)'],
  ['\n```py\r\nx = 1\r\nx\r\n```\r\n', 'x = 1\r\nx\r'],
  ['~~~\n1\n~~~', '1'],
  ['````\n1\n````', '1'],
  ['```python\nprint(1)', 'print(1)'],
  ['```python\n  if 1:\n    2\n```', '  if 1:\n    2'],
  ['```', ''],
])('takes the fence from %j', (code, expected) => {
  expect(stripFences(code)).toBe(expected);
});

it.each(['print("```")', 'x = """\n```\n"""', '  print(1)\n', '`x`', ''])('leaves %j as it is', (code) => {
  expect(stripFences(code)).toBe(code);
});
