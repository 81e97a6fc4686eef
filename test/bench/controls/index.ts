/**
 * Controls: runs that must not learn. Each is the arithmetic example with one part replaced.
 *
 * node dist/bench-controls.js <shuffledRewards|wrongSandbox|noLearningRate> <seed>
 */
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createRule } from '../../../src/grading/createRule';
import { runSummary } from '../../../src/journal/forecast';
import { emptyRun, reduce } from '../../../src/journal/reduce';
import { mulberry32 } from '../../../src/lib/seed';
import { Runs, type RunsOptions } from '../../../src/run/runs';
import { Experiment } from '../../../src/schema/experiment';

/** Every trajectory is paid what one of the last 256, drawn at random, has earned; verdicts stay true. */
function shuffledRewards(seed: number): NonNullable<RunsOptions['replace']> {
  const rule = createRule(Experiment.shape.reward.parse({}));
  const random = mulberry32(seed);
  const recent: number[] = [];
  return {
    rule: {
      name: 'shuffled',
      grade: (trajectory) => {
        const grade = rule.grade(trajectory);
        recent.push(grade.reward);
        if (recent.length > 256) recent.shift();
        return { ...grade, reward: recent[Math.floor(random() * recent.length)]! };
      },
    },
  };
}

/** Wrong without a rule: a constant error (one too many, say) is something that a policy learns to undo. */
const wrongSandbox: NonNullable<RunsOptions['replace']> = {
  sandbox: (real) => ({
    run: async (code, seed, signal) => {
      const result = await real.run(code, seed, signal);
      return { ...result, stdout: result.stdout.replace(/\d+/, (digits) => wrongNumber(digits, seed)) };
    },
  }),
};

function wrongNumber(digits: string, seed: number): string {
  const drawn = String(Math.floor(mulberry32(seed)() * 10 ** digits.length));
  return drawn === digits ? `${drawn}1` : drawn;
}

const examples = resolve('examples');

async function experimentFile(change: (experiment: Experiment) => void): Promise<string> {
  const experiment = JSON.parse(await readFile(join(examples, 'arithmetic.retool.json'), 'utf8')) as Experiment;
  experiment.data.train = join(examples, experiment.data.train);
  experiment.data.evaluation = join(examples, experiment.data.evaluation!);
  experiment.coldStart!.demonstrations = join(examples, experiment.coldStart!.demonstrations);
  change(experiment);
  const path = join(await mkdtemp(join(tmpdir(), 'retool-controls-')), 'control.retool.json');
  await writeFile(path, JSON.stringify(experiment));
  return path;
}

async function main([control, seedText]: readonly string[]): Promise<void> {
  const seed = Number(seedText);
  const replace =
    control === 'shuffledRewards' ? shuffledRewards(seed) : control === 'wrongSandbox' ? wrongSandbox : undefined;
  const path = await experimentFile((experiment) => {
    experiment.seed = seed;
    if (control === 'noLearningRate') experiment.reinforcement.learningRate = 0;
  });
  const runs = new Runs({
    trainerScript: join(__dirname, 'trainer.js'),
    version: 'control',
    ...(replace && { replace }),
  });
  let state = emptyRun('control', '');
  const run = await runs.start({ experiment: path, runs: join(path, '..', 'runs') }, (record) => {
    state = reduce(state, record);
  });
  await run.done;
  process.stdout.write(`${JSON.stringify({ control, seed, ...runSummary({ ...state, folder: run.folder }) })}\n`);
}

void main(process.argv.slice(2));
