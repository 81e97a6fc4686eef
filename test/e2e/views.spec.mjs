import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { loadFixtureRun } from './fixtureRuns.mjs';
import { openWorkbench, themes, viewports } from './workbench.mjs';

const hour = 3_600_000;

describe('the views of runs', () => {
  let workbench;
  const runs = {};
  before(async () => {
    const FixtureRun = await loadFixtureRun();
    const prepare = async (folder) => {
      const write = async (name, options) => {
        runs[name] = await FixtureRun.write(join(folder, '.retool/runs'), { name, ...options });
        await runs[name].close();
      };
      await write('finished', { start: Date.now() - 30 * hour, end: { kind: 'ended', outcome: 'completed' } });
      await write('halted', { start: Date.now() - 5 * hour, done: 33, seed: 5 });
      await write('evaluating', { start: Date.now() - 400_000, evaluated: 320, seed: 8 });
      const lock = { pid: process.pid, host: hostname(), token: 'held by the test' };
      await writeFile(join(runs.evaluating.folder, 'lock.json'), JSON.stringify(lock));
    };
    workbench = await openWorkbench({ prepare });
  });
  after(() => workbench?.close());

  /** Opens the dashboard of a run from its row in the tree. @returns the frame that shows it. */
  async function open(name) {
    const row = await workbench.waitForTree(name);
    await row.hover();
    await row.locator('a[aria-label*="Dashboard"]').first().click();
    await workbench.editorTab(name).waitFor();
    const frame = await workbench.webviewFrame(`[data-testid="run-name"]:text-is("${name}")`);
    await frame.locator('figure canvas').first().waitFor();
    return frame;
  }
  const text = (frame, id) => frame.locator(`[data-testid="${id}"]`).first().textContent();
  const row = (text) => workbench.page.locator('.sidebar .monaco-list-row', { hasText: text }).first();

  it('tell runs apart by their start, aloud too', async () => {
    const finished = await workbench.waitForTree('finished');
    assert.match(
      await finished.textContent(),
      /finished(\d{4}-)?\d\d-\d\d \d\d:\d\d · [+−]\d\.\d\d · Finished · 60\/60/,
    );
    assert.match(
      await finished.getAttribute('aria-label'),
      /^finished, started .*\d\d:\d\d, step 60 of 60, Reward [+−]\d\.\d\d, Finished/,
    );
  });

  it('draw the bars of an evaluation to one scale', async () => {
    const frame = await open('finished');
    const widths = await frame.locator('.track').evaluateAll((tracks) => tracks.map(({ clientWidth }) => clientWidth));
    assert.ok(widths.length >= 8 && widths[0] > 30, String(widths));
    assert.deepEqual(new Set(widths).size, 1, String(widths));
    const bars = await frame
      .locator('.cell')
      .evaluateAll((cells) =>
        cells.map((cell) => [parseFloat(cell.textContent), cell.querySelector('.share').getBoundingClientRect().width]),
      );
    const heads = await frame.locator('.evaluation thead th').allTextContents();
    for (const head of heads) assert.doesNotMatch(head, /^(.+) \1$/);
    assert.equal(heads.at(-1), 'Change');
    const inSight = await frame
      .locator('.evaluation .change')
      .evaluateAll((cells) => cells.every((cell) => cell.getBoundingClientRect().right <= window.innerWidth));
    assert.ok(inSight, 'the change is cut off');
    for (const [percent, width] of bars) assert.ok(Math.abs(width - (percent / 100) * widths[0]) < 3, `${percent} %`);
    const order = await frame.locator('main > *').evaluateAll((parts) => parts.map(({ className }) => className));
    assert.ok(order.indexOf('evaluation') < order.indexOf('toolbar'), order.join());
  });

  it('show in a tile what the curve ends with, and say what it is compared with', async () => {
    const frame = await open('finished');
    for (const smoothing of ['0.9', '0']) {
      await frame.locator('#smoothing').fill(smoothing);
      const caption = smoothing === '0' ? /^Training, step 60$/ : /smoothed like the curves$/;
      await frame.locator('[data-testid="tiles-caption"]', { hasText: caption }).waitFor();
      const ends = await frame.locator('[data-testid="chart-reward/correct"] .chart-values').textContent();
      assert.equal(await text(frame, 'tile-reward/correct'), ends);
    }
    assert.equal(await text(frame, 'tiles-caption'), 'Training, step 60');
    assert.match(await text(frame, 'tile-from-reward/correct'), /^25\s%\sin the evaluation before$/);
    assert.match(await text(frame, 'tile-from-reward/mean'), /^[+−]\d\.\d\d at step 1$/);
  });

  it('tell how far an evaluation is, and when the whole run will end', async () => {
    const frame = await open('evaluating');
    assert.equal(await text(frame, 'run-step'), 'Evaluating 320 of 1,024');
    assert.match(await text(frame, 'time-left'), /^20 s left$/);
    const status = await workbench.page.locator('.statusbar [aria-label^="ReTool evaluating"]').first().textContent();
    assert.match(status, /ReTool evaluating 320 of 1,024 · [+−]\d\.\d\d · 20 s left/);
  });

  it('say what happened to a run that was interrupted, and offer to go on', async () => {
    const frame = await open('halted');
    assert.match(await text(frame, 'notices'), /was closed, reloaded or ended from outside.*goes on after step 20/);
    assert.equal(await text(frame, 'resume'), 'Resume from step 20');
  });

  it('open the step under a click, zoom by a drag, and show all again', async () => {
    const frame = await open('finished');
    const chart = frame.locator('[data-testid="chart-reward/mean"]');
    await chart.scrollIntoViewIfNeeded();
    const box = await chart.locator('canvas').boundingBox();
    const { mouse } = workbench.page;
    const y = box.y + box.height / 2;
    await mouse.move(box.x + box.width * 0.4, y);
    await mouse.down();
    await mouse.move(box.x + box.width * 0.7, y, { steps: 4 });
    await mouse.up();
    const reset = frame.locator('[data-testid="reset-zoom"]');
    await reset.waitFor();
    await workbench.screenshot('dashboard-zoomed');
    await reset.click();
    await reset.waitFor({ state: 'hidden' });
    await mouse.click(box.x + box.width - 12, y);
    const title = /^finished · Step (59|60): choose a problem$/;
    await workbench.page.locator('.quick-input-title', { hasText: title }).waitFor();
    await workbench.page.keyboard.press('Escape');
  });

  it('keep further charts open while another tab is shown', async () => {
    const frame = await open('finished');
    const more = frame.locator('details.more').first();
    await more.locator('summary').click();
    await open('halted');
    const again = await open('finished');
    await again.locator('details.more[open]').first().waitFor();
    await again.locator('details.more summary').first().click();
  });

  it('open trajectories of an evaluation from the tree', async () => {
    await workbench.toggle('finished');
    await row('Evaluations').locator('.monaco-tl-twistie').click();
    await row('Before reinforcement').locator('.monaco-tl-twistie').click();
    await row('Incorrect').locator('.monaco-tl-twistie').click();
    await row('multiply-8').click();
    await workbench.editorTab('multiply-8 branch 0.retool').waitFor();
    const heading = 'Before reinforcement · multiply-8 · branch 0';
    await workbench.page.locator('.editor-instance .view-lines', { hasText: heading }).waitFor();
    await workbench.screenshot('evaluation-trajectory');
    await workbench.toggle('finished');
  });

  it('are drawn in every theme, wide and narrow', async () => {
    await open('finished');
    await workbench.palette('View: Toggle Primary Side Bar Visibility');
    for (const [name, theme] of Object.entries(themes)) {
      await workbench.setTheme(theme);
      for (const [width, size] of Object.entries({ 1400: viewports.full, 420: viewports.slim })) {
        await workbench.setViewport(size);
        await workbench.page.waitForTimeout(600);
        await workbench.screenshot(`run-${name}-${width}`);
      }
      await workbench.setViewport(viewports.wide);
    }
    await workbench.setTheme(themes.dark);
    await workbench.palette('View: Toggle Primary Side Bar Visibility');
  });

  it('say that a run is gone when its folder was deleted', async () => {
    const frame = await open('halted');
    await rm(runs.halted.folder, { recursive: true });
    await frame.locator('[data-testid="run-status"]', { hasText: 'Deleted' }).waitFor();
    assert.match(await text(frame, 'notices'), /no longer on disk/);
    assert.equal(await frame.locator('[data-testid="resume"]').count(), 0);
  });

  it('ask the net for nothing, throw nothing and break no policy', () => {
    assert.deepEqual(workbench.outside, []);
    assert.deepEqual(workbench.pageErrors, []);
    assert.deepEqual(workbench.refusals, []);
  });
});
