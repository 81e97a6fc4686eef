import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readDemonstrations } from '../../../src/datasets/problemFile';
import { readProblems } from '../../support/readProblems';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'problems-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function file(content: string | Buffer, name = 'sums.jsonl'): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

const good = '{"id": "a", "question": "What is 2+3?", "answer": "5", "kind": "short"}';

describe('a problem file', () => {
  it('is read with a byte order mark, Windows line ends, blank lines and no last line end', async () => {
    const path = await file(`\ufeff${good}\r\n\r\n   \n{"id": "b", "question": "1?", "answer": "1"}`);
    expect(await readProblems(path)).toEqual([
      { id: 'a', question: 'What is 2+3?', answer: '5', kind: 'short' },
      { id: 'b', question: '1?', answer: '1' },
    ]);
  });

  it('may leave out ids and may write answers as numbers', async () => {
    const path = await file(
      '{"question": "q", "answer": 5}\n{"question": "q", "answer": 123456789012345678901}\n{"id": 7, "question": "q", "answer": -0.5}',
    );
    expect(await readProblems(path)).toEqual([
      { id: 'sums-1', question: 'q', answer: '5' },
      { id: 'sums-2', question: 'q', answer: '123456789012345678901' },
      { id: '7', question: 'q', answer: '-0.5' },
    ]);
  });

  it('lose no digit, in a list or behind a point', async () => {
    const long = await file(
      '{"question": "q", "other": {"answer": 1}, "answer": [12345678901234567890]}\n{"question": "q", "answer": 123456789012345678.5}',
    );
    expect((await readProblems(long)).map(({ answer }) => answer)).toEqual([
      '12345678901234567890',
      '123456789012345678.5',
    ]);
  });

  it.each([
    [
      'a number in the place of a text',
      '{"id": "a", "question": 5, "answer": "1"}',
      'line 1: the field "question" is a number, not a text.',
    ],
    ['not JSON', `${good}\n{"id": `, 'line 2: not JSON.'],
    ['no object', '[1]', 'line 1: not a JSON object.'],
    ['a missing field', `${good}\n{"id": "b", "question": "q"}`, 'line 2: the field "answer" is missing.'],
    ['a null', `${good}\n{"id": "b", "question": "q", "answer": null}`, 'line 2: the field "answer" is missing.'],
    ['an empty field', '{"id": "a", "question": "  ", "answer": "1"}', 'line 1: the field "question" is empty.'],
    ['an empty id', '{"id": "", "question": "q", "answer": "1"}', 'line 1: the field "id" is empty.'],
    [
      'a field of another type',
      '{"id": "a", "question": "q", "answer": {"value": 1}}',
      'line 1: the field "answer" is not a string.',
    ],
    [
      'golds that differ',
      '{"id": "a", "question": "q", "answer": ["1", "2"]}',
      'line 1: the field "answer" is a list that is not read as one text.',
    ],
    [
      'a number beyond all doubles',
      `${good}\n{"question": "q", "answer": 1e999}`,
      'line 2: the field "answer" is a number too large to be read.',
    ],
    ['a huge line', `{"question": "${'x'.repeat(1_000_001)}"}`, 'line 1: longer than 1000000 bytes.'],
    [
      'bytes that are no text',
      Buffer.concat([Buffer.from(`${good}\n"`), Buffer.from([0xff, 0xfe])]),
      'line 2: not UTF-8 text.',
    ],
  ])('with %s is refused by line', async (_, content, expected) => {
    const path = await file(content);
    await expect(readProblems(path)).rejects.toMatchObject({ message: `${path}, ${expected}` });
  });

  it('that is missing, empty or a folder is refused by name', async () => {
    const missing = join(folder, 'missing.jsonl');
    await expect(readProblems(missing)).rejects.toMatchObject({
      code: 'data',
      message: `There is no file ${missing}.`,
    });
    const empty = await file('\n \n', 'empty.jsonl');
    await expect(readProblems(empty)).rejects.toMatchObject({ code: 'data', message: `${empty} holds no problems.` });
    const directory = join(folder, 'directory');
    await mkdir(directory);
    await expect(readProblems(directory)).rejects.toMatchObject({
      code: 'data',
      message: `${directory} is a folder, not a file.`,
    });
  });
});

describe('a file of demonstrations', () => {
  it('needs code on every line', async () => {
    const path = await file(good);
    await expect(readDemonstrations(path)).rejects.toMatchObject({
      message: `${path}, line 1: the field "code" is missing.`,
    });
    const whole = await file('{"question": "q", "answer": "5", "code": "print(5)"}');
    expect(await readDemonstrations(whole)).toEqual([{ id: 'sums-1', question: 'q', answer: '5', code: 'print(5)' }]);
  });
});
