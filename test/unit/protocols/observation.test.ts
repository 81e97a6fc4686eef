import { describe, expect, it } from 'vitest';
import { cutCharacters } from '../../../src/protocols/cut';
import { protocolOf } from '../../../src/protocols/protocols';
import type { Experiment } from '../../../src/schema/experiment';
import { ProtocolName } from '../../../src/schema/rollout';
import type { ToolResult } from '../../../src/schema/trajectory';
import { localVocabulary as tokenizer } from '../../../src/trainer/vocabulary';
import { okResult } from '../../support/scriptedService';
import { seedSystems as systems } from '../../support/seedSystems';

type Settings = Partial<Experiment['observation']>;
const names = Object.keys(systems) as (keyof typeof systems)[];

const result = (changed: Partial<ToolResult>): ToolResult => ({ ...okResult(''), ...changed });
const traceback =
  'Traceback (most recent call last):\n  File "<code>", line 2, in <module>\nZeroDivisionError: division by zero\n';
const failed = result({ status: 'error', exitCode: 1, stdout: 'before\n', stderr: traceback });
const digits = (count: number) => Array.from({ length: count }, (_, i) => i % 10).join('');
/** 5 MB of digits as the sandbox keeps them: a quarter of its limit from the head, the rest from the tail. */
const flood = { head: digits(16_384), tail: digits(49_152), mark: '\n... 4934464 bytes left out ...\n' };
const flooded = result({ stdout: flood.head + flood.mark + flood.tail, truncated: true });
const special = 'a<|im_end|></tool_response>b\n';
const chinese = '漢字'.repeat(2500);

describe('the text that a model sees', () => {
  const cases: [string, ToolResult, Record<keyof typeof systems, string>][] = [
    [
      'a plain print',
      result({ stdout: '42\n' }),
      { retool: '42', pytrio: '42\n', verl: '42\n', torl: '42', slime: 'Output:\n42' },
    ],
    [
      'no output',
      result({}),
      {
        retool: 'None',
        pytrio: '',
        verl: '',
        torl: "timeout_decorator.timeout_decorator.TimeoutError: 'Timed Out'",
        slime: '',
      },
    ],
    [
      'a warning beside the output',
      result({ stdout: '42\n', stderr: 'w\n' }),
      { retool: '42', pytrio: '42\n', verl: '42\nw\n', torl: '42', slime: 'Output:\n42\n\nErrors:\nw' },
    ],
    [
      'an exception after a print',
      failed,
      {
        retool: 'ZeroDivisionError: division by zero',
        pytrio: traceback,
        verl: `before\n${traceback}`,
        torl: 'before',
        slime: `Error: division by zero\nTraceback:\n${traceback.trim()}`,
      },
    ],
    [
      'an exception alone',
      { ...failed, stdout: '' },
      {
        retool: 'ZeroDivisionError: division by zero',
        pytrio: traceback,
        verl: traceback,
        torl: 'ZeroDivisionError: division by zero',
        slime: `Error: division by zero\nTraceback:\n${traceback.trim()}`,
      },
    ],
    [
      'an exit with a number',
      result({ status: 'error', exitCode: 3 }),
      {
        retool: 'exit 3',
        pytrio: 'Error: process exited with code 3.',
        verl: '',
        torl: "timeout_decorator.timeout_decorator.TimeoutError: 'Timed Out'",
        slime: 'Error: Process exited with code 3\n',
      },
    ],
    [
      'a time-out after a print',
      result({ status: 'timeout', stdout: 'before\n', exitCode: null, signal: 'SIGKILL' }),
      {
        retool: 'Timeout Error',
        pytrio: 'Error: execution timed out after 30 seconds.',
        verl: 'no stdout here',
        torl: 'UnknownError',
        slime: 'Error: Code execution timed out after 120 seconds',
      },
    ],
    [
      'a flood of 5 MB',
      flooded,
      {
        retool: `${flood.head.slice(0, 200)}...${flood.tail.slice(-200)}`,
        pytrio: `[... truncated ${16_384 + flood.mark.length + 49_152 - 4096} chars ...]\n${flood.tail.slice(-4096)}`,
        verl: `${flood.head.slice(0, 128)}...(truncated)...${flood.tail.slice(-128)}`,
        torl: `${flood.head.slice(0, 128)}...${flood.tail.slice(-128)}`,
        slime: `Output:\n${flood.head}${flood.mark}${flood.tail}`,
      },
    ],
    [
      'output that speaks of an Error',
      result({ stdout: 'Error of the estimate:\n0.5\n' }),
      {
        retool: 'Error of the estimate:\n0.5',
        pytrio: 'Error of the estimate:\n0.5\n',
        verl: 'Error of the estimate:\n0.5\n',
        torl: '0.5',
        slime: 'Output:\nError of the estimate:\n0.5',
      },
    ],
    [
      'output that spells control tokens',
      result({ stdout: special }),
      {
        retool: special.trim(),
        pytrio: special,
        verl: special,
        torl: special.trim(),
        slime: `Output:\n${special.trim()}`,
      },
    ],
    [
      'Chinese beyond the limit',
      result({ stdout: chinese }),
      {
        retool: `${chinese.slice(0, 200)}...${chinese.slice(-200)}`,
        pytrio: `[... truncated 904 chars ...]\n${chinese.slice(-4096)}`,
        verl: `${chinese.slice(0, 128)}...(truncated)...${chinese.slice(-128)}`,
        torl: `${chinese.slice(0, 128)}...${chinese.slice(-128)}`,
        slime: `Output:\n${chinese}`,
      },
    ],
  ];
  const table = cases.flatMap(([what, given, expected]) => names.map((name) => [name, what, given, expected[name]]));
  it.each(table as [keyof typeof systems, string, ToolResult, string][])('of %s, after %s', (name, _, given, text) => {
    const { protocol, observation } = systems[name];
    expect(protocolOf(protocol, tokenizer, { observation }).observe(given)).toBe(text);
  });

  it('is the message of an exception with its lines, where it has several', () => {
    const { observe } = protocolOf('compact', tokenizer, { observation: { errors: 'labelled' } });
    const told = (stderr: string) => observe(result({ status: 'error', exitCode: 1, stderr })).split('\nTraceback:')[0];
    const head = 'Traceback (most recent call last):\n  File "<code>", line 1, in <module>\n';
    expect(told(`${head}ValueError: one\nHint: two\n`)).toBe('Error: one\nHint: two');
    expect(told(`${head}KeyError\n`)).toBe('Error: ');
    const during = '\nDuring handling of the above exception, another exception occurred:\n\n';
    expect(told(`${head}KeyError: 1\n${during}${head}json.decoder.JSONDecodeError: bad\n`)).toBe('Error: bad');
  });
});

it('is what was printed by the time that ran out, where no text is set for that', () => {
  const timedOut = (errors: NonNullable<Settings['errors']>, stdout: string) =>
    protocolOf('compact', tokenizer, { observation: { errors, empty: '-' } }).observe(
      result({ status: 'timeout', stdout, exitCode: null, signal: 'SIGKILL' }),
    );
  expect(timedOut('streams', '1\n')).toBe('1\n');
  expect(timedOut('streams', '')).toBe('TimeoutError');
  expect(timedOut('lastLineIfError', '1\n')).toBe('1');
  expect(timedOut('lastLineIfError', '')).toBe('-');
  for (const form of ['lastLine', 'stderrOnly', 'labelled'] as const) expect(timedOut(form, '1')).toBe('TimeoutError');
});

describe('every protocol', () => {
  it.each(ProtocolName.options)('%s shows what it has always shown where nothing is set', (name) => {
    const usual = protocolOf(name, tokenizer);
    const set = protocolOf(name, tokenizer, { observation: { marker: '...', lastExpression: 'value' } });
    for (const given of [result({}), failed, flooded, result({ status: 'timeout' }), result({ stdout: special })]) {
      expect(set.observe(given)).toBe(usual.observe(given));
      const call = usual.call('1');
      expect(set.continuation(call, chinese, 25)).toEqual(usual.continuation(call, chinese, 25));
    }
  });

  it.each(ProtocolName.options)('%s takes the texts for silence and for a time-out', (name) => {
    const { observe } = protocolOf(name, tokenizer, { observation: { empty: '(nothing)', timeout: 'Too slow.' } });
    expect(observe(result({}))).toBe('(nothing)');
    expect(observe(result({ stdout: 'None\n' }))).toBe('None');
    expect(observe(result({ status: 'timeout', stdout: '1' }))).toBe('Too slow.');
  });

  const between = (name: ProtocolName, settings: Settings, text: string, limit: number) => {
    const protocol = protocolOf(name, tokenizer, { observation: settings });
    const empty = protocol.continuation(protocol.call('1'), '', limit);
    const added = protocol.continuation(protocol.call('1'), text, limit);
    const at = added.findIndex((token, i) => token !== empty[i]);
    return added.slice(at, at + added.length - empty.length);
  };

  it.each(ProtocolName.options)('%s keeps the chosen part of the tokens, mark included', (name) => {
    const shown = (settings: Settings, text: string, limit: number) =>
      tokenizer.decode(between(name, settings, text, limit));
    expect(shown({ keep: 'tail' }, '123456789', 7)).toBe('...6789');
    expect(shown({ keep: 'head' }, '123456789', 7)).toBe('1234...');
    expect(shown({ keep: 'headAndTail' }, '123456789', 7)).toBe('12...89');
    expect(shown({ characters: 16 }, '123456789', 7)).toBe('12...89');
    expect(shown({ keep: 'tail', tokenMarker: '[... truncated ...]\n' }, digits(40), 25)).toBe(
      `[... truncated ...]\n${digits(40).slice(-5)}`,
    );
    expect(shown({ keep: 'tail' }, '123456', 3)).toBe('456');
    expect(shown({ keep: 'tail' }, '漢字漢字', 10)).toBe('...漢字');
    expect(shown({ keep: 'tail' }, '漢字漢字', 11)).toBe('...漢字');
    expect(shown({ keep: 'headAndTail' }, '漢字漢字', 10)).toBe('漢...字');
    expect(shown({ keep: 'tail' }, '1234', 4)).toBe('1234');
  });

  it.each(ProtocolName.options)('%s makes no control token of output that is cut', (name) => {
    const ids = between(name, { keep: 'tail', tokenMarker: '<|im_end|>' }, `${special}${special}`, 40);
    expect(ids.every((id) => id < 256)).toBe(true);
    expect(ids).toHaveLength(40);
  });
});

describe('characters', () => {
  const tail = { keep: 'tail', marker: '{count}|' } as const;
  it('are Unicode code points, and none is cut in two', () => {
    expect(cutCharacters('😀'.repeat(20), 16, tail)).toBe(`4|${'😀'.repeat(16)}`);
    expect(cutCharacters('😀'.repeat(16), 16, tail)).toBe('😀'.repeat(16));
    expect(cutCharacters(`x${'😀'.repeat(20)}`, 17, { keep: 'headAndTail', marker: '~' })).toBe(
      `x${'😀'.repeat(7)}~${'😀'.repeat(8)}`,
    );
  });

  it('keep the head with the mark behind it', () => {
    expect(cutCharacters(digits(20), 16, { keep: 'head', marker: '...(truncated)' })).toBe(
      `${digits(16)}...(truncated)`,
    );
  });
});
