import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const time = '2026-01-01T00:00:00.000Z';
const lines = (rows) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');
const ids = (count) => Array.from({ length: count }, () => 1);

const result = (status, stdout) => ({
  status,
  stdout,
  stderr: status === 'ok' ? '' : "Traceback (most recent call last)\nNameError: name 'totl' is not defined",
  exitCode: status === 'ok' ? 0 : 1,
  signal: null,
  seconds: 0.02,
  queueSeconds: 0,
  cpuSeconds: 0.01,
  peakMemoryBytes: 1,
  truncated: false,
  level: 'namespaces',
});

const turn = (text, tokens, call) => ({
  tokens: ids(tokens),
  logprobs: ids(tokens).map(() => -0.1),
  text,
  added: ids(call ? 12 : 0),
  seconds: 0.1,
  ...call,
});
const call = (code, status, stdout, tokens = 20) =>
  turn(`Let me compute. <code>${code}</code>`, tokens, { code, result: result(status, stdout), observation: stdout });

const sum = 'total = 0\nfor i in range(1, 9):\n    total += i\nprint(total)';
const kinds = [
  (step) => [call(sum.replace('total += i', 'totl += i'), 'error', 'NameError'), call(sum, 'ok', '36', 30 - step)],
  () => [call('from sympy import symbols, solve\nx = symbols("x")\nprint(solve(x - 36, x)[0])', 'ok', '36')],
  () => [call('for n in range(100):\n    if n * n == 1296:\n        print(n)', 'ok', '36')],
  () => [call('assert 6 * 6 == 36', 'ok', ''), call('assert 6 * 6 == 36', 'ok', '')],
  () => [turn('I think so.', 30)],
  () => [call('print(6 * 6)', 'ok', '36')],
];

/** Every step calls more often, and is right more often. */
const trajectories = (step) =>
  Array.from({ length: 8 }, (_, index) => {
    const right = index < 2 + step / 3;
    const calls = index * 2 < step + 2 ? kinds[(index + step) % kinds.length](step) : [];
    const answer = right ? '36' : '35';
    return {
      step,
      problemId: `p${index >> 1}`,
      branch: index % 2,
      question: `Question ${index >> 1}`,
      gold: '36',
      prompt: [1],
      turns: [...calls, turn(`So it is \\boxed{${answer}}`, 40 - step)],
      stop: 'answered',
      grade: {
        reward: right ? 1 : -1,
        verdict: right ? 'correct' : 'incorrect',
        formatted: true,
        predicted: answer,
        reason: '',
      },
      advantage: 0,
    };
  });

const steps = Array.from({ length: 12 }, (_, index) => index + 1);

/** Writes a finished run of 12 steps whose model learns to call. */
export async function writeBehaviourRun(workspace) {
  const run = join(workspace, '.retool/runs/20260101-000000-behaviour-0001');
  await mkdir(join(run, 'rollouts'), { recursive: true });
  const experiment = { name: 'behaviour', data: { train: 'train.jsonl' }, reinforcement: { steps: steps.length } };
  await writeFile(join(run, 'experiment.json'), JSON.stringify({ experiment, folder: workspace, files: {} }));
  for (const step of steps) {
    await writeFile(join(run, `rollouts/${String(step).padStart(6, '0')}.jsonl`), lines(trajectories(step)));
  }
  const records = [
    {
      kind: 'started',
      name: 'behaviour',
      seed: 1,
      version: '0.1.0',
      coldStartSteps: 0,
      reinforcementSteps: steps.length,
      problems: { train: 4, evaluation: 0, leftOut: 0 },
      service: { kind: 'local' },
      python: { path: 'python3', version: '3.11', level: 'namespaces' },
    },
    ...steps.map((step) => ({ kind: 'step', phase: 'reinforcement', step, metrics: { 'reward/mean': step / 12 } })),
    { kind: 'ended', outcome: 'completed' },
  ];
  await writeFile(join(run, 'journal.jsonl'), lines(records.map((record, i) => ({ seq: i + 1, time, ...record }))));
}
