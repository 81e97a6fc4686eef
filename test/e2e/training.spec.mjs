import assert from 'node:assert/strict';
import { journalSeries, readJournal, writeLesson } from './lesson.mjs';
import { openWorkbench } from './workbench.mjs';

const dashboard = '[data-testid="dashboard"]';

describe('a run, from the palette to a reloaded window', () => {
  let workbench;
  before(async () => {
    workbench = await openWorkbench({ prepare: writeLesson });
  });
  after(() => workbench?.close());

  /** What the dashboard plots: `{chart, series, points}` of every curve. */
  const plotted = async () => {
    const text = await (await frame()).locator('#chart-data').evaluate((element) => {
      document.dispatchEvent(new Event('retool-plotted'));
      return element.textContent;
    });
    return JSON.parse(text);
  };
  const frame = () => workbench.webviewFrame(dashboard);
  const curve = async (metric) => (await plotted()).find(({ series }) => series === metric)?.points ?? [];

  /** Waits for a curve with more than `count` points. */
  async function curveLongerThan(count, metric = 'reward/mean') {
    for (;;) {
      const points = await curve(metric);
      if (points.length > count) return points;
      await workbench.page.waitForTimeout(200);
    }
  }

  it('opens its dashboard by itself, and the curve moves', async () => {
    await workbench.palette('ReTool: Start Training');
    await workbench.pick('lesson.retool.json');
    const points = await curveLongerThan(1);
    await curveLongerThan(points.length);
    assert.equal(await (await frame()).locator('[data-testid="run-name"]').textContent(), 'lesson');
  });

  it('is in the tree', async () => {
    await workbench.waitForTree('lesson');
    await workbench.screenshot('training-dark');
  });

  it('opens a trajectory, code beside output', async () => {
    await workbench.palette('ReTool: Open Trajectory');
    for (const first of ['Step', 'p\\d', 'branch']) await workbench.pickFirst(first);
    await workbench.editorTab('.retool').waitFor();
    await workbench.page.locator('.editor-instance .view-lines', { hasText: 'Question' }).waitFor();
    await workbench.screenshot('trajectory-dark');
  });

  it('is ended by a reload of the window, which is told, and goes on', async () => {
    await workbench.editorTab('Run: lesson').click();
    await workbench.reload();
    const told = workbench.notification('was ended because its window was closed or reloaded');
    await told.waitFor();
    await told.locator('.monaco-button', { hasText: 'Resume' }).click();
    const page = await frame();
    await page.locator('[data-testid="run-status"]', { hasText: 'Running' }).waitFor();
    assert.equal((await readJournal(workbench.workspace)).filter(({ kind }) => kind === 'resumed').length, 1);
  });

  it('stops after its step when told to, and says at once that it will', async () => {
    await workbench.editorTab('Run: lesson').click();
    const page = await frame();
    const stop = page.locator('[data-testid="stop"]');
    await stop.waitFor();
    const said = await stop.evaluate((button) => {
      button.click();
      return button.textContent;
    });
    assert.equal(said, 'Stopping after saving…');
    await (await frame()).locator('[data-testid="run-status"]', { hasText: 'Stopped' }).waitFor();
    const last = (await readJournal(workbench.workspace)).at(-1);
    assert.equal(last.kind, 'ended');
    assert.equal(last.outcome, 'stopped');
  });

  it('shows what its journal says', async () => {
    await assertChartsEqualJournal();
  });

  it('is drawn in every theme and in a narrow window', async () => {
    await workbench.picturesOf('dashboard', frame);
  });

  it('is there again after a reload of the window, curve and all', async () => {
    const before = await curve('reward/mean');
    await workbench.reload();
    await workbench.editorTab('Run: lesson').click();
    assert.deepEqual(await curveLongerThan(before.length - 1), before);
    await assertChartsEqualJournal();
    await workbench.waitForTree('lesson');
    await workbench.screenshot('dashboard-reloaded');
  });

  it('asks the net for nothing, throws nothing and breaks no policy', () => {
    assert.deepEqual(workbench.outside, []);
    assert.deepEqual(workbench.pageErrors, []);
    assert.deepEqual(workbench.refusals, []);
  });

  /** Every plotted metric of the journal has the journal's points, of one of the phases. */
  async function assertChartsEqualJournal() {
    const journal = await readJournal(workbench.workspace);
    const rewards = journalSeries(journal, 'reinforcement', 'reward/mean');
    await curveLongerThan(rewards.length - 1);
    let compared = 0;
    for (const { series, points } of await plotted()) {
      const logged = ['reinforcement', 'coldStart'].map((phase) => journalSeries(journal, phase, series));
      if (logged.every(({ length }) => length === 0)) continue;
      compared++;
      const same = logged.find((candidate) => candidate.length === points.length) ?? logged[0];
      assert.deepEqual(points, same, series);
    }
    assert.deepEqual(await curve('reward/mean'), rewards);
    assert.ok(compared >= 8, `only ${compared} curves have a metric of the journal`);
  }
});
