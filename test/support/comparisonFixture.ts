import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { trajectoriesAt } from '../../src/journal/rolloutPlace';
import { evaluationFile, readFrozenExperiment, runPaths } from '../../src/journal/runFolder';
import { writeEvaluation } from '../../src/run/evaluationFile';
import { evaluationId, protocolOf } from '../../src/run/evaluationProtocol';
import { EvaluatedProblem, type EvaluationProtocol, type EvaluationSubject } from '../../src/schema/evaluation';
import type { Trajectory } from '../../src/schema/trajectory';
import { FixtureRun } from './fixtureRun';
import { writeReferenceEvaluations } from './referenceEvaluations';

/** Writes the reference's six evaluations as imported ones. @returns their folder. */
export async function writeImported(workspace: string): Promise<string> {
  const folder = join(workspace, '.retool', 'evaluations');
  for (const [index, path] of (await writeReferenceEvaluations(folder)).entries()) {
    const lines = (await readFile(path, 'utf8')).trim().split('\n');
    const first = EvaluatedProblem.parse(JSON.parse(lines[0]!));
    const from = basename(path);
    const subject: EvaluationSubject = { kind: 'imported', from, model: 'Qwen/Qwen3.5-4B' };
    const id = from.replace(/\.jsonl$/, '');
    await writeRequest(folder, id, subject, index, {
      dataset: { name: 'AIME25', problems: lines.length - 1 },
      mode: 'tool',
      samples: first.val_n,
      temperature: 1,
      topP: 0.7,
      topK: -1,
      settings: {},
    });
    await rename(path, join(folder, `${id}.jsonl`));
  }
  return folder;
}

export const fixturePrices = { prefill: 3, cachedPrefill: 0.5, sample: 8, train: 9, currency: 'CNY' };

/** Writes a finished run with three evaluations of eight samples and one that was asked at another temperature. */
export async function writeComparedRun(runs: string): Promise<{ readonly folder: string; readonly ids: string[] }> {
  const run = await FixtureRun.write(runs, { name: 'compared', end: { kind: 'ended', outcome: 'completed' } });
  await run.close();
  const frozen = await readFrozenExperiment(run.folder);
  const priced = { ...frozen, experiment: { ...frozen.experiment, plan: { prices: fixturePrices } } };
  await writeFile(join(run.folder, runPaths.experiment), JSON.stringify(priced));
  const { experiment } = await readFrozenExperiment(run.folder);
  const ids: string[] = [];
  for (const [index, [step, from, temperature]] of (
    [
      [20, 58, 1],
      [40, 59, 1],
      [60, 60, 1],
      [60, 60, 0.6],
    ] as const
  ).entries()) {
    const trajectories: Trajectory[] = [];
    for await (const each of trajectoriesAt(run.folder, { step: from })) trajectories.push(weakened(each, step));
    const problems = [...new Map(trajectories.map((each) => [each.problemId, each])).values()].map(
      ({ problemId: id, question, gold: answer }) => ({ id, question, answer }),
    );
    const protocol = protocolOf(experiment, { name: 'held-out', problems }, { samples: 8, temperature });
    const subject: EvaluationSubject = {
      kind: 'checkpoint',
      phase: 'reinforcement',
      step,
      path: `local://reinforcement-${step}`,
    };
    const id = evaluationId(subject, protocol);
    const setting = {
      dataset: 'held-out',
      baseModel: 'local',
      modelPath: `local://reinforcement-${step}`,
      temperature,
      topP: 1,
      samples: 8,
    };
    await writeEvaluation(evaluationFile(run.folder, id), trajectories, setting);
    await writeRequest(join(run.folder, 'evaluations'), id, subject, index, protocol);
    ids.push(id);
  }
  return { folder: run.folder, ids };
}

/** An early checkpoint solves fewer. */
function weakened(trajectory: Trajectory, step: number): Trajectory {
  const { branch, grade, gold } = trajectory;
  if (step === 60 || (step === 40 ? branch < 5 : branch < 2 && trajectory.problemId !== 'multiply-3'))
    return trajectory;
  const reason = `0 is not ${gold}.`;
  return { ...trajectory, grade: { ...grade, verdict: 'incorrect', reward: -1, predicted: '0', reason } };
}

async function writeRequest(
  folder: string,
  id: string,
  subject: EvaluationSubject,
  index: number,
  protocol: EvaluationProtocol,
): Promise<void> {
  const created = new Date(Date.UTC(2026, 0, 1, 0, index)).toISOString();
  const reason = subject.kind === 'imported' ? 'imported' : 'asked';
  await mkdir(join(folder, id), { recursive: true });
  const request = { version: 1, id, by: '0.1.0', created, reason, subject, protocol };
  await writeFile(join(folder, id, 'request.json'), JSON.stringify(request));
}
