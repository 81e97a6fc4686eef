import { readFile, writeFile } from 'node:fs/promises';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { cliScript, smallExperiment } from '../../support/smallRun';

const retool = (...args: string[]) => execa('node', [cliScript, ...args], { reject: false });
const prices = { prefill: 2, cachedPrefill: 0.2, sample: 6, train: 6, currency: 'USD' };

it('says what a run will need, where each figure comes from, and that nothing is wrong', async () => {
  const { stdout, exitCode } = await retool('plan', await smallExperiment({ plan: { prices, cap: 9 } }));
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/0\.300 {2}share of right answers: an assumption/);
  expect(stdout).toMatch(/0\.60 {2}code executions per trajectory: mean of the demonstrations/);
  expect(stdout).toMatch(/^ +16 +16 {2}trajectories$/m);
  expect(stdout).toMatch(
    /Groups of 4 that are all right or all wrong, and teach nothing: 24\.8 %, .* A group size of 6 would/,
  );
  expect(stdout).toMatch(/^\d\.\d{4} USD, at most \d\.\d{4}: money per step$/m);
  expect(stdout).toMatch(/prefill 2, cached 0\.2, sample 6, train 6\.\nThe cap is 9 USD\./);
  expect(stdout).toMatch(/Nothing to complain of\.$/);
});

it('gives the same as one line of JSON, and fails above the cap, as a run does', async () => {
  const path = await smallExperiment({ plan: { prices, cap: 0.0001 } });
  const { stdout, exitCode } = await retool('plan', path, '--json');
  expect(exitCode).toBe(1);
  const summary = JSON.parse(stdout);
  expect(summary).toMatchObject({ kind: 'summary', step: { typical: { trajectories: 16 } }, updates: 68 });
  expect(summary.problems).toEqual([
    { level: 'error', field: 'plan.cap', message: expect.stringMatching(/^plan\.cap is/) },
  ]);
  const run = await retool('train', path);
  expect(run.stderr).toMatch(/^The run is planned at .* above plan\.cap \(0\.0001 USD\)\. Raise plan\.cap/);
  expect(run.exitCode).toBe(2);
});

it('warns of contradictory settings before a run begins', async () => {
  const path = await smallExperiment();
  const experiment = JSON.parse(await readFile(path, 'utf8'));
  experiment.budgets.calls = 7;
  experiment.coldStart.steps = 0;
  experiment.reinforcement.steps = 0;
  await writeFile(path, JSON.stringify(experiment));
  const warning = 'budgets.calls is 7, but with 3 turns only 2 can be run: a call in the last turn is not.';
  const said = await retool('train', path, '--allow-unsafe-sandbox');
  expect(said.stdout).toMatch(/^Warning: budgets\.calls is 7/);
  const { stdout } = await retool('train', path, '--allow-unsafe-sandbox', '--json');
  expect(JSON.parse(stdout.split('\n')[0]!)).toEqual({ kind: 'warning', field: 'budgets.calls', message: warning });
});

it('refuses what is no experiment', async () => {
  expect(await retool('plan')).toMatchObject({ exitCode: 2 });
  const { stderr, exitCode } = await retool('plan', 'nowhere.retool.json');
  expect(stderr).toMatch(/nowhere\.retool\.json/);
  expect(exitCode).toBe(2);
});
