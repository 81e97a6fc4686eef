import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const time = '2026-01-01T00:00:00.000Z';
const lines = (rows) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

const turn = (text, more = {}) => ({ tokens: [1, 2], logprobs: [-0.1, -0.2], text, added: [], seconds: 0.1, ...more });
const printed = (stdout) => ({
  code: `print('${stdout}')`,
  observation: stdout,
  result: {
    status: 'ok',
    stdout: `${stdout}\n`,
    stderr: '',
    exitCode: 0,
    signal: null,
    seconds: 0.02,
    queueSeconds: 0,
    cpuSeconds: 0.01,
    peakMemoryBytes: 1,
    truncated: false,
    level: 'namespaces',
  },
});

/** Gold answers and what a model said to each: some under dispute, one that nobody understands, one that was copied. */
const said = [
  ['5', [turn('So it is \\boxed{5}')]],
  ['5', [turn('So it is \\boxed{ 5.0 }')]],
  ['1/2', [turn('Half of it: \\boxed{\\frac{2}{4}}')]],
  ['7', [turn('\\boxed{10^{10^{10^{10}}}}')], 'unknown'],
  ['7', [turn('call', printed('\\\\boxed{7}')), turn('\\boxed{7}')], 'correct', ['copiedBox']],
  ['7', [turn('\\boxed{6} or \\boxed{7}')], 'correct', ['severalBoxes']],
  ['12', [turn('The answer is 12')], 'incorrect'],
  ['x<1', [turn(`It is \\boxed{(-\\infty,1)}${' and so on'.repeat(40)}`)]],
];

const trajectories = (step) =>
  said.map(([gold, turns, verdict = 'correct', flags], index) => ({
    step,
    problemId: `p${index >> 1}`,
    branch: index % 2,
    question: `Question ${index >> 1}`,
    gold,
    prompt: [1],
    turns,
    stop: 'answered',
    grade: {
      reward: verdict === 'correct' ? 1 : -1,
      verdict,
      formatted: true,
      predicted: /\\boxed\{(.*)\}/.exec(turns.at(-1).text)?.[1] ?? null,
      reason: 'Not decided: the numbers are too large.',
      ...(flags && { flags }),
    },
    advantage: 0,
  }));

/** Writes a finished run whose trajectories the reward rules judge differently. */
export async function writeDisputedRun(workspace) {
  const run = join(workspace, '.retool/runs/20260101-000000-disputed-0001');
  await mkdir(join(run, 'rollouts'), { recursive: true });
  await mkdir(join(run, 'evaluations'));
  const experiment = {
    name: 'disputed',
    data: { train: 'train.jsonl' },
    reinforcement: { steps: 1 },
    reward: { rule: 'box-300-math' },
  };
  await writeFile(join(run, 'experiment.json'), JSON.stringify({ experiment, folder: workspace, files: {} }));
  await writeFile(join(run, 'rollouts/000001.jsonl'), lines(trajectories(1)));
  const generations = trajectories(0).map((trajectory) => ({ trajectory }));
  const problems = [0, 2, 4, 6].map((from) => ({
    type: 'problem',
    problem_id: `p${from >> 1}`,
    generations: generations.slice(from, from + 2),
  }));
  await writeFile(join(run, 'evaluations/before.jsonl'), lines([...problems, { type: 'summary' }]));
  const result = {
    problems: 4,
    samples: 8,
    correct: 0.75,
    tool: 0.125,
    format: 0.875,
    unknown: 0.125,
    correctWithTool: 1,
    infrastructure: 0,
    byKind: {},
  };
  const metrics = { 'reward/mean': 0.5, 'reward/correct': 0.75, 'reward/format': 0.875, 'reward/unknown': 0.125 };
  const before = { id: 'before', phase: 'reinforcement', step: 0 };
  const records = [
    {
      kind: 'started',
      name: 'disputed',
      seed: 1,
      version: '0.1.0',
      coldStartSteps: 0,
      reinforcementSteps: 1,
      problems: { train: 4, evaluation: 4, leftOut: 0 },
      service: { kind: 'local' },
      python: { path: 'python3', version: '3.11', level: 'namespaces' },
    },
    { kind: 'evaluationStarted', ...before, samples: 8 },
    { kind: 'evaluated', ...before, result },
    { kind: 'step', phase: 'reinforcement', step: 1, metrics },
    { kind: 'ended', outcome: 'completed' },
  ];
  await writeFile(join(run, 'journal.jsonl'), lines(records.map((record, i) => ({ seq: i + 1, time, ...record }))));
}
