import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { evaluateCommand } from '../../../src/cli/evaluateCommand';
import { lostGenerations } from '../../../src/cli/lostGenerations';
import { Output } from '../../../src/cli/output';
import { trajectoryText } from '../../../src/journal/trajectoryText';
import {
  type EndpointQuestion,
  endpointUrl,
  evaluateEndpoint,
  usualExperiment,
} from '../../../src/run/endpointEvaluation';
import { listEvaluations } from '../../../src/run/evaluationFolder';
import { evaluationLines, readEvaluation } from '../../../src/run/evaluationReport';
import { readExperiment } from '../../../src/run/experimentFile';
import { type EvaluatedGeneration, EvaluatedProblem } from '../../../src/schema/evaluation';
import { EndpointHttp, saidIn } from '../../../src/services/endpointHttp';
import { ScriptedHttp, type ScriptedReply, type SeenRequest } from '../../support/scriptedHttp';
import { noPatience } from '../../support/scriptedServer';

const chat = '/v1/chat/completions';
const secret = 'sk-very-secret';

interface Asked {
  readonly messages?: readonly {
    role: string;
    content: string | null;
    tool_call_id?: string;
    tool_calls?: unknown[];
  }[];
  readonly prompt?: string;
  readonly tools?: readonly { function: { name: string } }[];
  readonly tool_choice?: string;
  readonly max_tokens?: number;
  readonly seed?: number;
  readonly stop?: readonly string[];
}
const askedIn = ({ body }: SeenRequest) => body as Asked;
const isTrial = (asked: Asked) => asked.max_tokens === 8;

const usage = (prompt: number, sampled: number) => ({ prompt_tokens: prompt, completion_tokens: sampled });
const says = (content: string, more: object = {}, top: object = {}): ScriptedReply => ({
  body: {
    choices: [{ message: { role: 'assistant', content, ...more }, finish_reason: 'stop', ...top }],
    usage: usage(100, 20),
  },
});
const call = (id: string, code: string) => ({
  id,
  type: 'function',
  function: { name: 'code_interpreter', arguments: JSON.stringify({ code }) },
});

let http: ScriptedHttp;
let folder: string;
let dataset: string;
beforeEach(async () => {
  http = await ScriptedHttp.start();
  folder = await mkdtemp(join(tmpdir(), 'retool-endpoint-'));
  dataset = join(folder, 'sums.jsonl');
  const problems = [2, 3, 4].map((n) => ({ id: `p${n}`, question: `What is ${n}*7?`, answer: String(n * 7) }));
  await writeFile(dataset, problems.map((problem) => JSON.stringify(problem)).join('\n'));
});
afterEach(() => http.close());

const notices: string[] = [];
const evaluate = (change: Partial<EndpointQuestion> = {}) => {
  notices.length = 0;
  return evaluateEndpoint({
    url: http.url,
    model: 'm',
    key: secret,
    experiment: undefined,
    dataset,
    tools: 'native',
    api: 'chat',
    choices: { samples: 2, seed: 5 },
    folder: join(folder, 'evaluations'),
    version: 'test',
    patience: noPatience,
    concurrency: 2,
    onNotice: (sentence) => notices.push(sentence),
    ...change,
  });
};

async function generationsOf(file: string): Promise<EvaluatedGeneration[]> {
  const found: EvaluatedGeneration[] = [];
  for await (const { line } of evaluationLines(file)) {
    const problem = EvaluatedProblem.safeParse(line);
    if (problem.success) found.push(...problem.data.generations);
  }
  return found;
}

/** Solves with a call, then with the number that the tool printed. */
function solver(request: SeenRequest): ScriptedReply {
  const { messages = [] } = askedIn(request);
  const output = messages.filter(({ role }) => role === 'tool').at(-1)?.content;
  if (output) {
    const { body } = says(`So it is \\boxed{${output.trim()}}`) as { body: object };
    return { body: { ...body, usage: usage(150, 9) } };
  }
  const sum = /What is (.*)\?/.exec(messages.at(-1)?.content ?? '')?.[1];
  return says('I calculate.', { tool_calls: [call('c1', `print(${sum})`)], reasoning_content: 'Easy.' });
}

describe('a model at an endpoint', { timeout: 60_000 }, () => {
  it('is evaluated with the tool calls of the API: every sample once, with seeds of its own and tokens as counted', async () => {
    http.script(chat, solver);
    const active = await evaluate();
    expect(await active.done).toBe('completed');
    const report = await readEvaluation(active.file);
    expect(report).toMatchObject({ generations: 6, correct: 6, codeCalls: 1, turns: 2, tokens: 29, infrastructure: 0 });

    const asked = http
      .requests(chat)
      .map(askedIn)
      .filter((each) => !isTrial(each));
    expect(asked).toHaveLength(12);
    expect(new Set(asked.map(({ seed }) => seed)).size).toBe(12);
    expect(asked.every(({ seed }) => seed! >= 0 && seed! < 2 ** 31)).toBe(true);
    expect(asked[0]?.tools?.[0]?.function.name).toBe('code_interpreter');
    const second = asked.find(({ messages }) => messages!.length > 2)!;
    expect(second.messages!.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool']);
    expect(second.messages![3]).toMatchObject({ tool_call_id: 'c1' });
    expect(http.requests(chat).every(({ headers }) => headers.authorization === `Bearer ${secret}`)).toBe(true);

    const [generation] = await generationsOf(active.file);
    const { trajectory } = generation!;
    expect(trajectory).toMatchObject({ prompt: [], promptTokens: 100, stop: 'answered' });
    expect(trajectory!.turns.map(({ counts }) => counts)).toEqual([
      { sampled: 20, added: 30 },
      { sampled: 9, added: 0 },
    ]);
    const text = trajectoryText(trajectory!);
    expect(text).toContain('Turn 1 · 20 tokens\n<think>\nEasy.\n</think>\n\nI calculate.\nprint(2*7)');
    expect(text).toContain('30 tokens, not trained on\n14');
    expect(await readFile(active.file, 'utf8')).not.toContain(secret);
    await expect(evaluate()).rejects.toThrow(/^This model has been evaluated so already/);
  });

  it('may make several calls in a message: each is run, counted and answered', async () => {
    http.script(chat, (request) => {
      const { messages = [] } = askedIn(request);
      const outputs = messages.filter(({ role }) => role === 'tool').map(({ content }) => content!.trim());
      if (outputs.length > 0) return says(`\\boxed{${outputs.join('')}}`);
      return says('', { tool_calls: [call('a', 'print(1)'), call('b', 'print(4)')] });
    });
    const active = await evaluate({ choices: { samples: 1, limit: 1 } });
    expect(await active.done).toBe('completed');
    expect(await readEvaluation(active.file)).toMatchObject({ correct: 1, codeCalls: 2, turns: 2 });
    const [{ trajectory }] = (await generationsOf(active.file)) as [EvaluatedGeneration];
    expect(trajectory!.turns.map(({ code, continues }) => [code, continues])).toEqual([
      ['print(1)', undefined],
      ['print(4)', true],
      [undefined, undefined],
    ]);
  });

  it('is told of a call that cannot be read, and ends where it goes on so', async () => {
    const broken = { id: 'x', type: 'function', function: { name: 'code_interpreter', arguments: '{"kode": 1}' } };
    http.script(chat, (request) => (isTrial(askedIn(request)) ? says('1') : says('', { tool_calls: [broken] })));
    const active = await evaluate({ choices: { samples: 1, limit: 1 } });
    await active.done;
    const [{ trajectory }] = (await generationsOf(active.file)) as [EvaluatedGeneration];
    expect(trajectory).toMatchObject({ stop: 'malformedCall' });
    expect(trajectory!.turns.map(({ observation }) => observation)).toEqual([
      'The call has no text under "code".',
      'The call has no text under "code".',
      undefined,
    ]);
  });

  it('spells its calls out in the text of a chat, whatever the server tells of the text that stopped it', async () => {
    for (const told of [{}, { stop_reason: '</code>' }]) {
      http.script(chat, (request) => {
        const { messages = [] } = askedIn(request);
        const last = messages.at(-1)!.content!;
        const output = /<interpreter>\n([\s\S]*)<\/interpreter>/.exec(last)?.[1];
        if (output) return says(`\\boxed{${output.trim()}}`, {}, { stop_reason: null });
        return says(`<code>\n\`\`\`python\nprint(${/is (.*)\?/.exec(last)?.[1] ?? 1})\n\`\`\`\n`, {}, told);
      });
      const active = await evaluate({ tools: 'text', choices: { samples: 1, seed: Object.keys(told).length } });
      expect(await active.done).toBe('completed');
      expect(await readEvaluation(active.file)).toMatchObject({ correct: 3, codeCalls: 1, turns: 2 });
    }
    const asked = http.requests(chat).map(askedIn);
    expect(asked.at(-1)?.stop).toEqual(['</code>']);
    expect(asked.every(({ tools }) => tools === undefined)).toBe(true);
  });

  it('goes on in one text where it only completes', async () => {
    http.script('/v1/completions', (request) => {
      const prompt = askedIn(request).prompt!;
      const output = /<result>\n(.*)\n<\/result>\n$/.exec(prompt)?.[1];
      const text = output ? `\\boxed{${output}}` : `<python>\nprint(${/is (\d\*7)\?/.exec(prompt)?.[1] ?? 1})\n`;
      return { body: { choices: [{ text, finish_reason: 'stop' }], usage: usage(50, 5) } };
    });
    const active = await evaluate({ api: 'completions', tools: 'python-result', choices: { samples: 1 } });
    expect(await active.done).toBe('completed');
    expect(await readEvaluation(active.file)).toMatchObject({ correct: 3, codeCalls: 1 });
  });

  it('answers in words alone in text mode, with a prompt of its own and without tools', async () => {
    http.script(chat, says('It is \\boxed{14}'));
    const active = await evaluate({ choices: { samples: 1, mode: 'text' } });
    expect(await active.done).toBe('completed');
    expect(await readEvaluation(active.file)).toMatchObject({ correct: 1, generations: 3, codeCalls: 0, turns: 1 });
    const asked = http.requests(chat).map(askedIn);
    expect(asked.every(({ tools }) => tools === undefined)).toBe(true);
    expect(asked.at(-1)?.messages?.[0]?.content).not.toMatch(/Python/);
  });

  it('goes on where it was stopped, and stops at a budget of tokens', async () => {
    let answered = 0;
    let stop = () => {};
    http.script(chat, (request) => {
      if (!isTrial(askedIn(request)) && ++answered === 5) stop();
      return solver(request);
    });
    const first = await evaluate({ concurrency: 1 });
    stop = () => first.stop(true);
    expect(await first.done).toBe('stopped');
    stop = () => {};
    const second = await evaluate({ concurrency: 1, mostTokens: 29 });
    expect(second.from).toBe(2);
    expect(await second.done).toBe('budget');
    const third = await evaluate({ concurrency: 1 });
    expect(third.from).toBe(3);
    expect(await third.done).toBe('completed');
    const branches = (await generationsOf(third.file)).map(({ trajectory }) => [
      trajectory!.problemId,
      trajectory!.branch,
    ]);
    expect(branches).toEqual(
      ['p2', 'p3', 'p4'].flatMap((id) => [
        [id, 0],
        [id, 1],
      ]),
    );
  });

  it('keeps the samples that are in flight when it is stopped; a second stop gives them up', async () => {
    for (const [atOnce, kept] of [
      [false, 2],
      [true, 0],
    ] as const) {
      let answered = 0;
      let stop = () => {};
      http.script(chat, (request) => {
        if (!isTrial(askedIn(request)) && ++answered === 2) stop();
        return solver(request);
      });
      const active = await evaluate({ choices: { samples: 2, seed: 60 + kept } });
      stop = () => {
        active.stop();
        if (atOnce) active.stop(true);
      };
      expect(await active.done).toBe('stopped');
      const [known] = (await listEvaluations(join(folder, 'evaluations'))).filter(
        ({ request }) => request.id === active.request.id,
      );
      expect([known!.status, known!.done]).toEqual(['stopped', kept]);
    }
  });

  it('whose context is full ends as a trajectory that was cut, and one that is cut says so', async () => {
    http.script(chat, (request) => {
      const asked = askedIn(request);
      if (isTrial(asked)) return says('1');
      if (asked.messages?.at(-1)?.content?.includes('2*7')) {
        const message = "This model's maximum context length is 4096 tokens.";
        return { status: 400, body: { object: 'error', message, type: 'BadRequestError', code: 400 } };
      }
      return says('and so on', {}, { finish_reason: 'length' });
    });
    const active = await evaluate({ choices: { samples: 1 } });
    await active.done;
    expect((await readEvaluation(active.file)).stops).toEqual(
      new Map([
        ['trajectoryTokens', 1],
        ['turnTokens', 2],
      ]),
    );
  });
});

it('counts what a content filter withholds apart, as neither right nor wrong', { timeout: 60_000 }, async () => {
  http.script(chat, (request) => {
    const asked = askedIn(request);
    const question = asked.messages?.at(-1)?.content ?? '';
    if (isTrial(asked) || question.includes('4*7')) return says('\\boxed{28}');
    if (question.includes('2*7')) return says('It is \\boxed{14}', {}, { finish_reason: 'content_filter' });
    const message = "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.";
    return { status: 400, body: { error: { message, code: 'content_filter' } } };
  });
  const active = await evaluate({ choices: { samples: 1 } });
  expect(await active.done).toBe('completed');
  const report = await readEvaluation(active.file);
  expect(report).toMatchObject({ generations: 1, correct: 1, average: 1, filtered: 2, infrastructure: 0 });
  expect(report.summary).toMatchObject({ filtered: 2, average_at_n: 1, correct_generations: 1, generations: 3 });
  expect(lostGenerations(report)).toEqual([
    '2 generations were withheld by a content filter of the service: neither right nor wrong, they are left out.',
  ]);
  const kept = await generationsOf(active.file);
  expect(kept.map(({ correct, trajectory }) => [correct, trajectory?.stop])).toEqual([
    [false, 'contentFilter'],
    [false, 'contentFilter'],
    [true, 'answered'],
  ]);
  expect(http.requests(chat)).toHaveLength(4);
});

it('takes its settings from what a run has frozen, too', { timeout: 60_000 }, async () => {
  const experiment = { ...usualExperiment(), reward: { rule: 'boxed-rational' } };
  const frozen = join(folder, 'experiment.json');
  await writeFile(frozen, JSON.stringify({ experiment, folder, files: {}, name: 'run' }));
  http.script(chat, says('\\boxed{14}'));
  const active = await evaluate({ experiment: frozen, choices: { samples: 1 } });
  expect(await active.done).toBe('completed');
  expect(active.request.protocol.settings).toMatchObject({ reward: { rule: 'boxed-rational' } });
  await expect(readExperiment(frozen)).rejects.toThrow(
    /experiment\.json is what a run has kept of its experiment, not an experiment file\.$/,
  );
});

it.each([
  [['--checkpoint', 'last'], /--checkpoint is for a run, not for --endpoint/],
  [[], /Which problems\? --dataset is missing/],
  [['--dataset', 'held-out'], /Whose held-out problems\? .* --experiment is missing/],
])('is refused in a sentence with %j beside it', async (args, sentence) => {
  const parts = { trainerScript: '', version: 'test' };
  const all = ['--endpoint', http.url, '--model', 'm', ...args];
  await expect(evaluateCommand(all, parts, new Output(true))).rejects.toThrow(sentence);
  expect(http.seen).toHaveLength(0);
});

describe('a server that does not do what it is asked is told apart in one sentence', { timeout: 60_000 }, () => {
  const refusal = (change: Partial<EndpointQuestion> = {}) =>
    evaluate(change).then(
      () => undefined,
      (error: Error & { code: string }) => error.message,
    );

  it('before anything is sampled', async () => {
    http.script(chat, { status: 401, body: { error: { message: `Incorrect API key provided: ${secret}` } } });
    expect(await refusal()).toBe(`The endpoint ${http.url}/v1 refuses the key: Incorrect API key provided: ….`);
    http.script(chat, { status: 404, body: { error: "model 'm' not found" } });
    expect(await refusal()).toBe(`The endpoint ${http.url}/v1 does not know what it was asked: model 'm' not found.`);
    http.script(chat, { status: 500, body: { error: { code: 500, message: 'tools param requires --jinja flag' } } });
    expect(await refusal()).toBe(`${http.url}/v1 takes no tools: tools param requires --jinja flag.`);
    http.script(chat, {
      status: 400,
      body: { detail: [{ loc: ['body', 'top_k'], msg: 'Extra inputs are not permitted' }] },
    });
    expect(await refusal({ choices: { topK: 5 } })).toBe(
      `${http.url}/v1 takes no top_k: body.top_k: Extra inputs are not permitted.`,
    );
    http.script(chat, { status: 302, headers: { location: 'http://elsewhere.test/' } });
    expect(await refusal()).toMatch(
      /failed \(302\): it sends to http:\/\/elsewhere\.test\/, and a key is sent to one server/,
    );
    http.script(chat, { body: { answer: 42 } });
    expect(await refusal()).toMatch(/ answers in a way that cannot be read: choices: /);
    expect(await refusal({ api: 'completions', tools: 'text' })).toBe(`${http.url}/v1 has no /completions: no script.`);
    expect(await refusal({ api: 'completions' })).toBe('Native tool calls are made in chats alone.');
    expect(await refusal({ url: 'http://me:pw@127.0.0.1' })).toMatch(/holds no password and no query/);
    http.script(chat, 'hangUp');
    expect(await refusal()).toMatch(/ cannot be reached: /);
    expect(http.seen.every(({ path }) => path !== '/')).toBe(true);
  });

  it('but goes on without what it can do without: a seed, a count of tokens, max_tokens', async () => {
    http.script(chat, (request) => {
      const asked = askedIn(request);
      if (asked.seed !== undefined) {
        return { status: 422, body: { detail: [{ loc: ['body', 'seed'], msg: 'Extra inputs are not permitted' }] } };
      }
      if (asked.max_tokens !== undefined) {
        const message = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.";
        return { status: 400, body: { error: { message } } };
      }
      return { body: { choices: [{ message: { content: '\\boxed{14}' }, finish_reason: 'stop' }] } };
    });
    const active = await evaluate({ choices: { samples: 1 } });
    expect(await active.done).toBe('completed');
    expect(await readEvaluation(active.file)).toMatchObject({ correct: 1, tokens: 0 });
    expect(notices).toEqual([
      `${http.url}/v1 takes no seed: its samples cannot be drawn again.`,
      `${http.url}/v1 counts no tokens: lengths and budgets of tokens are not known.`,
    ]);
  });

  it('and is asked again when it is busy or fails for a while, as late as it says', async () => {
    const waits: number[] = [];
    const patience = { sleep: async (milliseconds: number) => void waits.push(milliseconds), random: () => 0 };
    const asking = new EndpointHttp({ url: `${http.url}/v1`, key: undefined, connections: 1, patience });
    http.script(chat, { status: 429, headers: { 'retry-after': '7' } }, { status: 503 }, 'hangUp', says('1'));
    expect(await asking.post('/chat/completions', {}, new AbortController().signal)).toHaveProperty('choices');
    expect(waits).toEqual([7000, 1000, 2000]);
    http.script(chat, { status: 503, body: { message: 'overloaded' } });
    await expect(asking.post('/chat/completions', {}, new AbortController().signal)).rejects.toThrow(
      `The endpoint ${http.url}/v1 failed (503): overloaded.`,
    );
    const slow = new EndpointHttp({
      url: `${http.url}/v1`,
      key: undefined,
      connections: 1,
      patience,
      milliseconds: 100,
    });
    http.script(chat, 'silence');
    const silent = slow.post('/chat/completions', {}, new AbortController().signal);
    await expect(silent).rejects.toThrow(`The endpoint ${http.url}/v1 cannot be reached: it does not answer in time.`);
    await Promise.all([asking.close(), slow.close()]);
  });

  it('and may be as late as a date, and no later than two minutes', async () => {
    const waits: number[] = [];
    const patience = { sleep: async (milliseconds: number) => void waits.push(milliseconds), random: () => 0 };
    const asking = new EndpointHttp({ url: `${http.url}/v1`, key: undefined, connections: 1, patience });
    const late = (text: string) => ({ status: 429, headers: { 'retry-after': text } });
    http.script(chat, late('600'), late(new Date(Date.now() + 60_000).toUTCString()), says('1'));
    await asking.post('/chat/completions', {}, new AbortController().signal);
    expect(waits[0]).toBe(120_000);
    expect(waits[1]).toBeGreaterThan(50_000);
    expect(waits[1]).toBeLessThanOrEqual(60_000);
    await asking.close();
  });

  it('at the first request too: six tries, of which a person is told, unless no try betters it', async () => {
    http.script(chat, { status: 503, body: { message: 'loading' } }, 'hangUp', says('\\boxed{14}'));
    const active = await evaluate({ choices: { samples: 1 } });
    expect(await active.done).toBe('completed');
    expect(notices).toEqual([`The endpoint ${http.url}/v1 failed (503): loading. It is asked again for a while.`]);
    for (const [status, times] of [
      [503, 6],
      [401, 1],
      [500, 1],
    ] as const) {
      http.seen.length = 0;
      http.script(chat, { status, body: { message: status === 500 ? 'no tools here' : 'no' } });
      await refusal({ choices: { samples: 1, seed: 9 } });
      expect(http.requests(chat)).toHaveLength(times);
    }
  });

  it('in whichever shape it says why', () => {
    expect(saidIn('{"error":{"message":"a","code":1}}')).toBe('a');
    expect(saidIn('{"error":"b"}')).toBe('b');
    expect(saidIn('{"object":"error","message":"c"}')).toBe('c');
    expect(saidIn('{"detail":[{"loc":["body","n"],"msg":"d"},{"msg":"e"}]}')).toBe('body.n: d; e');
    expect(saidIn('<html><style>x</style><h1>Bad  Gateway</h1></html>')).toBe('Bad Gateway');
    expect(saidIn('')).toBe('it gave no reason');
  });
});

it('takes the address of a server as people write it', () => {
  expect(endpointUrl('http://127.0.0.1:8000')).toBe('http://127.0.0.1:8000/v1');
  expect(endpointUrl('http://127.0.0.1:8000/v1/')).toBe('http://127.0.0.1:8000/v1');
  expect(endpointUrl('https://h.test/api/v3/chat/completions')).toBe('https://h.test/api/v3');
  expect(() => endpointUrl('localhost:8000')).toThrow(/is no address of a server/);
});
