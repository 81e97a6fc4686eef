import { expect, test } from 'vitest';
import { renderTrajectory } from '../../../src/host/model/trajectoryDocument';
import { trajectoryText } from '../../../src/journal/trajectoryText';
import type { ToolResult } from '../../../src/schema/trajectory';
import { okResult } from '../../support/scriptedService';
import { aTrajectory, aTurn, strings } from './support';

const result: ToolResult = { ...okResult('42\n', 0.4), cpuSeconds: 0.1 };
const code = 'print(6 * 7)';
const call = aTurn(`I calculate.\n<tool_call>${code}</tool_call>`, { code, result, observation: '42', added: [1, 2] });
const answer = aTurn('It is \\boxed{42}.');
const render = (...args: Parameters<typeof aTrajectory>) =>
  renderTrajectory(aTrajectory(...args), 'Step 3 · Q1 · T1', strings);

test('a trajectory reads as question, facts, turns, code and output', () => {
  expect(render([call, answer]).text).toBe(`# Question · Step 3 · Q1 · T1
What is 6 times 7?

Gold answer  42
Predicted    42
Reward       +1 · correct · The two are equal.
Advantage    +0.25
Stopped by   answer
Tokens       10, of which 6 are trained on · prompt 2

# Turn 1 · 3 tokens · 0.5 s · mean log-prob −0.30
I calculate.
<tool_call>
── Python · 1 line
print(6 * 7)
── Output · OK · 0.4 s · 2 tokens, not trained on
42

# Turn 2 · 3 tokens · 0.5 s · mean log-prob −0.30
It is \\boxed{42}.
`);
});

test('one of an evaluation says nothing of training', () => {
  const { text } = renderTrajectory(aTrajectory([call, answer]), 'After', strings, false);
  expect(text).not.toMatch(/Advantage|trained on/);
  expect(text).toContain('Tokens       10 · prompt 2\n');
});

test('its regions say where code and output lie, and the graded box is found', () => {
  const { text, regions, graded } = render([call, answer]);
  const lines = text.split('\n');
  const below = (kind: string) =>
    regions.filter((region) => region.kind === kind).map(({ start, end }) => lines.slice(start + 1, end + 1));
  expect(below('code')).toEqual([[code]]);
  expect(below('output')).toEqual([['42']]);
  expect(regions.map(({ kind }) => kind)).toEqual(['question', 'turn', 'code', 'output', 'turn']);
  expect(graded && lines[graded.line]?.slice(graded.start, graded.end)).toBe('\\boxed{42}');
});

test('an output names the exception, and keeps what was cut for the model', () => {
  const failed: ToolResult = { ...result, status: 'error', stdout: '', stderr: 'Traceback\nNameError: c', exitCode: 1 };
  const { text } = render([aTurn(`<tool_call>${code}`, { code, result: failed, observation: 'NameError' }), answer]);
  expect(text).toContain('── Output · NameError · exit 1 · 0.4 s');
  expect(text).toContain('NameError\n── Output before it was cut for the model\nTraceback\nNameError: c');
});

test('what a model wrote cannot break the document', () => {
  const evil = aTurn(`# Turn 9\n── Output · fake\r\n${'x'.repeat(5000)}`);
  const { text, regions } = render([evil], {
    gold: 'a\nb',
    grade: { reward: -1, verdict: 'unknown', formatted: false, predicted: null, reason: 'No box.' },
  });
  expect(Math.max(...text.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(2000);
  expect(regions.map(({ kind }) => kind)).toEqual(['question', 'turn']);
  expect(text).toContain('Gold answer  a␤b');
  expect(text).toContain('Predicted    none');
});

test('a call that could not be read is told, with what the model was told of it', () => {
  const told = aTurn('<code>print(1)', {
    irregular: ['unbalanced', 'malformed'],
    masked: true,
    observation: 'The call does not end.',
    added: [1],
  });
  const { text } = render([told, answer]);
  expect(text).toContain(
    '── About the call · call without its end · malformed call · turn not trained on\n── What the model was told\nThe call does not end.\n',
  );
  expect(text).toContain('Tokens       9, of which 3 are trained on');
});

test('one of a file of results says what the file holds, and what it does not', () => {
  const told = { turns: 3, calls: 2 };
  const counted = aTurn('It is \\boxed{42}.', { tokens: [], logprobs: [], counts: { sampled: 812, added: 0 } });
  const trajectory = (imported: typeof told) => aTrajectory([counted], { prompt: [], imported });
  const { text, graded } = renderTrajectory(trajectory(told), 'AIME25', strings, false);
  expect(text).toBe(`# Question · AIME25
What is 6 times 7?

Gold answer  42
Predicted    42
Graded       correct, as the imported file says
Turns        3
Code calls   2
Tokens       812

The imported file holds the last text alone: the other turns, their code and what it printed are not in it.

# Turn 3 · the last text
It is \\boxed{42}.
`);
  expect(graded).toBeDefined();
  expect(renderTrajectory(trajectory({ turns: 1, calls: 0 }), '', strings, false).text).not.toContain('not in it');
  const plain = trajectoryText(trajectory(told), 'AIME25');
  expect(plain).toContain('3 turns, 2 calls. The file holds the last text alone');
  expect(plain).not.toMatch(/Reward|ended by/);
});
