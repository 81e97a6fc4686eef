import { describe, expect, it } from 'vitest';
import { protocolOf } from '../../../src/protocols/protocols';
import { callOpen } from '../../../src/protocols/readCall';
import { jsonCall } from '../../../src/protocols/readJsonCall';
import { xmlCall } from '../../../src/protocols/readXmlCall';
import type { RewardRule, Sandbox } from '../../../src/rl/ports';
import { rollout } from '../../../src/rl/rollout';
import { Experiment } from '../../../src/schema/experiment';
import { ProtocolName } from '../../../src/schema/rollout';
import { localVocabulary as tokenizer } from '../../../src/trainer/vocabulary';
import { okResult, scriptedPolicy } from '../../support/scriptedService';

const rule: RewardRule = {
  name: 'none',
  grade: () => ({ reward: 0, verdict: 'unknown', formatted: true, predicted: null, reason: '' }),
};
const end = tokenizer.control('<|im_end|>');
const [open, close] = ['<tool_call>', '</tool_call>'].map((name) => tokenizer.control(name));
const encode = (text: string) => tokenizer.encode(text);

/** Ids of words and calls of that code, as a model of that protocol samples them: calls are those between bars. */
function turn(name: ProtocolName, text: string): number[] {
  const parts = text.split('|').map((part, i) => ({ part, calls: i % 2 === 1 }));
  if (name === 'qwen3-json' || name === 'qwen3.5-xml') {
    const body = name === 'qwen3-json' ? jsonCall : xmlCall;
    const ids = parts.flatMap(({ part, calls }) => (calls ? [open!, ...encode(body(part)), close!] : encode(part)));
    return [...ids, end];
  }
  if (name === 'torl-fences') {
    const fenced = parts.map(({ part, calls }) => (calls ? `\n\`\`\`python\n${part}\n\`\`\`\n` : part));
    return encode(`${fenced.join('')}\`\`\`output`);
  }
  const call = protocolOf(name, tokenizer).call(parts[1]!.part);
  return [...encode(parts[0]!.part), ...call];
}

async function play(name: ProtocolName, text: string, change: object) {
  const ran: string[] = [];
  const sandbox: Sandbox = { run: async (code) => okResult(`${ran.push(code)}\n`) };
  const settings = Experiment.parse({
    name: 'x',
    data: { train: 't' },
    reinforcement: { steps: 1 },
    budgets: { turns: 3, calls: 2, turnTokens: 400, trajectoryTokens: 1000, observationTokens: 24 },
    ...change,
  });
  const policy = scriptedPolicy((_, index) => ({
    tokens: index === 0 ? turn(name, text) : [...encode('\\boxed{7}'), end],
  }));
  const { budgets, malformedCalls } = settings;
  const parts = {
    policy,
    sandbox,
    tokenizer,
    rule,
    budgets,
    malformedCalls,
    sampling: { temperature: 1 },
    clock: () => 0,
  };
  const trajectory = await rollout(
    { id: 'p', question: 'q', answer: '7' },
    { step: 1, branch: 0, seed: 1, path: ['sample', 1, 'p', 0] },
    { ...parts, protocol: protocolOf(name, tokenizer, settings) },
    new AbortController().signal,
  );
  return { ran, stop: trajectory.stop, turns: trajectory.turns.length, irregular: trajectory.turns[0]?.irregular };
}

describe('a rollout', () => {
  const spelling = ['qwen3-json', 'qwen3.5-xml', 'torl-fences'] as const;
  it.each(spelling)('runs the call of several that is chosen, in %s', async (name) => {
    const run = (several: string) => play(name, 'a |print(1)|b\n|print(2)|', { calls: { several } });
    expect(await run('first')).toMatchObject({ ran: ['print(1)'], stop: 'answered', irregular: ['severalCalls'] });
    expect(await run('last')).toMatchObject({ ran: ['print(2)'], stop: 'answered', irregular: ['severalCalls'] });
    expect(await run('malformed')).toMatchObject({ ran: [], stop: 'malformedCall', irregular: ['severalCalls'] });
  });

  it.each(ProtocolName.options)('takes an answer beside a call for what it is set to be, in %s', async (name) => {
    const run = (withAnswer: string) => play(name, 'So \\boxed{7}. |print(1)|', { calls: { withAnswer } });
    expect(await run('call')).toMatchObject({ ran: ['print(1)'], turns: 2 });
    expect(await run('answer')).toEqual({ ran: [], stop: 'answered', turns: 1, irregular: ['answerWithCall'] });
    const without = await play(name, 'So |print(1)|', { calls: { withAnswer: 'answer' } });
    expect(without).toMatchObject({ ran: ['print(1)'], turns: 2 });
  });

  it.each(['qwen3-json', 'qwen3.5-xml'] as const)('lets text behind a call be, or does not, in %s', async (name) => {
    const run = (textAfter: string) => play(name, '|print(1)| Then.', { calls: { textAfter } });
    expect(await run('kept')).toMatchObject({ ran: ['print(1)'], stop: 'answered', irregular: ['textAfterCall'] });
    expect(await run('malformed')).toMatchObject({ ran: [], stop: 'malformedCall', irregular: ['textAfterCall'] });
  });

  it.each(ProtocolName.options)(
    'goes on after code that is empty with the word it is set to tell, in %s',
    async (name) => {
      const told = { malformedCalls: { policy: 'feedBack', message: 'None' } };
      expect(await play(name, 'So | |', told)).toMatchObject({ ran: [], stop: 'answered', turns: 2 });
      const graded = await play(name, 'So | |', { malformedCalls: { policy: 'asAnswer' } });
      expect(graded).toMatchObject({ ran: [], stop: 'answered', turns: 1 });
      expect(graded.irregular).toContain('malformed');
    },
  );

  it('reads no call where the marker is only spoken of', async () => {
    expect(await play('qwen3-json', `${callOpen} is a tag`, {})).toMatchObject({ ran: [], stop: 'answered', turns: 1 });
  });
});
