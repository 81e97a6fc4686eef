import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Hub } from '../../../src/hub/hub';
import type { RetoolError } from '../../../src/lib/errors';
import { protocolOf } from '../../../src/protocols/protocols';
import { digestOf } from '../../../src/run/evaluationProtocol';
import { evaluationSet, setNamed } from '../../../src/run/evaluationSets';
import { readExperiment } from '../../../src/run/experimentFile';
import { SetNotFetched } from '../../../src/run/fetchNamedSet';
import { type NamedSet, namedSets, setCalled } from '../../../src/run/namedSets';
import { localVocabulary } from '../../../src/trainer/vocabulary';
import { HubServer } from '../../support/hubServer';
import { noPatience } from '../../support/scriptedServer';
import { smallExperiment } from '../../support/smallRun';

const shared = resolve('..', 'shared', 'data');
const published: readonly [name: string, file: string, figures: number][] = [
  ['AIME25', 'aime25.jsonl', 5],
  ['AIME24', 'aime24.jsonl', 2],
  ['AMC23', 'amc23.jsonl', 0],
  ['MATH-500', 'math500.jsonl', 42],
];
const setOf = (name: string): NamedSet => setCalled(name)!;
const away = 'http://127.0.0.1:9';

let server: HubServer;
let cache: string;
beforeEach(async () => {
  server = await HubServer.start();
  cache = await mkdtemp(join(tmpdir(), 'retool-sets-'));
});
afterEach(async () => {
  await server.close();
  await rm(cache, { recursive: true, force: true });
});
const hubAt = (url: string, kind: 'huggingFace' | 'gitHub' = 'huggingFace') =>
  new Hub({ source: { kind, url }, cache, patience: noPatience });
const refusalOf = (work: Promise<unknown>) =>
  work.then(
    () => expect.unreachable('it was not refused'),
    (error: unknown) => error as RetoolError,
  );

describe('a name of an evaluation set', () => {
  it.each([
    ['AIME25', 'AIME25'],
    ['aime_2025', 'AIME25'],
    ['yentinglin/aime_2025', 'AIME25'],
    ['AIME-2024', 'AIME24'],
    ['amc2023', 'AMC23'],
    ['math500', 'MATH-500'],
    ['HuggingFaceH4/MATH-500', 'MATH-500'],
  ])('%s means %s', (spelt, name) => expect(setCalled(spelt)?.name).toBe(name));

  it('is no other name', () =>
    expect(['AIME', 'held-out', 'aime26', ''].map(setCalled)).toEqual(Array(4).fill(undefined)));
});

describe('what is neither a set nor a file', () => {
  it.each([
    ['AIME99', 'Did you mean AIME25? Sets are AIME25, AIME24, AMC23, MATH-500;'],
    ['math5000', 'Did you mean MATH-500? Sets are'],
    ['gsm8k', 'Sets are AIME25'],
    ['AIME99=some.jsonl', 'Did you mean AIME25?'],
  ])('%s is told which sets there are, and the nearest', async (name, hint) => {
    const error = await refusalOf(setNamed(name));
    expect(error.message).toBe(`There is no set "${name.split('=')[0]}", and no file of that name.`);
    expect(error.hint).toContain(hint);
  });

  it.each(['none.jsonl', 'data/AIME99'])('%s is a file that is missing', async (name) => {
    expect((await refusalOf(setNamed(name))).message).toBe(`There is no file ${resolve(name)}.`);
  });
});

describe.skipIf(!existsSync(shared))('a named set (skipped where the shared data are missing)', () => {
  it.each(published)('%s is known by its questions and answers', async (name, file, figures) => {
    const set = setOf(name);
    const { problems, name: found } = await setNamed(join(shared, file));
    expect(found).toBe(name);
    expect(problems).toHaveLength(set.problems);
    expect(Math.max(...problems.map(({ question }) => Buffer.byteLength(question.trim())))).toBe(set.longest);
    expect(digestOf(problems)).toBe(set.digest);
    expect(problems.map(({ id }) => id)).toEqual(problems.map((_, index) => String(index)));
    expect(problems.filter(({ question }) => question.includes('[asy]'))).toHaveLength(figures);
  });

  it('is fetched on first use, says whose it is, and is there from then on', async () => {
    const { path, repository } = setOf('AIME24').source;
    const text = await readFile(join(shared, 'aime24.jsonl'));
    server.next.push((_, request, response) => {
      expect(request.url).toBe(`/${repository.id}/${repository.revision}/${path}`);
      response.end(text);
      return true;
    });
    const first = await setNamed('AIME24', { hub: hubAt(server.url, 'gitHub') });
    expect(first.notices).toEqual([
      expect.stringMatching(/^AIME24 was fetched from .*Mathematical Association of America/),
    ]);
    const again = await setNamed('aime_2024', { hub: hubAt(away) });
    expect(again).toEqual({ ...first, notices: [] });
  });

  it('comes from the hub that was chosen, whatever its records look like', async () => {
    const rows = (await readFile(join(shared, 'math500.jsonl'), 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const lines = rows.map(({ id, question, answer }) => JSON.stringify({ problem: question, answer, unique_id: id }));
    server.put('datasets/HuggingFaceH4/MATH-500', 'test.jsonl', `${lines.join('\n')}\n`);
    const { name, problems } = await setNamed('MATH-500', { hub: hubAt(server.url) });
    expect([name, problems.length]).toEqual(['MATH-500', 500]);
  });

  it('that cannot be fetched asks for its file in one sentence, and remembers it', async () => {
    const offline = new Hub({ source: { kind: 'huggingFace', url: away }, cache, patience: noPatience, offline: true });
    const error = await refusalOf(setNamed('AIME25', { hub: offline }));
    expect(error).toBeInstanceOf(SetNotFetched);
    expect(error.message).toMatch(/^AIME25 has not been fetched yet, and cannot be now: /);
    expect(error.hint).toMatch(/^Name a file of its 30 problems: --dataset AIME25=FILE/);
    expect((await setNamed(`AIME25=${join(shared, 'aime25.jsonl')}`, { hub: offline })).name).toBe('AIME25');
    expect((await setNamed('AIME25', { hub: offline })).problems).toHaveLength(30);
  });

  it('that was damaged in the cache is not used', async () => {
    const hub = hubAt(server.url, 'gitHub');
    await setNamed(`AIME25=${join(shared, 'aime25.jsonl')}`, { hub });
    const [kept] = await readdir(join(cache, 'sets'));
    const path = join(cache, 'sets', kept!);
    await writeFile(path, (await readFile(path, 'utf8')).replace('"answer":"70"', '"answer":"71"'));
    expect(await refusalOf(setNamed('AIME25', { hub }))).toBeInstanceOf(SetNotFetched);
  });

  it('is no file with other problems, fewer of them, or another order', async () => {
    const lines = (await readFile(join(shared, 'aime25.jsonl'), 'utf8')).trim().split('\n');
    const write = async (name: string, rows: readonly string[]) => {
      await writeFile(join(cache, name), `${rows.join('\n')}\n`);
      return join(cache, name);
    };
    const fewer = await refusalOf(setNamed(`AIME25=${await write('fewer.jsonl', lines.slice(1))}`));
    expect(fewer.message).toMatch(/is not AIME25: it has 29 problems, and AIME25 has 30\.$/);
    const turned = await refusalOf(setNamed(`AIME25=${await write('turned.jsonl', lines.toReversed())}`));
    expect(turned.message).toMatch(/it has other problems or another order than AIME25\.$/);
    const other = await refusalOf(setNamed(`AIME25=${join(shared, 'aime24.jsonl')}`));
    expect(other.message).toMatch(/it has other problems or another order than AIME25\.$/);
  });

  it('in other words is another set, and said to be', async () => {
    const rows = (await readFile(join(shared, 'aime24.jsonl'), 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const path = join(cache, 'retool.jsonl');
    await writeFile(
      path,
      rows
        .map(({ question, answer }) => JSON.stringify({ input: `Tell: ${question}`, output: answer.padStart(3, '0') }))
        .join('\n'),
    );
    for (const name of [path, `AIME24=${path}`]) {
      const set = await setNamed(name, { hub: hubAt(away) });
      expect(set.name).toBe('AIME24 in other words');
      expect(set.notices).toEqual([
        expect.stringContaining(`${basename(path)} asks the problems of AIME24 in other words`),
      ]);
    }
  });

  it('says with the numbers that it does not fit the local trainer, and how many problems have a figure', async () => {
    const path = await smallExperiment();
    const experiment = await readExperiment(path);
    const frozen = { experiment, folder: join(path, '..'), files: {} } as never;
    const protocol = protocolOf(experiment.protocol, localVocabulary, experiment);
    const file = join(shared, 'aime25.jsonl');
    const error = await refusalOf(evaluationSet(file, frozen, protocol));
    expect(error.message).toMatch(
      /^30 of 30 problems of AIME25 do not fit this model: the longest takes 1,\d{3} tokens, and a trajectory of this run \(budgets\.trajectoryTokens\) has room for 56\.$/,
    );
    const unfetched = await refusalOf(evaluationSet('aime_2025', frozen, protocol, undefined, { hub: hubAt(away) }));
    expect(unfetched.message).toMatch(
      /^Problems of AIME25 do not fit this model: the longest takes 1,\d{3} tokens, .* has room for 56\.$/,
    );
    const large = { ...experiment, budgets: { ...experiment.budgets, trajectoryTokens: 8192 } };
    const { notices } = await evaluationSet(file, { experiment: large, folder: '', files: {} } as never, protocol);
    expect(notices).toEqual(['5 of 30 problems of AIME25 have a figure, which the model is shown as Asymptote code.']);
  });
});

it('problems that are held out are as many as the run itself is measured on, unless more are asked for', async () => {
  const path = await smallExperiment({ evaluation: { limit: 2 } });
  const experiment = await readExperiment(path);
  const frozen = { experiment, folder: join(path, '..'), files: {} } as never;
  const protocol = protocolOf(experiment.protocol, localVocabulary, experiment);
  const asked = async (limit?: number) => (await evaluationSet('held-out', frozen, protocol, limit)).problems.length;
  expect(await asked()).toBe(2);
  expect(await asked(3)).toBe(3);
});

it('every named set tells its source, and none is in the product', () => {
  expect(namedSets.map(({ name }) => name)).toEqual(['AIME25', 'AIME24', 'AMC23', 'MATH-500']);
  for (const { source, origin } of namedSets) {
    expect(source.repository.revision).toMatch(/^[0-9a-f]{40}$/);
    expect(origin).toMatch(/MIT/);
  }
});
