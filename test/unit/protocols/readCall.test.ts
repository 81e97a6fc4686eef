import { describe, expect, it } from 'vitest';
import { withPrefilledThought } from '../../../src/protocols/readCall';
import { readFenceCall } from '../../../src/protocols/readFenceCall';
import { jsonCall, readJsonCall } from '../../../src/protocols/readJsonCall';
import { readTagCall } from '../../../src/protocols/readTagCall';
import { readXmlCall, xmlCall } from '../../../src/protocols/readXmlCall';

const json = (body: string) => `<tool_call>\n${body}\n</tool_call>`;
const written = (code: string) => `<tool_call>${jsonCall(code)}</tool_call>`;
const xml = (code: string) => `<tool_call>${xmlCall(code)}</tool_call>`;
const tags = (code: string) => `<code>\n\`\`\`python\n${code}\n\`\`\`\n</code>`;
const fence = (code: string) => `\`\`\`python\n${code}\n\`\`\`\n\`\`\`output`;

/** Code that breaks readers that look for markers with a regular expression. */
const hostile = [
  'print("</tool_call>")',
  'print("<tool_call>{}</tool_call>")',
  'print("</parameter>\\n</function>\\n</tool_call>")',
  "s = '''\n</parameter>\n</function>\n</tool_call>\n'''\nprint(s)",
  '    x = 1\n    print(x)',
  'print("a\\nb")\n\n',
  '\nprint(1)',
  'print({"a": [1, {"b": "}"}]})',
  'print("\\\\", \'"\')',
  'print("```python\\n```")',
  '123',
  'print("</think>")',
  'print("漢字 😀", r"\\boxed{1}")',
];

describe('every way of calling', () => {
  it.each(hostile)('gives back the code as it was written: %j', (code) => {
    const call = { kind: 'call', code };
    expect(readJsonCall(`Let me see.\n${written(code)}`)).toMatchObject(call);
    expect(readXmlCall(`Let me see.\n${xml(code)}`)).toMatchObject(call);
    expect(readTagCall(`Let me see.\n${tags(code)}`, 'code')).toMatchObject(call);
    expect(readFenceCall(`Let me see.\n${fence(code)}`)).toMatchObject(call);
  });

  it.each([
    ['JSON', readJsonCall],
    ['XML', readXmlCall],
  ])('takes a marker that is only spoken of for text: %s', (_, read) => {
    expect(read('I could use <tool_call> here. \\boxed{4}')).toEqual({ kind: 'answer', irregular: ['mention'] });
    expect(read('The tag <tool_call>…</tool_call> begins a call.')).toMatchObject({ kind: 'answer' });
    expect(read('\\boxed{4}')).toEqual({ kind: 'answer' });
  });

  it('counts an answer beside the call, and runs the call', () => {
    const said = 'It is \\boxed{4}. ';
    const expected = { kind: 'call', code: '1', irregular: ['answerWithCall'] };
    expect(readJsonCall(said + written('1'))).toEqual(expected);
    expect(readXmlCall(said + xml('1'))).toEqual(expected);
    expect(readTagCall(said + tags('1'), 'code')).toEqual(expected);
    expect(readFenceCall(`${said}\n${fence('1')}`)).toEqual(expected);
  });

  it('finds no call in a thought', () => {
    const thought = `<think>\nMaybe ${written('1')}\n</think>\n\n`;
    expect(readJsonCall(`${thought}\\boxed{4}`)).toEqual({ kind: 'answer' });
    expect(readJsonCall(thought + written('2'))).toEqual({ kind: 'call', code: '2' });
    expect(readJsonCall(`<think>\n${written('1')}`)).toEqual({ kind: 'answer' });
    const sampled = `so ${xml('1')}\n</think>\n\n${xml('2')}`;
    expect(readXmlCall(withPrefilledThought(sampled))).toEqual({ kind: 'call', code: '2' });
  });

  it('wants code', () => {
    for (const read of [readJsonCall(written(' ')), readXmlCall(xml('\n')), readFenceCall(fence(''))]) {
      expect(read).toEqual({ kind: 'malformed', reason: 'The call holds no code.' });
    }
    expect(readTagCall('<code>\n</code>', 'code')).toMatchObject({ kind: 'malformed' });
  });
});

describe('a call of Qwen3', () => {
  it('is read where it is pretty-printed or has bare line breaks in its strings', () => {
    const pretty = '{\n  "name": "code_interpreter",\n  "arguments": {\n    "code": "x = 1\\nprint(x)"\n  }\n}';
    expect(readJsonCall(json(pretty))).toEqual({ kind: 'call', code: 'x = 1\nprint(x)' });
    const bare = '{"name": "code_interpreter", "arguments": {"code": "x = 1\n\tprint(\\"a\\")"}}';
    expect(readJsonCall(json(bare))).toEqual({ kind: 'call', code: 'x = 1\n\tprint("a")', irregular: ['repaired'] });
    const both = pretty.replace('x = 1\\nprint(x)', 'x = 1\nprint(x)');
    expect(readJsonCall(json(both))).toEqual({ kind: 'call', code: 'x = 1\nprint(x)', irregular: ['repaired'] });
  });

  it.each([
    ['a missing brace', '{"name":"code_interpreter","arguments":{"code":"print(1)"}', ['unbalanced']],
    ['a string that does not end', '{"name":"code_interpreter","arguments":{"code":"print(1)}}', ['unbalanced']],
    ['another tool', '{"name":"search","arguments":{"code":"1"}}', ['unknownTool']],
    ['no tool', '{"arguments":{"code":"1"}}', ['unknownTool']],
    ['code that is a number', '{"name":"code_interpreter","arguments":{"code":1}}', undefined],
    ['arguments in a string', '{"name":"code_interpreter","arguments":"{}"}', undefined],
    ['single quotes', "{'name': 'code_interpreter'}", undefined],
    ['text behind the value', '{"name":"code_interpreter","arguments":{"code":"1"}} so', ['unbalanced']],
  ])('is malformed with %s', (_, body, irregular) => {
    const read = readJsonCall(json(body));
    expect(read.kind).toBe('malformed');
    expect(read.irregular).toEqual(irregular);
  });

  it('does not end with the turn alone', () => {
    expect(readJsonCall(written('1').replace('</tool_call>', ''))).toMatchObject({ irregular: ['unbalanced'] });
  });

  it('is the first of several, and text may follow it', () => {
    expect(readJsonCall(`${written('1')}\n${written('2')}`)).toMatchObject({ code: '1', irregular: ['severalCalls'] });
    expect(readJsonCall(`${written('1')} Now wait.`)).toMatchObject({ code: '1', irregular: ['textAfterCall'] });
    const extra = '{"name":"code_interpreter","arguments":{"code":"1","timeout":5}}';
    expect(readJsonCall(json(extra))).toEqual({ kind: 'call', code: '1', irregular: ['extraParameters'] });
  });
});

describe('a call of Qwen3.5', () => {
  it('keeps what stands in the value: indentation, numbers, further line breaks', () => {
    expect(readXmlCall(xml('    x=1\n    print(x)'))).toEqual({ kind: 'call', code: '    x=1\n    print(x)' });
    expect(readXmlCall(xml('123'))).toEqual({ kind: 'call', code: '123' });
    expect(readXmlCall(xml('\nx\n'))).toEqual({ kind: 'call', code: '\nx\n' });
  });

  it('keeps other parameters out of the code', () => {
    for (const order of ['code=1 timeout=5', 'timeout=5 code=1']) {
      const parameters = order.split(' ').map((pair) => pair.split('=') as [string, string]);
      const body = parameters.map(([name, value]) => `<parameter=${name}>\n${value}\n</parameter>\n`).join('');
      const call = `<tool_call>\n<function=code_interpreter>\n${body}</function>\n</tool_call>`;
      expect(readXmlCall(call)).toEqual({ kind: 'call', code: '1', irregular: ['extraParameters'] });
    }
  });

  it.each([
    ['two calls', `${xml('1')}\n${xml('2')}`, ['severalCalls']],
    ['two calls in one line', (xml('1') + xml('2')).replaceAll('\n', ''), ['severalCalls']],
    ['two calls with words between', `${xml('1')}\nand\n${xml('2')}`, ['severalCalls']],
    ['text after it', `${xml('1')} Now wait.`, ['textAfterCall']],
    ['no end', xml('1').replace('</tool_call>', ''), ['unbalanced']],
    ['another tool', xml('1').replace('code_interpreter', 'search'), ['unknownTool']],
    ['no code', xml('1').replace('parameter=code', 'parameter=query'), undefined],
    ['JSON in it', written('1'), undefined],
  ])('is malformed with %s', (_, text, irregular) => {
    const read = readXmlCall(text);
    expect(read.kind).toBe('malformed');
    expect(read.irregular).toEqual(irregular);
  });
});

describe('a call between tags', () => {
  it('is read with a fence or without, by the tag that begins it', () => {
    expect(readTagCall('<python>\nprint(1)\n</python>', 'python')).toEqual({ kind: 'call', code: 'print(1)' });
    expect(readTagCall('<code>print(1)</code>', 'code')).toEqual({ kind: 'call', code: 'print(1)' });
    expect(readTagCall(`I write <code> first. ${tags('1')}`, 'code')).toEqual({ kind: 'call', code: '1' });
    expect(readTagCall(tags('print("<code>")'), 'code')).toEqual({ kind: 'call', code: 'print("<code>")' });
  });

  it.each([
    ['no end', '<code>\nprint(1)', ['unbalanced']],
    ['no beginning', 'print(1)</code>', ['unbalanced']],
    ['text after it', `${tags('1')} so`, ['textAfterCall']],
  ])('is malformed with %s', (_, text, irregular) => {
    expect(readTagCall(text, 'code')).toMatchObject({ kind: 'malformed', irregular });
  });

  it('is text where it is only spoken of', () => {
    expect(readTagCall('The <code> tag is not needed: \\boxed{4}', 'code')).toEqual({
      kind: 'answer',
      irregular: ['mention'],
    });
  });
});

describe('a call in a fence', () => {
  it('is the last block before the output that the model begins', () => {
    expect(readFenceCall('```python\n1\n```\nor\n```python\n2\n```\n```output')).toEqual({
      kind: 'call',
      code: '2',
      irregular: ['severalCalls'],
    });
    expect(readFenceCall('```python\nprint(1)```\n```output\n')).toEqual({ kind: 'call', code: 'print(1)' });
  });

  it('is text without output, malformed without a block', () => {
    expect(readFenceCall('```python\n1\n```\nso \\boxed{1}')).toEqual({ kind: 'answer', irregular: ['mention'] });
    expect(readFenceCall('See:\n```output')).toMatchObject({ kind: 'malformed', irregular: ['unbalanced'] });
    expect(readFenceCall('```python\nprint(1)\n```output')).toMatchObject({ kind: 'malformed' });
  });
});

describe('what a turn may hold', () => {
  const two = (form: (code: string) => string) => `${form('1')}\n${form('2')}`;
  const box = 'It is \\boxed{4}. ';
  const blocks = '```python\n1\n```\nor\n```python\n2\n```\n```output';
  const call = (code: string, ...irregular: string[]) => ({ kind: 'call', code, irregular });
  const malformed = (...irregular: string[]) => ({ kind: 'malformed', reason: expect.any(String), irregular });

  it('is the first, the last or no call of several', () => {
    expect(readJsonCall(two(written), { several: 'first' })).toEqual(call('1', 'severalCalls'));
    expect(readJsonCall(two(written), { several: 'last' })).toEqual(call('2', 'severalCalls'));
    expect(readJsonCall(two(written), { several: 'malformed' })).toEqual(malformed('severalCalls'));
    expect(readXmlCall(two(xml), { several: 'first' })).toEqual(call('1', 'severalCalls'));
    expect(readXmlCall(two(xml), { several: 'last' })).toEqual(call('2', 'severalCalls'));
    expect(readXmlCall(two(xml), { several: 'malformed' })).toEqual(malformed('severalCalls'));
    expect(readFenceCall(blocks, { several: 'first' })).toEqual(call('1', 'severalCalls'));
    expect(readFenceCall(blocks, { several: 'last' })).toEqual(call('2', 'severalCalls'));
    expect(readFenceCall(blocks, { several: 'malformed' })).toEqual(malformed('severalCalls'));
  });

  it.each(hostile)('is each of several calls as it was written: %j', (code) => {
    for (const [several, chosen] of [
      ['first', code],
      ['last', 'print(0)'],
    ] as const) {
      const turns = [
        `So:\n${xml(code)}\nand\n${xml('print(0)')}`,
        `So:\n${written(code)}\nand\n${written('print(0)')}`,
      ];
      expect(readXmlCall(turns[0]!, { several })).toEqual(call(chosen, 'severalCalls'));
      expect(readJsonCall(turns[1]!, { several })).toEqual(call(chosen, 'severalCalls'));
    }
    expect(readXmlCall(`${xml('1')}\n${xml('2')}\n${xml(code)}`, { several: 'last' })).toMatchObject({ code });
    expect(readXmlCall(`${xml('1')}${xml('2')}${xml(code)}`, { several: 'first' })).toMatchObject({ code: '1' });
  });

  it('is one of several where the last of them does not end', () => {
    const begun = `${written('1')}\n<tool_call>\n{"name": "code`;
    expect(readJsonCall(begun)).toEqual(call('1', 'severalCalls'));
    expect(readJsonCall(begun, { several: 'last' })).toEqual(call('1', 'severalCalls'));
    expect(readJsonCall(begun, { several: 'malformed' })).toEqual(malformed('severalCalls'));
  });

  it('is text behind the call, or not', () => {
    expect(readXmlCall(`${xml('1')} Now wait.`, { textAfter: 'kept' })).toEqual(call('1', 'textAfterCall'));
    expect(readJsonCall(`${written('1')} Now wait.`, { textAfter: 'malformed' })).toEqual(malformed('textAfterCall'));
    expect(readJsonCall(`${two(written)} So.`, { several: 'last', textAfter: 'malformed' })).toEqual(
      malformed('severalCalls', 'textAfterCall'),
    );
  });

  it('is an answer before a call, or beside one that cannot be read', () => {
    const rules = { withAnswer: 'answer' } as const;
    const answer = { kind: 'answer', irregular: ['answerWithCall'] };
    expect(readJsonCall(box + written('1'), rules)).toEqual(answer);
    expect(readXmlCall(box + xml('1'), rules)).toEqual(answer);
    expect(readTagCall(box + tags('1'), 'code', rules)).toEqual(answer);
    expect(readFenceCall(`${box}\n${fence('1')}`, rules)).toEqual(answer);
    expect(readJsonCall(`${written('1')} ${box}`, rules)).toEqual({
      kind: 'answer',
      irregular: ['textAfterCall', 'answerWithCall'],
    });
    expect(readXmlCall(`${xml('1')} ${box}`, rules)).toMatchObject({ kind: 'answer' });
    const cutOff = { kind: 'answer', irregular: ['unbalanced', 'answerWithCall'] };
    expect(readJsonCall(`${box}<tool_call>\n{"name"`, rules)).toEqual(cutOff);
    expect(readXmlCall(`${box}<tool_call>\n<function=code_interpreter>`, rules)).toEqual(cutOff);
    expect(readTagCall(`${box}<code>\nprint(1)`, 'code', rules)).toEqual(cutOff);
    for (const read of [readJsonCall(written(box), rules), readXmlCall(xml(box), rules)]) {
      expect(read).toEqual({ kind: 'call', code: box });
    }
    expect(readTagCall(tags(box), 'code', rules)).toEqual({ kind: 'call', code: box });
  });
});
