import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Writes an experiment that learns within seconds and goes on until it is stopped. */
export async function writeLesson(folder) {
  const problems = Array.from({ length: 24 }, (_, i) => {
    const [a, b] = [2 + (i % 6), 3 + (i % 4)];
    return { id: `p${i}`, question: `${a}*${b}`, answer: String(a * b), kind: 'easy' };
  });
  const lines = (rows) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  await writeFile(join(folder, 'train.jsonl'), lines(problems.slice(0, 16)));
  await writeFile(join(folder, 'evaluation.jsonl'), lines(problems.slice(16)));
  await writeFile(
    join(folder, 'demonstrations.jsonl'),
    lines(problems.slice(0, 16).map((problem) => ({ ...problem, code: `print(${problem.question})` }))),
  );
  const experiment = {
    name: 'lesson',
    seed: 3,
    service: { context: 64, layers: 2, width: 48, heads: 4, threads: 1 },
    data: { train: 'train.jsonl', evaluation: 'evaluation.jsonl' },
    budgets: { turns: 3, calls: 2, turnTokens: 16, trajectoryTokens: 64, observationTokens: 12 },
    coldStart: { demonstrations: 'demonstrations.jsonl', steps: 60, batchSize: 8, toolShare: 0.6, learningRate: 0.01 },
    reinforcement: { steps: 3000, problemsPerStep: 16, groupSize: 16, learningRate: 0.0005 },
  };
  await writeFile(join(folder, 'lesson.retool.json'), JSON.stringify(experiment, null, 2));
}

/** The journal of the only run in a workspace. */
export async function readJournal(folder) {
  const runs = join(folder, '.retool/runs');
  const [id] = await readdir(runs);
  const text = await readFile(join(runs, id, 'journal.jsonl'), 'utf8');
  return text.split('\n').flatMap((line) => (line.endsWith('}') ? [JSON.parse(line)] : []));
}

const order = ['coldStart', 'reinforcement'];
const isAfter = (a, b) => order.indexOf(a.phase) - order.indexOf(b.phase) || a.step - b.step;

/** @returns a metric of a phase as a chart has it: pairs of step and value, without those that a resumption took back. */
export function journalSeries(journal, phase, metric) {
  let steps = [];
  for (const record of journal) {
    if (record.kind === 'resumed') steps = steps.filter((step) => isAfter(step, record) <= 0);
    else if (record.kind === 'step') steps.push(record);
  }
  return steps
    .filter((record) => record.phase === phase && metric in record.metrics)
    .map(({ step, metrics }) => [step, metrics[metric]]);
}
