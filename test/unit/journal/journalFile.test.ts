import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { JournalTail, JournalWriter } from '../../../src/journal/journalFile';
import type { JournalEntry } from '../../../src/schema/journal';

const step = (n: number): JournalEntry => ({ kind: 'step', phase: 'reinforcement', step: n, metrics: {} });

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'retool-test-'));
  path = join(folder, 'journal.jsonl');
});
afterEach(() => rm(folder, { recursive: true }));

describe('the journal', () => {
  it('numbers its lines and goes on counting when it is opened again', async () => {
    const first = await JournalWriter.open(path);
    await Promise.all([first.append(step(1)), first.append(step(2))]);
    await first.close();
    const second = await JournalWriter.open(path);
    await second.append(step(3));
    await second.close();
    const records = await new JournalTail(path).read();
    expect(records.map(({ seq }) => seq)).toEqual([1, 2, 3]);
  });

  it('waits for the rest of a half-written line', async () => {
    const line = JSON.stringify({ seq: 1, time: new Date().toISOString(), ...step(1) });
    await writeFile(path, line.slice(0, 20));
    const tail = new JournalTail(path);
    expect(await tail.read()).toEqual([]);
    await appendFile(path, `${line.slice(20)}\n`);
    expect(await tail.read()).toHaveLength(1);
    expect(await tail.read()).toEqual([]);
    expect(tail.skipped).toBe(0);
  });

  it('passes over a line whose number would hide all that follow', async () => {
    const line = (seq: number) => `${JSON.stringify({ seq, time: new Date().toISOString(), ...step(seq) })}\n`;
    await writeFile(path, [line(1), line(9_007_199_254_740_991), line(2)].join(''));
    const tail = new JournalTail(path);
    expect((await tail.read()).map(({ seq }) => seq)).toEqual([1, 2]);
    expect(tail.skipped).toBe(1);
    await appendFile(path, line(3));
    expect(await tail.read()).toHaveLength(1);
  });

  it('reads on where lines are gone, and after a byte order mark', async () => {
    const line = (seq: number) => `${JSON.stringify({ seq, time: new Date().toISOString(), ...step(seq) })}\n`;
    await writeFile(path, [`\uFEFF${line(1)}`, ...[2, 4, 5, 900, 6, 11, 12].map(line)].join(''));
    const tail = new JournalTail(path);
    expect((await tail.read()).map(({ seq }) => seq)).toEqual([1, 2, 4, 5, 6, 11, 12]);
    expect(tail.skipped).toBe(1);
    await appendFile(path, line(13));
    expect(await tail.read()).toHaveLength(1);
  });

  it('reads a line that is longer than what is read at once', async () => {
    const line = (seq: number, message: string) =>
      `${JSON.stringify({ seq, time: new Date().toISOString(), kind: 'noticed', phase: 'coldStart', step: 1, level: 'info', message })}\n`;
    await writeFile(path, [line(1, 'a'), line(2, 'x'.repeat(20 << 20)), line(3, 'b')].join(''));
    expect(await new JournalTail(path).read()).toHaveLength(3);
  });

  it('cuts a line off that a crash left half written before it writes on', async () => {
    const writer = await JournalWriter.open(path);
    await writer.append(step(1));
    await writer.close();
    await appendFile(path, '{"seq":2,"ki');
    const again = await JournalWriter.open(path);
    await again.append(step(2));
    await again.close();
    expect((await readFile(path, 'utf8')).trim().split('\n')).toHaveLength(2);
  });

  it('counts lines that it does not know and reads the others', async () => {
    const good = JSON.stringify({ seq: 3, time: new Date().toISOString(), ...step(1) });
    await writeFile(path, `not json\n{"seq":2,"kind":"fromTheFuture"}\n\n${good}\n`);
    const tail = new JournalTail(path);
    expect(await tail.read()).toHaveLength(1);
    expect(tail.skipped).toBe(2);
  });

  it('refuses to write what it could not read', async () => {
    const writer = await JournalWriter.open(path);
    const entry: JournalEntry = {
      kind: 'step',
      phase: 'reinforcement',
      step: 1,
      metrics: { 'train/loss': Number.NaN },
    };
    await expect(writer.append(entry)).rejects.toThrow();
    await writer.append(step(1));
    await writer.close();
    expect((await new JournalTail(path).read())[0]?.seq).toBe(1);
  });
});
