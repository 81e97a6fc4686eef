import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EvaluationReport, readEvaluation } from '../../../src/run/evaluationReport';
import { referenceTable, writeReferenceEvaluations } from '../../support/referenceEvaluations';

let folder: string;
let files: string[];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'retool-import-'));
  files = await writeReferenceEvaluations(join(folder, 'eval-results'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** As the published table prints it. */
const printed = ({ average, passAtK, samples, format, codeCalls, turns }: EvaluationReport) => ({
  average: (average! * 100).toFixed(2),
  pass: (passAtK.get(samples)! * 100).toFixed(2),
  format: (format! * 100).toFixed(2),
  meanCalls: codeCalls!.toFixed(2),
  meanTurns: turns!.toFixed(2),
});

describe("the reference's evaluation files", () => {
  it('say every figure of the published table', async () => {
    const reports = await Promise.all(files.map(readEvaluation));
    expect(reports.reduce((sum, { generations }) => sum + generations, 0)).toBe(2160);
    expect(reports.map(printed)).toEqual(referenceTable.map(({ published }) => published));
    expect(reports.map(({ correct, passed, formatted }) => [correct, passed, formatted])).toEqual(
      referenceTable.map(({ correct, solved, formatted }) => [correct, solved, formatted]),
    );
  });
});
