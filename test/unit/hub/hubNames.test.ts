import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fileAddress } from '../../../src/hub/hubAddresses';
import { nameOf, nameOfRepository, parseDataName, parseModelName } from '../../../src/hub/hubName';
import { parseSource } from '../../../src/hub/hubSource';

const wording = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    const { message, hint } = error as { message: string; hint?: string };
    return `${message} ${hint ?? ''}`.trim();
  }
  return expect.unreachable('it was not refused');
};

describe('a revision with slashes', () => {
  const name = 'hub:maker/sums@refs%2Fpr%2F1/data/train.jsonl';
  it('is written with %2F and asked for as it is', () => {
    const file = parseDataName(name);
    expect(file).toMatchObject({ repository: { id: 'maker/sums', revision: 'refs/pr/1' }, path: 'data/train.jsonl' });
    expect(nameOf(file)).toBe(name);
    expect(parseDataName(name.replaceAll('%2F', '%2f'))).toEqual(file);
    expect(fileAddress({ kind: 'huggingFace', url: 'https://h' }, file).href).toBe(
      'https://h/datasets/maker/sums/resolve/refs%2Fpr%2F1/data/train.jsonl',
    );
    expect(nameOfRepository(parseModelName('maker/small@feature%2Fa')!)).toBe('maker/small@feature%2Fa');
  });
  it.each(['..%2Fa', 'a%2F', '%2Fa', 'a%2F..%2Fb', 'a%252Fb', 'a%00'])('may not leave its folder: %s', (revision) => {
    expect(wording(() => parseDataName(`hub:maker/sums@${revision}/a`))).toMatch(/names no file of a hub/);
  });
  it('is refused where it is split by its slashes', () => {
    expect(wording(() => parseDataName('hub:maker/sums@refs/pr/1/f.jsonl'))).toContain(
      'the slashes of a revision are written %2F, as in @refs%2Fpr%2F1.',
    );
    expect(wording(() => parseModelName('maker/small@refs/pr/1'))).toContain('as in @refs%2Fpr%2F1.');
    expect(parseDataName('hub:maker/sums/a@refs/b').path).toBe('a@refs/b');
  });
});

describe('a hub that is named without http', () => {
  it.each([
    ['huggingface.co', 'https://huggingface.co'],
    ['hf-mirror.com/', 'https://hf-mirror.com/'],
    ['localhost:8080', 'http://localhost:8080'],
    ['127.0.0.1:8080/hub', 'http://127.0.0.1:8080/hub'],
  ])('is asked about: %s', (text, meant) => {
    expect(wording(() => parseSource(text))).toMatch(/^There is no hub folder .*\. Did you mean /);
    expect(wording(() => parseSource(text))).toContain(`Did you mean ${meant}?`);
  });
  it('is a folder where there is one, or where it looks like one', async () => {
    const home = await mkdtemp(join(tmpdir(), 'retool-source-'));
    try {
      await mkdir(join(home, 'hub.v1'));
      expect(parseSource(join(home, 'none.co'))).toEqual({ kind: 'folder', folder: join(home, 'none.co') });
      expect(parseSource('hubs')).toMatchObject({ kind: 'folder' });
      expect(parseSource('./none.co')).toMatchObject({ kind: 'folder' });
      expect(parseSource(join(home, 'hub.v1'))).toMatchObject({ kind: 'folder' });
    } finally {
      await rm(home, { recursive: true });
    }
  });
});
