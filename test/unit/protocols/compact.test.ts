import { describe, expect, it } from 'vitest';
import { compactProtocol } from '../../../src/protocols/compact';
import type { ToolResult } from '../../../src/schema/trajectory';
import { localVocabulary as tokenizer } from '../../../src/trainer/vocabulary';
import { okResult } from '../../support/scriptedService';

const protocol = compactProtocol(tokenizer);
const callStart = tokenizer.control('<tool_call>');
const callEnd = tokenizer.control('</tool_call>');
const end = tokenizer.control('<|im_end|>');
const responseStart = tokenizer.control('<tool_response>');
const encode = (text: string) => tokenizer.encode(text);

const result = (changed: Partial<ToolResult>): ToolResult => ({ ...okResult(''), ...changed });

describe('a trajectory', () => {
  it('is one text from question to box', () => {
    const problem = { id: 'a', question: ' What is 47*86+125? ', answer: '4167' };
    const call = protocol.call('print(47*86+125)');
    const tokens = [
      ...protocol.prompt(problem),
      ...call,
      ...protocol.continuation(call, '4167', 24),
      ...protocol.answer('4167'),
    ];
    expect(tokenizer.decode(tokens)).toBe(
      '<|im_start|>user What is 47*86+125?<|im_end|><|im_start|>assistant<tool_call>print(47*86+125)</tool_call>' +
        '<|im_end|><|im_start|>tool<tool_response>4167</tool_response><|im_end|><|im_start|>assistant' +
        '\\boxed{4167}<|im_end|>',
    );
  });

  it('takes a question that spells markers as text', () => {
    const prompt = protocol.prompt({ id: 'a', question: 'Say <|im_end|><tool_call>', answer: '1' });
    expect(prompt.filter((token) => token === end)).toHaveLength(1);
    expect(prompt).not.toContain(callStart);
  });

  it('ends its turns with the ids that stop the sampler', () => {
    expect(protocol.stop).toEqual([callEnd, end]);
    expect(protocol.call('1').at(-1)).toBe(callEnd);
    expect(protocol.answer('1').at(-1)).toBe(end);
  });
});

describe('reading a turn', () => {
  it('finds the code between the markers, as it was written', () => {
    const code = '  x = 1\nprint("</tool_call>", x)\n';
    expect(protocol.read(protocol.call(code))).toEqual({ kind: 'call', code });
    expect(protocol.read([...encode('Let me see. '), ...protocol.call('1'), end])).toEqual({ kind: 'call', code: '1' });
  });

  it('takes a turn without a call for an answer, with a box or without', () => {
    expect(protocol.read(protocol.answer('5'))).toEqual({ kind: 'answer' });
    expect(protocol.read([...encode('I do not know'), end])).toEqual({ kind: 'answer' });
    expect(protocol.read([end])).toEqual({ kind: 'answer' });
  });

  it('takes a marker spelt in ordinary text for text', () => {
    expect(protocol.read([...encode('<tool_call>print(1)</tool_call>'), end])).toEqual({ kind: 'answer' });
  });

  it('takes a box before the call for the answer where answers come first', () => {
    const turn = [...encode('\\boxed{4} '), ...protocol.call('1')];
    expect(protocol.read(turn)).toEqual({ kind: 'call', code: '1' });
    const first = compactProtocol(tokenizer, { calls: { withAnswer: 'answer' } });
    expect(first.read(turn)).toEqual({ kind: 'answer', irregular: ['answerWithCall'] });
    expect(first.read(protocol.call('"\\boxed{4}"'))).toEqual({ kind: 'call', code: '"\\boxed{4}"' });
  });

  it.each([
    ['a call without an end', [callStart, ...encode('print(1)'), end], 'The call does not end.'],
    ['an end without a call', [...encode('print(1)'), callEnd], 'The turn ends a call that it did not begin.'],
    ['an end before the call', [callEnd, callStart, end], 'The call does not end.'],
    ['no code', [callStart, ...encode(' \n'), callEnd], 'The call holds no code.'],
    ['text after the call', [...protocol.call('1'), ...encode(' so'), end], 'Text follows the call.'],
    ['two calls', [...protocol.call('1'), ...protocol.call('2')], 'The code holds a control token.'],
    ['a role in the code', [callStart, tokenizer.control('tool'), callEnd], 'The code holds a control token.'],
    ['a role in the answer', [tokenizer.control('user'), end], 'The answer holds a control token.'],
  ])('names what is wrong with %s', (_, tokens, reason) => {
    expect(protocol.read(tokens)).toEqual({ kind: 'malformed', reason });
  });
});

describe('what the model is shown', () => {
  it.each([
    ['the output without the space around it', { stdout: '\n4167\n' }, '4167'],
    ['None for no output', { stdout: ' \n' }, 'None'],
    [
      'the name of the exception',
      {
        status: 'error',
        stdout: '1\n',
        stderr:
          'Traceback (most recent call last):\n  File "<code>", line 1, in <module>\nZeroDivisionError: division by zero\n',
      },
      'ZeroDivisionError',
    ],
    [
      'the name without its module',
      { status: 'error', stderr: 'json.decoder.JSONDecodeError: Expecting value\n' },
      'JSONDecodeError',
    ],
    [
      'the name above a message of several lines',
      { status: 'error', stderr: 'ValueError: one\n  two of it\n' },
      'ValueError',
    ],
    [
      'the name of an exception without a message',
      { status: 'error', stderr: 'Traceback (most recent call last):\nKeyError\n' },
      'KeyError',
    ],
    ['the output of code that left with a number', { status: 'error', stdout: 'no\n', exitCode: 3 }, 'no'],
    ['the number when there is no output', { status: 'error', exitCode: 3 }, 'exit 3'],
    ['a timeout', { status: 'timeout', stdout: '1\n' }, 'TimeoutError'],
    ['too much output', { status: 'outputLimit' }, 'OutputLimitError'],
    ['too much memory', { status: 'memoryLimit' }, 'MemoryError'],
    ['the signal', { status: 'killed', signal: 'SIGSEGV' }, 'SIGSEGV'],
  ] as [string, Partial<ToolResult>, string][])('is %s', (_, changed, expected) => {
    expect(protocol.observe(result(changed))).toBe(expected);
  });

  const shown = (tokens: number[]) =>
    tokens.slice(tokens.indexOf(responseStart) + 1, tokens.indexOf(tokenizer.control('</tool_response>')));

  it('is cut by tokens, between characters', () => {
    expect(shown(protocol.continuation(protocol.call('1'), '123456', 4))).toEqual(encode('1234'));
    expect(shown(protocol.continuation(protocol.call('1'), '漢字', 4))).toEqual(encode('漢'));
    expect(shown(protocol.continuation(protocol.call('1'), '漢字', 2))).toEqual([]);
    expect(shown(protocol.continuation(protocol.call('1'), 'a\ufffdb', 2))).toEqual(encode('a'));
    expect(shown(protocol.continuation(protocol.call('1'), '123', 3))).toEqual(encode('123'));
  });

  it('holds no control token, whatever it spells', () => {
    const tokens = shown(protocol.continuation(protocol.call('1'), '</tool_response><|im_end|>', 99));
    expect(tokens).toEqual(encode('</tool_response><|im_end|>'));
  });

  it('comes after the closing tokens that the sampler left out, and none twice', () => {
    const following = (tokens: number[]) => tokenizer.decode(protocol.continuation(tokens, '5', 9));
    const rest = '<|im_start|>tool<tool_response>5</tool_response><|im_end|><|im_start|>assistant';
    expect(following([callStart, ...encode('5'), callEnd])).toBe(`<|im_end|>${rest}`);
    expect(following([callStart, ...encode('5'), callEnd, end])).toBe(rest);
    expect(following([callStart, ...encode('5')])).toBe(`</tool_call><|im_end|>${rest}`);
  });
});
