import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { BehaviourTally } from '../../../src/behaviour/behaviourTally';
import { callsOf } from '../../../src/behaviour/calls';
import { valuesOf } from '../../../src/behaviour/measures';
import { Trajectory } from '../../../src/schema/trajectory';

const path = join(import.meta.dirname, '../../support/plantedBehaviour.jsonl');
const missing = existsSync(path) ? '' : ' (skipped: test/support/plantedBehaviour.jsonl is not there)';

const Values = z.record(z.string(), z.number().nullable());

/**
 * A line is a trajectory with the measures that it alone has (`expected`; names of docs/behaviour.md, or of a sum), and
 * the purposes of its calls; or, without a trajectory, what all of them together have.
 */
const Line = z.union([
  z.object({
    trajectory: Trajectory,
    expected: Values,
    purposes: z.array(z.string()).optional(),
    why: z.string().optional(),
  }),
  z.object({ all: Values, correct: Values.optional(), incorrect: Values.optional() }),
]);

it.skipIf(missing)(`trajectories that were planted with their figures have these figures${missing}`, async () => {
  const lines = (await readFile(path, 'utf8')).split('\n').filter((line) => line.trim() !== '');
  const everything = new BehaviourTally();
  const wrong: string[] = [];
  let planted = 0;
  const compare = (where: string, found: Readonly<Record<string, unknown>>, expected: z.infer<typeof Values>) => {
    for (const [name, value] of Object.entries(expected)) {
      const got = found[name];
      const equal = value === null || typeof got !== 'number' ? got === value : Math.abs(got - value) < 1e-3;
      if (!equal) wrong.push(`${where}: ${name} is ${got}, not ${value}`);
    }
  };
  for (const [index, text] of lines.entries()) {
    const line = Line.parse(JSON.parse(text));
    if (!('trajectory' in line)) {
      const { all, correct, incorrect } = everything.result();
      compare('all', { ...all, ...valuesOf(all) }, line.all);
      compare('right', { ...correct, ...valuesOf(correct) }, line.correct ?? {});
      compare('wrong', { ...incorrect, ...valuesOf(incorrect) }, line.incorrect ?? {});
      continue;
    }
    planted += 1;
    everything.add(line.trajectory);
    const alone = new BehaviourTally();
    alone.add(line.trajectory);
    const { all, infrastructure } = alone.result();
    compare(`line ${index + 1}`, { ...all, ...valuesOf(all), infrastructure }, line.expected);
    const purposes = callsOf(line.trajectory).map(({ purpose }) => purpose as string);
    if (line.purposes && purposes.join() !== line.purposes.join()) {
      wrong.push(`line ${index + 1}: purposes are ${purposes}, not ${line.purposes}`);
    }
  }
  expect(wrong).toEqual([]);
  expect(planted).toBeGreaterThanOrEqual(40);
});
