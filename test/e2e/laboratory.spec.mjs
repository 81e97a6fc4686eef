import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeDisputedRun } from './disputedRun.mjs';
import { openWorkbench, viewports } from './workbench.mjs';

const laboratory = '[data-testid="laboratory"] [data-testid="rules"] tbody tr';

describe('the reward laboratory', () => {
  let workbench;
  before(async () => {
    workbench = await openWorkbench({ prepare: writeDisputedRun });
  });
  after(() => workbench?.close());

  const frame = () => workbench.webviewFrame(laboratory);
  const labels = async () => (await frame()).locator('tbody button.link').allTextContents();

  it('shows a step under every rule, disagreements first', async () => {
    await workbench.palette('ReTool: Compare Reward Rules');
    await workbench.pick('Before reinforcement');
    const disputed = ['p0 · branch 1', 'p1 · branch 0', 'p1 · branch 1', 'p3 · branch 0', 'p3 · branch 1'];
    assert.deepEqual(await labels(), [...disputed, 'p0 · branch 0', 'p2 · branch 0', 'p2 · branch 1']);
    const page = await frame();
    assert.equal(await page.locator('thead th.rule').count(), 13);
    assert.equal(await page.locator('thead th.own').textContent(), 'box-300-mathrule of this run');
    assert.ok((await page.locator('tbody .glyph.unknown[aria-label="not understood"]').count()) > 0);
    await workbench.screenshot('laboratory-dark');
  });

  it('is walked with the keyboard, says why, and shows disagreements alone', async () => {
    const page = await frame();
    await page.locator('tbody button.link').first().focus();
    await workbench.page.keyboard.press('ArrowDown');
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'p1 · branch 0');
    const reasons = await page.locator('[data-testid="reasons"]').textContent();
    assert.match(
      reasons,
      /p1 · branch 0.*correct: Both sides mean the same\..*incorrect: The box is not the gold answer/,
    );
    await page.locator('[data-testid="disputed-only"]').check();
    assert.equal((await labels()).length, 5);
  });

  it('is drawn in every theme and in a narrow window', async () => {
    await workbench.picturesOf('laboratory');
    await workbench.setViewport(viewports.narrow);
    const beyond = (await frame()).locator('[data-testid="rules-beyond"]', { hasText: 'more rules to the right' });
    await beyond.waitFor();
    await workbench.setViewport(viewports.wide);
  });

  it('exports all grades', async () => {
    for (const format of ['jsonl', 'csv']) {
      await (await frame()).locator(`[data-testid="export-${format}"]`).click();
      const path = join(workbench.workspace, `grades.${format}`);
      const input = workbench.page.locator('.quick-input-widget input.input');
      while (!(await input.inputValue()).endsWith(`-rules.${format}`)) await workbench.page.waitForTimeout(100);
      await input.fill(path);
      await workbench.page.keyboard.press('Enter');
      let text = '';
      while (text === '') {
        await workbench.page.waitForTimeout(100);
        text = await readFile(path, 'utf8').catch(() => '');
      }
      assert.equal(text.trim().split('\n').length, format === 'csv' ? 9 : 8);
      assert.match(text, /torl-execution-penalty/);
    }
  });

  it('opens the trajectory of a row, which says what was not understood and what looks wrong', async () => {
    await (await frame()).locator('tbody button.link', { hasText: 'p1 · branch 1' }).click();
    await workbench.editorTab('p1 branch 1.retool').waitFor();
    await workbench.page.locator('.view-lines', { hasText: 'not understood' }).waitFor();
    await workbench.screenshot('trajectory-not-understood');
    await workbench.editorTab('Reward rules').click();
    await (await frame()).locator('[data-testid="disputed-only"]').uncheck();
    await (await frame()).locator('tbody button.link', { hasText: 'p2 · branch 0' }).click();
    await workbench.editorTab('p2 branch 0.retool').waitFor();
    await workbench.page.locator('.view-lines', { hasText: 'Warning signs' }).waitFor();
    await workbench.screenshot('trajectory-warning-signs');
  });

  it('survives a reload of the window, its filter with it', async () => {
    // In a browser, a reload does not wait until VS Code has stored which tab is shown and what a webview keeps.
    const filter = async () => {
      await workbench.editorTab('Reward rules').click();
      return (await frame()).locator('[data-testid="disputed-only"]');
    };
    // It does so once a minute at the latest.
    for (const seconds of [1, 3, 70, 90]) {
      await (await filter()).check();
      await workbench.page.waitForTimeout(seconds * 1000);
      await workbench.reload();
      if (await (await filter()).isChecked()) return;
    }
    assert.fail('the filter is not kept');
  });

  it('asks the net for nothing and throws nothing', () => {
    assert.deepEqual(workbench.outside, []);
    assert.deepEqual(workbench.pageErrors, []);
    assert.deepEqual(workbench.refusals, []);
  });
});
