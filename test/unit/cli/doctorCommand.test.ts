import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cliScript, smallExperiment } from '../../support/smallRun';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'retool-doctor-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const doctor = (...args: string[]) => execa('node', [cliScript, 'doctor', ...args], { reject: false });

async function file(name: string, items: readonly (object | string)[]): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, items.map((item) => (typeof item === 'string' ? item : JSON.stringify(item))).join('\n'));
  return path;
}

const sum = (a: number) => ({ question: `${a}+1`, answer: String(a + 1) });

it('tells what is the matter with a data file, by line', async () => {
  const path = await file('set.jsonl', [sum(1), sum(2), sum(1), { ...sum(2), answer: '9' }]);
  const { stdout, exitCode } = await doctor(path);
  expect(stdout.split('\n').slice(2)).toEqual([
    path,
    '  4 records in the shape {question, answer} (ReTool, PyTRIO); 2 distinct questions, of which 1 can be used.',
    '  Languages, by their script: none 100.0 %.',
    '  Warning: questions with different answers: 1. A run leaves them out.',
    '    lines 2 and 4, answers 3 and 9: 2+1',
    '  Note: records that repeat a question: 1. A run asks each question once, unless data.deduplicate is false.',
    '    lines 1 and 3: 1+1',
  ]);
  expect(exitCode).toBe(0);
});

it('compares a data file with the set that is trained on', async () => {
  const held = await file('held.jsonl', [sum(5), sum(1)]);
  const { stdout } = await doctor(held, '--against', await file('trained.jsonl', [sum(1), sum(2)]), '--json');
  const { sets, ...rest } = JSON.parse(stdout.split('\n').at(-1)!);
  expect(rest).toEqual({ kind: 'summary' });
  expect(sets[1].findings).toEqual({ overlap: { count: 1, examples: [{ rows: [2, 1], text: '1+1' }] } });
});

it('examines the sets of an experiment with its context and reward rule, and fails where a run would', async () => {
  const experiment = await smallExperiment();
  expect(await doctor(experiment)).toMatchObject({ exitCode: 0 });
  await writeFile(join(dirname(experiment), 'demonstrations.jsonl'), '{"question": "1+1", "answer": "2"}\n');
  const refused = await doctor(experiment);
  expect(refused).toMatchObject({ exitCode: 1 });
  expect(refused.stderr).toMatch(
    /demonstrations\.jsonl, line 1: the field "code" is missing\. Each line .*"code": "print/,
  );
  const long = { question: '1+'.repeat(100), answer: '2' };
  const torn = { question: 'half?', answer: '\\frac{1}{2' };
  const lines = [long, torn, { question: 'empty', answer: '' }].map((item) => JSON.stringify(item)).join('\n');
  await writeFile(join(dirname(experiment), 'evaluation.jsonl'), lines);
  const { stdout, exitCode } = await doctor(experiment, '--json');
  expect(exitCode).toBe(1);
  expect(JSON.parse(stdout).sets[1].findings).toMatchObject({
    tooLong: { count: 1, examples: [{ rows: [1] }] },
    ungraded: { count: 1, examples: [{ rows: [2] }] },
    emptyAnswer: { count: 1, examples: [{ rows: [3] }] },
  });
});

it('says how many demonstrations fit the context, as a run does', async () => {
  const experiment = await smallExperiment();
  const whole = await doctor(experiment);
  expect(whole.stdout).toMatch(
    /demonstrations\.jsonl\n {2}8 demonstrations, of which 8 fit the context of 64 tokens\./,
  );
  const long = { question: '1+1', answer: '2', code: `print(${'1+'.repeat(40)}1)` };
  const short = { question: '1+2', answer: '3', code: 'print(1+2)' };
  const lines = [long, short].map((item) => JSON.stringify(item)).join('\n');
  await writeFile(join(dirname(experiment), 'demonstrations.jsonl'), lines);
  const { stdout, exitCode } = await doctor(experiment);
  expect(stdout.split('\n').slice(-2)).toEqual([
    '  2 demonstrations, of which 1 fit the context of 64 tokens.',
    '  Warning: demonstrations that do not fit the context: 1. A run leaves them out: raise service.context.',
  ]);
  expect(exitCode).toBe(0);
});

it('names the shapes that are known where the columns fit none', async () => {
  const { stderr, exitCode } = await doctor(await file('other.jsonl', [{ text: 'x' }]));
  expect(stderr).toMatch(/other\.jsonl has the columns text, which fit none of the shapes/);
  expect(exitCode).toBe(1);
  expect(await doctor()).toMatchObject({ exitCode: 2 });
});

describe('on a long file', () => {
  let path: string;
  beforeAll(async () => {
    path = await file(
      'many.jsonl',
      Array.from({ length: 200_000 }, (_, i) => sum(i)),
    );
  });
  /** Interrupts the command as soon as it says how far it has read. */
  const interrupted = async (...args: string[]) => {
    const work = execa('node', [cliScript, ...args], { reject: false });
    work.stdout.once('data', () => work.kill('SIGINT'));
    const { exitCode, stderr, stdout } = await work;
    expect(stdout).toMatch(/^Reading .*: 65,536 records/);
    return { exitCode, stderr };
  };

  it('ends at once on Ctrl-C', async () => {
    expect(await interrupted('doctor', path)).toEqual({
      exitCode: 130,
      stderr: 'Stopped before all records were read.',
    });
  });

  it('a run that reads it does so too, and leaves no folder', async () => {
    const experiment = await smallExperiment({ coldStart: undefined, data: { train: path } });
    expect(await interrupted('train', experiment)).toEqual({ exitCode: 130, stderr: 'Stopped before the run began.' });
    expect(await readdir(dirname(experiment))).not.toContain('.retool');
  });
});
