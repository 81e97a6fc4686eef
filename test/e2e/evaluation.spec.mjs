import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { openWorkbench } from './workbench.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const problems = join(root, '../shared/data/aime25.jsonl');
const key = 'tml-solver';
const samples = 12;
const all = 360;

async function loadScriptedSolver() {
  const outfile = `${root}dist/test/scriptedSolver.cjs`;
  await build({
    entryPoints: [`${root}test/support/scriptedSolver.ts`],
    outfile,
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    mainFields: ['module', 'main'],
    loader: { '.py': 'text' },
    define: { 'import.meta.url': 'importMetaUrl', 'import.meta.dirname': '__dirname' },
    banner: { js: "const importMetaUrl = require('node:url').pathToFileURL(__filename).href;" },
  });
  return createRequire(import.meta.url)(outfile).ScriptedSolver;
}

const missing = existsSync(problems) ? '' : ' (skipped: ../shared/data is not beside the checkout)';

(missing ? describe.skip : describe)(`AIME25, evaluated by a click on a checkpoint${missing}`, () => {
  let solver;
  let workbench;
  let run;
  before(async () => {
    const ScriptedSolver = await loadScriptedSolver();
    solver = await ScriptedSolver.start(problems, samples, key);
    process.env.RETOOL_SERVICE_KEY = key;
    workbench = await openWorkbench({
      prepare: async (folder) => {
        run = await solver.writeRun(folder, samples);
      },
    });
  });
  after(async () => {
    delete process.env.RETOOL_SERVICE_KEY;
    await workbench?.close();
    await solver?.close();
  });

  const row = (text) => workbench.treeRow(text);
  const firstChoice = () => workbench.page.locator('.quick-input-list .monaco-list-row').first();

  it('is what a click offers first, with what it will need', async () => {
    await workbench.waitForTree('solver');
    for (const text of ['solver', 'Checkpoints']) await workbench.toggle(text);
    await row('Step 40').click();
    const first = firstChoice();
    await first.locator('.label-name', { hasText: 'Evaluate on AIME25' }).first().waitFor();
    assert.match(await first.textContent(), /360 generations · at most [\d,]+ tokens/);
    await workbench.screenshot('evaluation-offer');
  });

  it('starts by Enter; where the set cannot be fetched its file is asked for', async () => {
    solver.engine.pauseAfter(all / 2);
    await workbench.page.keyboard.press('Enter');
    const refused = workbench.notification('AIME25 has not been fetched yet');
    const begun = row('0 of 360').or(row(`of ${all}`));
    await refused.or(begun).first().waitFor();
    if (await refused.isVisible()) {
      await workbench.screenshot('evaluation-refused');
      await refused.locator('.monaco-button', { hasText: 'Choose a File…' }).click();
      const input = workbench.page.locator('.quick-input-widget input.input');
      await input.waitFor();
      await input.fill(problems);
      await workbench.page.waitForTimeout(500);
      await workbench.page.keyboard.press('Enter');
    }
    await workbench.page.locator('.statusbar-item', { hasText: `180 of ${all}` }).waitFor();
    await workbench.toggle('Evaluations');
    await row(`180 of ${all}`).waitFor();
    await workbench.screenshot('evaluation-running');
  });

  it('is stopped half way, and what was sampled is still there in a reloaded window', async () => {
    await workbench.palette('ReTool: Stop Evaluation');
    await row(`stopped at 180 of ${all}`).waitFor();
    await workbench.reload();
    await workbench.waitForTree('solver');
    await row(`stopped at 180 of ${all}`).waitFor();
    await workbench.screenshot('evaluation-stopped');
  });

  it('goes on to its end, samples nothing twice, and every figure is as scripted', async () => {
    solver.engine.resume();
    await workbench.palette('ReTool: Resume Evaluation');
    const told = workbench.notification('AIME25 · Step 40: ');
    await told.waitFor();
    const { answers } = solver.engine;
    assert.equal(answers.length, all);
    assert.equal(new Set(answers.map(({ problem, branch }) => `${problem.id} ${branch}`)).size, all);

    const folder = join(run, 'evaluations');
    const name = (await readdir(folder)).find((each) => each.endsWith('.jsonl'));
    const lines = (await readFile(join(folder, name), 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const summary = lines.pop();
    assert.equal(lines.length, 30);
    const script = solver.all;
    const share = (of) => script.filter(of).length / all;
    for (const [index, line] of lines.entries()) {
      const own = script.slice(index * samples, (index + 1) * samples);
      assert.deepEqual(
        line.generations.map(({ correct, formatted, code_calls }) => ({ correct, formatted, calls: code_calls })),
        own.map(({ correct, formatted, calls }) => ({ correct, formatted, calls })),
      );
      assert.equal(line.num_correct, own.filter(({ correct }) => correct).length);
    }
    const solved = new Set(script.filter(({ correct }) => correct).map(({ problem }) => problem.id)).size;
    const calls = script.reduce((sum, each) => sum + each.calls, 0) / all;
    const close = (value, expected) => assert.ok(Math.abs(value - expected) < 1e-9, `${value} is not ${expected}`);
    close(
      summary.average_at_n,
      share(({ correct }) => correct),
    );
    close(summary.pass_at_n, solved / 30);
    close(
      summary.format_rate,
      share(({ formatted }) => formatted),
    );
    close(summary.mean_code_calls, calls);
    close(summary.mean_turns, calls + 1);
    assert.equal(summary.generations, all);
    assert.equal(summary.infrastructure, 0);
    const average = `${(share(({ correct }) => correct) * 100).toFixed(1)}\u202f% correct`;
    assert.ok((await told.textContent()).includes(average));
    await row(average).waitFor();
    await workbench.screenshot('evaluation-done');
  });

  it('opens a trajectory from its end', async () => {
    await workbench
      .notification('AIME25 · Step 40: ')
      .locator('.monaco-button', { hasText: 'Open Trajectories' })
      .click();
    await firstChoice().waitFor();
    await workbench.page.keyboard.press('Enter');
    await workbench.pickFirst('branch 0');
    await workbench.editorTab('.retool').waitFor();
    await workbench.page.locator('.editor-instance .view-lines', { hasText: 'Question' }).waitFor();
    await workbench.screenshot('evaluation-trajectory');
  });

  it('asks the net for nothing and throws nothing in the window', () => {
    assert.deepEqual(workbench.outside, []);
    assert.deepEqual(workbench.pageErrors, []);
  });
});
