import assert from 'node:assert/strict';
import { writeBehaviourRun } from './behaviourRun.mjs';
import { openWorkbench, themes, viewports } from './workbench.mjs';

const corrections = '[data-testid="behaviour"] [data-testid="behaviour-corrections"] li';

describe('the behaviour of a model', () => {
  let workbench;
  before(async () => {
    workbench = await openWorkbench({ prepare: writeBehaviourRun });
  });
  after(() => workbench?.close());

  const frame = () => workbench.webviewFrame(corrections);
  const heading = async () => (await frame()).locator('.place h2').textContent();

  it('is shown over the steps of a run, the last one beneath', async () => {
    await workbench.palette('ReTool: Show Behaviour');
    const page = await frame();
    await page.locator('[data-testid="behaviour-progress"]').waitFor({ state: 'hidden' });
    assert.equal(await page.locator('[data-testid="behaviour-charts"] figure').count(), 13);
    assert.equal(await heading(), 'Step 12');
    assert.match(await page.locator('.place .caption').textContent(), /^8 trajectories, 6 right and 2 wrong\./);
    await workbench.screenshot('behaviour-dark');
  });

  it('shows what code is written for as shares of all calls, told as a sentence and as a table', async () => {
    const chart = (await frame()).locator('[data-testid="chart-purpose/*"]');
    await chart.scrollIntoViewIfNeeded();
    const told = /^Purpose of code, 12 steps, at the last Calculation \d+(\.\d)?\s?%.*Symbolic \d+(\.\d)?\s?%/;
    assert.match(await chart.getAttribute('aria-label'), told);
    // Nothing was plotted: what has no share of any step is left out.
    assert.doesNotMatch(await chart.getAttribute('aria-label'), /Plotting/);
    await workbench.screenshot('behaviour-purposes');
    await chart.focus();
    await workbench.page.keyboard.press('t');
    const cells = await chart.locator('tbody tr').first().locator('td').allTextContents();
    const sum = cells.reduce((all, text) => all + Number(text.replace(/[^\d.]/g, '')), 0);
    assert.ok(Math.abs(sum - 100) <= cells.length, `${cells.join(' + ')} is ${sum}`);
    await workbench.page.keyboard.press('t');
  });

  it('is walked with the keyboard, and told as tables', async () => {
    const page = await frame();
    await page.locator('[data-testid="chart-code_ratio"]').focus();
    await workbench.page.keyboard.press('Home');
    assert.equal(await heading(), 'Step 1');
    await workbench.page.keyboard.press('ArrowRight');
    assert.equal(await heading(), 'Step 2');
    await workbench.page.keyboard.press('t');
    await page.locator('[data-testid="chart-code_ratio"] table').waitFor();
    await workbench.page.keyboard.press('t');
    await page.locator('[data-testid="chart-code_ratio"] canvas').waitFor();
  });

  it('is drawn in every theme and in a narrow window', async () => {
    await workbench.picturesOf('behaviour');
    for (const theme of Object.keys(themes)) {
      await workbench.setTheme(themes[theme]);
      await (await frame()).locator('[data-testid="chart-purpose/*"]').scrollIntoViewIfNeeded();
      await workbench.page.waitForTimeout(400);
      await workbench.screenshot(`behaviour-purposes-${theme}`);
    }
    await workbench.setTheme(themes.dark);
    await workbench.palette('View: Toggle Primary Side Bar Visibility');
    await workbench.setViewport(viewports.slim);
    await (await frame()).locator('[data-testid="chart-purpose/*"]').scrollIntoViewIfNeeded();
    await workbench.page.waitForTimeout(400);
    await workbench.screenshot('behaviour-purposes-slim');
    await workbench.setViewport(viewports.wide);
    await workbench.palette('View: Toggle Primary Side Bar Visibility');
    await (await frame()).locator('[data-testid="behaviour-corrections"] h2').scrollIntoViewIfNeeded();
    await workbench.screenshot('behaviour-step');
  });

  it('opens the trajectory of a correction', async () => {
    const first = (await frame()).locator('[data-testid="behaviour-corrections"] li').first();
    assert.match(await first.textContent(), /turn 1 failed, turn 2 works, similarity 0\.9\d: .*totl/);
    await first.locator('button').click();
    await workbench.page.locator('.view-lines', { hasText: 'totl' }).waitFor();
  });

  it('asks the net for nothing and throws nothing', () => {
    assert.deepEqual(workbench.outside, []);
    assert.deepEqual(workbench.pageErrors, []);
    assert.deepEqual(workbench.refusals, []);
  });
});
