import { expect, test } from 'vitest';
import { type EndedJob, type EvaluationMaker, EvaluationQueue } from '../../../src/host/evaluationQueue';
import { RetoolError } from '../../../src/lib/errors';
import type { Silence } from '../../../src/lib/silence';
import type { EvaluationQuestion } from '../../../src/run/evaluationRequests';
import type { ActiveEvaluation } from '../../../src/run/evaluations';
import type { EvaluationRequest } from '../../../src/schema/evaluation';

type Ending = Awaited<ActiveEvaluation['done']>;

const requestOf = ({ subject, dataset }: EvaluationQuestion): EvaluationRequest => ({
  version: 1,
  id: `${dataset}.step-${subject.step}`,
  by: 'test',
  created: new Date(0).toISOString(),
  reason: 'asked',
  subject,
  source: dataset,
  protocol: {
    dataset: { name: dataset, problems: 30 },
    mode: 'tool',
    samples: 12,
    temperature: 1,
    topP: 1,
    topK: -1,
    settings: {},
  },
});

const question = (step: number): EvaluationQuestion => ({
  run: '/runs/run',
  subject: { kind: 'checkpoint', path: `local://${step}`, phase: 'reinforcement', step },
  dataset: 'AIME25',
});

/** A queue whose evaluations end when the test says so. */
function aQueue() {
  const state = { training: false, began: [] as number[] };
  interface Open {
    end(how: Ending): void;
    fail(error: Error): void;
    progress(done: number): void;
    silence(silence: Silence | undefined): void;
  }
  const open = new Map<number, Open>();
  const maker: EvaluationMaker = {
    request: async (asked) => ({ request: requestOf(asked), notices: ['One problem has a figure.'] }),
    questionOf: async (_run, id) => question(Number(id.split('-').at(-1))),
    evaluate: async (options, onProgress) => {
      const { step } = options.subject;
      state.began.push(step);
      let end: (how: Ending) => void = () => {};
      let fail: (error: Error) => void = () => {};
      const done = new Promise<Ending>((resolve, reject) => {
        end = resolve;
        fail = reject;
      });
      const progress = (count: number) => onProgress({ done: count, all: 360 });
      open.set(step, { end, fail, progress, silence: (silence) => options.onSilence?.(silence) });
      return {
        request: requestOf(options),
        notices: [],
        file: `/f/${step}`,
        from: 0,
        done,
        graceSeconds: 0,
        stop: () => end('stopped'),
      };
    },
  };
  const queue = new EvaluationQueue({
    maker: async () => maker,
    isTraining: () => state.training,
    optionsFor: async () => ({}),
  });
  const ended: EndedJob[] = [];
  queue.onDidEnd((end) => ended.push(end));
  return { queue, state, open, ended };
}

const settle = () => new Promise((resolve) => setTimeout(resolve, 5));
const statuses = (queue: EvaluationQueue) => [...queue.live('run').values()].map(({ status }) => status);

test('one is made after the other, each once', async () => {
  const { queue, state, open, ended } = aQueue();
  const told: (number | undefined)[] = [];
  queue.onDidChange(() => told.push(queue.jobs[0]?.done));
  await queue.add(question(20));
  await queue.add(question(40));
  await queue.add(question(40));
  await settle();
  expect(state.began).toEqual([20]);
  expect(statuses(queue)).toEqual(['running', 'queued']);
  open.get(20)!.progress(90);
  open.get(20)!.progress(91);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(told.at(-1)).toBe(91);
  expect([...queue.live('run').values()][0]).toMatchObject({ done: 91 });
  open.get(20)!.end('completed');
  await settle();
  expect(state.began).toEqual([20, 40]);
  open.get(40)!.end('completed');
  await settle();
  expect(ended.map(({ job, how }) => [job.question.subject, how])).toMatchObject([
    [{ step: 20 }, 'completed'],
    [{ step: 40 }, 'completed'],
  ]);
  expect(queue.jobs).toEqual([]);
});

test('a job carries what a person should know of its problems', async () => {
  const { queue, open } = aQueue();
  expect((await queue.add(question(20))).notices).toEqual(['One problem has a figure.']);
  await settle();
  open.get(20)!.end('completed');
});

test('waits while a run of the window is trained, says so once, and starts by itself or when told to', async () => {
  const { queue, state, open } = aQueue();
  const waiting: string[] = [];
  queue.onDidWait(({ request }) => waiting.push(request.id));
  state.training = true;
  await queue.add(question(20));
  await queue.add(question(40));
  queue.next();
  expect(statuses(queue)).toEqual(['waiting', 'queued']);
  expect(waiting).toEqual(['AIME25.step-20']);
  await queue.goOn('/runs/run', 'AIME25.step-20', 0);
  await settle();
  expect(state.began).toEqual([20]);
  open.get(20)!.end('completed');
  await settle();
  expect(statuses(queue)).toEqual(['waiting']);
  state.training = false;
  queue.next();
  await settle();
  expect(state.began).toEqual([20, 40]);
});

test('one that is stopped leaves the queue, and goes on when told to', async () => {
  const { queue, state, open, ended } = aQueue();
  await queue.add(question(20));
  await queue.add(question(40));
  await settle();
  await queue.stop('run', 'AIME25.step-40');
  await queue.stop('run', 'AIME25.step-20');
  expect(ended.map(({ job, how }) => [job.request.id, how])).toEqual([
    ['AIME25.step-40', 'stopped'],
    ['AIME25.step-20', 'stopped'],
  ]);
  await queue.goOn('/runs/run', 'AIME25.step-20', 180);
  await settle();
  expect(state.began).toEqual([20, 20]);
  expect([...queue.live('run').values()][0]).toMatchObject({ status: 'running', done: 180 });
  open.get(20)!.end('completed');
});

test('those that wait have a place, and all are ended at once', async () => {
  const { queue, state, open, ended } = aQueue();
  for (const step of [20, 40, 60, 80]) await queue.add(question(step));
  await settle();
  expect([...queue.live('run').values()].map(({ place }) => place)).toEqual([undefined, 1, 2, 3]);
  const told: string[] = [];
  queue.onDidChange((id) => told.push(id));
  await queue.stop('run', 'AIME25.step-40');
  expect(told).not.toEqual([]);
  expect([...queue.live('run').values()].map(({ place }) => place)).toEqual([undefined, 1, 2]);
  await queue.stopAll();
  expect(queue.jobs).toEqual([]);
  expect(state.began).toEqual([20]);
  expect(ended.map(({ how }) => how)).toEqual(Array(4).fill('stopped'));
  open.get(20)!.end('completed');
});

test('no seconds are said to be left while the service does not answer', async () => {
  const { queue, open } = aQueue();
  await queue.add(question(20));
  await settle();
  open.get(20)!.progress(90);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(queue.jobs[0]?.secondsLeft).toBeGreaterThan(0);
  open.get(20)!.silence({ url: 'http://s', since: 1_000_000, reason: 'connect ECONNREFUSED' });
  expect([...queue.live('run').values()][0]).toMatchObject({ secondsLeft: undefined, silentSince: 1_000_000 });
  open.get(20)!.silence(undefined);
  expect([...queue.live('run').values()][0]).toMatchObject({ silentSince: undefined });
  open.get(20)!.end('completed');
});

test('one that fails says why and does not hold up the next', async () => {
  const { queue, state, open, ended } = aQueue();
  await queue.add(question(20));
  await queue.add(question(40));
  await settle();
  open.get(20)!.fail(new RetoolError('service', 'The service is away.'));
  await settle();
  expect(ended).toMatchObject([{ how: 'failed', failure: { message: 'The service is away.' } }]);
  expect(state.began).toEqual([20, 40]);
});
