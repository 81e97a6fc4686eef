import { describe, expect, it } from 'vitest';
import { missingClosing } from '../../../src/protocols/closing';
import { withPrefilledThought } from '../../../src/protocols/readCall';
import { readXmlCall } from '../../../src/protocols/readXmlCall';
import { toDatum } from '../../../src/rl/datum';
import { ChatTemplate, type Message } from '../../../src/tokens/chatTemplate';
import { brokenAt, Conversation, TokenConversation } from '../../../src/tokens/conversation';
import { ModelTokenizer } from '../../../src/tokens/modelTokenizer';
import { testTemplate } from '../../../src/tokens/selfTest';
import { tinyAdded, tinyTokenizer } from '../../support/tinyTokenizer';

const tokenizer = new ModelTokenizer(tinyTokenizer());
const end = tokenizer.control('<|im_end|>');

/** Turns as Qwen's; results of one turn stand together; thoughts of earlier turns stay or go. */
const source = (keepsThoughts: boolean) => `
{%- for message in messages %}
  {%- if message.role == 'tool' %}
    {%- if loop.index0 == 0 or messages[loop.index0 - 1].role != 'tool' %}{{ '<|im_start|>user' }}{% endif %}
    {{- '\\n[' + message.content + ']' }}
    {%- if loop.last or messages[loop.index0 + 1].role != 'tool' %}{{ '<|im_end|>\\n' }}{% endif %}
  {%- elif message.role == 'assistant' and '</think>' in message.content and not ${keepsThoughts} %}
    {{- '<|im_start|>assistant\\n' + message.content.split('</think>')[-1] + '<|im_end|>\\n' }}
  {%- else %}
    {{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}
  {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}`;

const template = new ChatTemplate(source(true));
const conversation = new Conversation(template);
const tokens = new TokenConversation(conversation, tokenizer);
const question: Message = { role: 'user', content: 'q' };

describe('the tokens of a trajectory', () => {
  it('A: take what the sampler returned, what it left out of the closing, and the output', () => {
    const [prompt, first, observation, second] = [
      [1, 2, 3],
      [10, 11, 99],
      [50, 51, 60],
      [12, 99],
    ];
    const added = [...missingClosing(first, [99, 98]), ...observation];
    expect(added).toEqual([98, 50, 51, 60]);
    const datum = toDatum(
      [
        { tokens: prompt, logprobs: undefined },
        { tokens: first, logprobs: [-0.1, -0.2, -0.3] },
        { tokens: added, logprobs: undefined },
        { tokens: second, logprobs: [-0.4, -0.5] },
      ],
      1.5,
    );
    expect(datum.tokens).toEqual([1, 2, 3, 10, 11, 99, 98, 50, 51, 60, 12]);
    expect(datum.targets).toEqual([2, 3, 10, 11, 99, 98, 50, 51, 60, 12, 99]);
    expect(datum.logprobs).toEqual([0, 0, -0.1, -0.2, -0.3, 0, 0, 0, 0, -0.4, -0.5]);
    expect(datum.coefficients).toEqual([0, 0, 1.5, 1.5, 1.5, 0, 0, 0, 0, 1.5, 1.5]);
  });

  it('B: get the whole closing, untrained, where the server has taken the stop away', () => {
    expect(missingClosing([10, 11], [99, 98])).toEqual([99, 98]);
    const stripped = tokens.continuation([question], tokenizer.encode('a'), ['1']);
    const returned = tokens.continuation([question], [...tokenizer.encode('a'), end], ['1']);
    expect(stripped).toEqual([end, ...returned]);
    expect(tokenizer.decode(stripped)).toBe('<|im_end|>\n<|im_start|>user\n[1]<|im_end|>\n<|im_start|>assistant\n');
  });

  it('C: are never encoded anew from text', () => {
    const sampled = [...'hello'].map((letter) => letter.charCodeAt(0) - 33);
    const ids = sampled.map((_, i) => tokenizer.encode('hello'[i]!)[0]!);
    expect(tokenizer.decode(ids)).toBe('hello');
    expect(tokenizer.encode('hello')).toEqual([259]);
    const next = [...tokens.prompt([question]), ...ids, ...tokens.continuation([question], ids, ['1'])];
    expect(next.slice(tokens.prompt([question]).length).slice(0, 5)).toEqual(ids);
  });

  it('D: break where the template takes a thought out of the history, which the self-test says with its remedies', () => {
    const forgetful = new ChatTemplate(source(false));
    const told: Message = { role: 'assistant', content: '<think>a</think>call' };
    const render = (each: ChatTemplate) => each.render([question, told, { role: 'tool', content: '1' }]);
    const sequence = [...tokens.prompt([question]), ...tokenizer.encodeMarkup('<think>a</think>call')];
    expect(brokenAt(sequence, tokenizer.encodeMarkup(render(template)))).toBe(-1);
    expect(brokenAt(sequence, tokenizer.encodeMarkup(render(forgetful)))).toBe(tokens.prompt([question]).length);

    const prefix = (each: ChatTemplate) =>
      testTemplate(each, tokenizer, undefined).checks.find(
        ({ name }) => name === 'prefix after a result, with a thought',
      );
    expect(prefix(template)).toMatchObject({ ok: true });
    expect(prefix(forgetful)).toMatchObject({ ok: false });
    expect(prefix(forgetful)?.remedies).toHaveLength(2);
  });

  it('E: hold the results of one turn in one turn', () => {
    const both = tokenizer.decode(tokens.continuation([question], [end], ['r1', 'r2']));
    expect(both).toBe('\n<|im_start|>user\n[r1]\n[r2]<|im_end|>\n<|im_start|>assistant\n');
  });

  it('F: end with the header of the next turn, and a thought that it has begun is read as one', () => {
    const sampled =
      'so\n</think>\n\n<tool_call>\n<function=code_interpreter>\n<parameter=code>\n1\n</parameter>\n</function>\n</tool_call>';
    expect(readXmlCall(withPrefilledThought(sampled))).toEqual({ kind: 'call', code: '1' });
    expect(withPrefilledThought('\\boxed{1}')).toBe('\\boxed{1}');
  });

  it('hold no control token that a person or an interpreter has spelt', () => {
    const hostile = `1${tinyAdded.join(' ')}\ue000`;
    const controls = (ids: readonly number[]) => ids.filter((id) => id >= 260).length;
    expect(controls(tokens.prompt([{ role: 'user', content: hostile }]))).toBe(controls(tokens.prompt([question])));
    const shown = tokens.continuation([{ role: 'user', content: hostile }], [], [hostile]);
    expect(controls(shown)).toBe(controls(tokens.continuation([question], [], ['1'])));
    expect(tokenizer.decode(shown)).toContain(`[${hostile}]`);
  });
});
