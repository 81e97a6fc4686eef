import type { JournalRecord, Phase } from '../schema/journal';
import type { RunState, StepPoint } from '../schema/runState';

export const emptyRun = (id: string, folder: string): RunState => ({
  id,
  folder,
  name: id,
  seq: 0,
  status: 'running',
  pending: undefined,
  message: undefined,
  hint: undefined,
  seed: 0,
  attempt: 1,
  startedAt: undefined,
  updatedAt: undefined,
  activeSeconds: 0,
  plan: {
    coldStart: 0,
    reinforcement: 0,
    demonstrationsPerStep: undefined,
    rolloutsPerStep: undefined,
    evaluationRollouts: undefined,
  },
  phase: 'coldStart',
  step: 0,
  points: [],
  checkpoints: [],
  evaluations: {},
  asked: [],
  notices: [],
  silentSince: undefined,
  kernels: undefined,
  facts: undefined,
  skipped: 0,
});

const order: Record<Phase, number> = { coldStart: 0, reinforcement: 1 };

type Moment = { readonly phase: Phase; readonly step: number };

/** True when `a` lies after `b` in the course of a run. */
export const isAfter = (a: Moment, b: Moment): boolean =>
  order[a.phase] !== order[b.phase] ? order[a.phase] > order[b.phase] : a.step > b.step;

/** `reduce` over many records, in time that grows as they do: the list of points is copied once, not for each step. */
export function reduceAll(run: RunState, records: readonly JournalRecord[]): RunState {
  let points: StepPoint[] = [];
  let folded = run;
  const whole = () => (points.length === 0 ? folded : { ...folded, points: [...folded.points, ...points] });
  for (const record of records) {
    if (record.kind === 'step' && record.seq > folded.seq) {
      const { points: added, ...stepped } = reduce({ ...folded, points: [] }, record);
      points.push(...added);
      folded = { ...stepped, points: folded.points };
      continue;
    }
    if (record.kind === 'resumed') {
      folded = whole();
      points = [];
    }
    folded = reduce(folded, record);
  }
  return whole();
}

/**
 * The only way a run changes. Pure: replaying a journal and watching it live give the same state.
 *
 * A record that was seen before (by `seq`) changes nothing. `resumed` hides what an abandoned attempt did after the
 * checkpoint that the new one starts from.
 */
export function reduce(run: RunState, record: JournalRecord): RunState {
  if (record.seq <= run.seq) return run;
  const updatedAt = Date.parse(record.time);
  const next = {
    ...run,
    seq: record.seq,
    updatedAt,
    activeSeconds: run.activeSeconds + sinceLast(run, record, updatedAt),
    // Whatever else happens, the service has answered.
    silentSince: record.kind === 'noticed' && record.service === undefined ? run.silentSince : undefined,
  };
  switch (record.kind) {
    case 'started':
      return {
        ...next,
        status: 'running',
        name: record.name,
        seed: record.seed,
        startedAt: next.updatedAt,
        plan: {
          coldStart: record.coldStartSteps,
          reinforcement: record.reinforcementSteps,
          demonstrationsPerStep: record.demonstrationsPerStep,
          rolloutsPerStep: record.rolloutsPerStep,
          evaluationRollouts: record.evaluationRollouts,
          ...(record.evaluateEvery && { evaluateEvery: record.evaluateEvery }),
        },
        phase: record.coldStartSteps > 0 ? 'coldStart' : 'reinforcement',
        facts: record,
      };
    case 'resumed': {
      const kept = (moment: Moment) => !isAfter(moment, record);
      return {
        ...next,
        status: 'running',
        message: undefined,
        hint: undefined,
        attempt: record.attempt,
        phase: record.phase,
        step: record.step,
        points: run.points.filter(kept),
        checkpoints: run.checkpoints.filter(kept),
        evaluations: Object.fromEntries(
          Object.entries(run.evaluations).filter(([, evaluation]) => evaluation.result && kept(evaluation)),
        ),
        notices: run.notices.filter(kept),
      };
    }
    case 'trainerStarted':
      return { ...next, kernels: record.kernels };
    case 'step': {
      const { phase, step, metrics } = record;
      return { ...next, phase, step, points: [...run.points, { phase, step, time: next.updatedAt, metrics }] };
    }
    case 'checkpoint': {
      const { phase, step, path } = record;
      return { ...next, checkpoints: [...run.checkpoints, { phase, step, path, time: next.updatedAt }] };
    }
    case 'discarded':
      return { ...next, checkpoints: run.checkpoints.filter(({ path }) => path !== record.path) };
    case 'evaluationStarted': {
      const { id, phase, step, samples } = record;
      const begun = { phase, step, rollouts: samples, done: 0, startedAt: updatedAt, seconds: 0, result: undefined };
      return { ...next, evaluations: { ...run.evaluations, [id]: begun } };
    }
    case 'evaluationProgressed': {
      const known = run.evaluations[record.id];
      if (!known) return next;
      const moved = { ...known, done: record.done, seconds: secondsSince(known.startedAt, updatedAt) };
      return { ...next, evaluations: { ...run.evaluations, [record.id]: moved } };
    }
    case 'evaluated': {
      const { id, phase, step, result } = record;
      const startedAt = run.evaluations[id]?.startedAt;
      const seconds = secondsSince(startedAt, updatedAt);
      const ended = { phase, step, rollouts: result.samples, done: result.samples, startedAt, seconds, result };
      return { ...next, evaluations: { ...run.evaluations, [id]: ended } };
    }
    case 'noticed': {
      const { phase, step, level, message, service } = record;
      const notices = [...run.notices, { phase, step, level, message }];
      return { ...next, notices, ...(service === 'silent' && { silentSince: updatedAt }) };
    }
    case 'ended':
      return { ...next, status: record.outcome, message: record.message, hint: record.hint };
    default:
      return record satisfies never;
  }
}

const secondsSince = (start: number | undefined, now: number): number | undefined =>
  start === undefined ? undefined : (now - start) / 1000;

/** What a record adds to the time of training. Before the first one, and before a new attempt, nothing was trained. */
function sinceLast({ updatedAt }: RunState, { kind }: JournalRecord, now: number): number {
  if (updatedAt === undefined || kind === 'started' || kind === 'resumed') return 0;
  return Math.max(0, now - updatedAt) / 1000;
}
