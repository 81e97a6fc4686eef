import assert from 'node:assert/strict';
import { cp, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadSupport } from './fixtureRuns.mjs';
import { openWorkbench, themes, viewports } from './workbench.mjs';

const rows = '[data-testid="comparison"] [data-testid="evaluations"] tbody tr';

describe('the comparison of evaluations', () => {
  let workbench;
  let run;
  before(async () => {
    const { writeImported, writeComparedRun } = await loadSupport('comparisonFixture');
    const prepare = async (workspace) => {
      await writeImported(workspace);
      run = await writeComparedRun(join(workspace, '.retool/runs'));
    };
    workbench = await openWorkbench({ prepare });
  });
  after(() => workbench?.close());

  const frame = () => workbench.webviewFrame(rows);
  const names = async () => (await frame()).locator(`${rows} .open-row`).allTextContents();
  const part = async (id) => (await frame()).locator(`[data-testid="${id}"]`);
  const cells = async (column) => (await frame()).locator(`${rows} td.${column}`).allTextContents();
  const spaced = (texts) => texts.map((text) => text.replaceAll('\u202f', ' '));

  /** Bars, differences and map are drawn: the map has so many cells. */
  async function drawn(count) {
    const page = await frame();
    await page.waitForFunction((n) => document.querySelectorAll('.heat [data-cell]').length === n, count);
  }

  it('shows one data set at a time, and leaves out what was asked otherwise until it is asked for', async () => {
    await workbench.palette('ReTool: Compare Evaluations');
    await workbench.editorTab('Compare on held-out').waitFor();
    await (await part('baseline')).selectOption(run.ids[3]);
    const notice = (await part('unlike-notice')).filter({ hasText: 'temperature 1 instead of 0.6' });
    assert.match(await notice.textContent(), /Asked otherwise than Step 60 · T 0\.6, and so not comparable/);
    assert.deepEqual(await names(), ['Step 60']);
    await workbench.screenshot('comparison-unlike');
    await (await part('unlike')).click();
    await (await part('unlike-notice')).filter({ hasText: 'Shown although asked otherwise' }).waitFor();
    assert.equal((await names()).length, 5);
    assert.match(await (await part('cautions')).textContent(), /None of the 8 problems came out differently/);
    await (await part('baseline')).selectOption(run.ids[0]);
    await (await part('unlike')).click();
    await drawn(3 * 8);
    assert.deepEqual(await names(), ['Step 20', 'Step 40', 'Step 60']);
    assert.deepEqual(await cells('cost'), Array(3).fill('0.049 CNY'));
    assert.match(await (await part('caption')).textContent(), /Cost by the experiment's plan\.prices/);
    await workbench.screenshot('comparison-held-out');
  });

  it('follows evaluations that end while it is open, and keeps what is chosen', async () => {
    await (await part('baseline')).selectOption(run.ids[1]);
    const folder = join(run.folder, 'evaluations');
    const added = run.ids[0].replace('step-20', 'step-30');
    const request = JSON.parse(await readFile(join(folder, run.ids[0], 'request.json'), 'utf8'));
    await mkdir(join(folder, added));
    const written = { ...request, id: added, subject: { ...request.subject, step: 30 } };
    await writeFile(join(folder, added, 'request.json'), JSON.stringify(written));
    await cp(join(folder, `${run.ids[0]}.jsonl`), join(folder, `${added}.jsonl`));
    await drawn(4 * 8);
    assert.deepEqual(await names(), ['Step 20', 'Step 30', 'Step 40', 'Step 60']);
    assert.equal(await (await part('baseline')).inputValue(), run.ids[1]);

    const file = join(folder, `${added}.jsonl`);
    const whole = await readFile(file, 'utf8');
    // As editors save: a new file comes into the place of the old one.
    const put = async (text) => {
      await writeFile(`${file}.new`, text);
      await rename(`${file}.new`, file);
    };
    await put(`${whole}{"type":"prob`);
    const notice = (await part('broken-notice')).filter({ hasText: 'cannot be read' });
    assert.match(await notice.textContent(), /: \.retool\/runs\/\S*step-30\S*\.jsonl, line 10: not JSON\.$/);
    await drawn(3 * 8);
    await workbench.screenshot('comparison-broken');
    await put(whole);
    await drawn(4 * 8);
    assert.equal(await notice.count(), 0);
    await (await part('baseline')).selectOption(run.ids[0]);
  });

  it('opens the trajectory by which a problem was gained, and the one of the baseline beside it', async () => {
    const gained = (await frame()).locator('.changes .gained button').first();
    assert.match(await gained.getAttribute('aria-label'), /Step \d+: open a correct trajectory of problem/);
    await gained.click();
    await workbench.page.locator('.tab', { hasText: 'multiply-' }).first().waitFor();
    const shown = workbench.page.locator('.editor-instance .view-lines');
    await shown.filter({ hasText: 'incorrect' }).first().waitFor();
    await shown
      .filter({ hasText: /(?<!in)correct/ })
      .first()
      .waitFor();
    assert.equal(await workbench.page.locator('.editor-group-container').count(), 2);
    await workbench.screenshot('comparison-before-and-after');
    await workbench.palette('View: Join All Editor Groups');
    await workbench.editorTab('Compare on held-out').click();
  });

  it('opens the trajectories under a cell, to choose from', async () => {
    await (await frame()).locator('.heat [data-cell]').first().click();
    await workbench.page.locator('.quick-input-title', { hasText: 'choose a branch' }).waitFor();
    await workbench.page.keyboard.press('Escape');
  });

  it("shows the reference's table as it was published", async () => {
    await (await part('dataset')).selectOption('AIME25');
    await drawn(6 * 30);
    assert.deepEqual(await names(), ['Base', 'Step 20', 'Step 50', 'Step 100', 'Step 150', 'Step 200']);
    assert.deepEqual(spaced(await cells('average')), ['23.6 %', '32.2 %', '41.1 %', '44.7 %', '46.1 %', '47.5 %']);
    assert.deepEqual(await cells('difference'), ['–', '+8.6', '+17.5', '+21.1', '+22.5', '+23.9']);
    assert.match(await (await part('caption')).textContent(), /with other problems like these 30/);
    // The reference's files tell no prompts.
    assert.deepEqual(await cells('cost'), Array(6).fill('–'));
  });

  it('opens the texts of imported ones, and says what they do not hold', async () => {
    const gained = (await frame()).locator('.changes .gained button').first();
    await gained.click();
    const document = workbench.page.locator('.editor-instance .view-lines');
    await document.filter({ hasText: 'as the imported file says' }).first().waitFor();
    await workbench.screenshot('comparison-imported-text');
    await workbench.palette('View: Join All Editor Groups');
    await workbench.editorTab('Compare on AIME25').click();
    await (await frame()).locator('.heat [data-cell]').first().click();
    await workbench.page.locator('.quick-input-title', { hasText: 'choose a branch' }).waitFor();
    await workbench.page.keyboard.press('Enter');
    await document.filter({ hasText: 'as the imported file says' }).first().waitFor();
    await workbench.editorTab('Compare on AIME25').click();
  });

  it('shows imported ones in the runs view, told aloud, with what can be done with them', async () => {
    const group = await workbench.waitForTree('Imported');
    assert.match(await group.getAttribute('aria-label'), /^Imported, 6 evaluations/);
    await workbench.toggle('Imported');
    const row = workbench.treeRow('AIME25 · Step 200');
    await row.waitFor();
    assert.match(
      await row.getAttribute('aria-label'),
      /^AIME25 · Step 200, 47\.5\s% correct, imported from aime25-retool-step200\.jsonl/,
    );
    await row.click({ button: 'right' });
    for (const label of ['Open Trajectory', 'Compare Evaluations', 'Reveal Evaluation File', 'Delete Evaluation']) {
      await workbench.page.locator('.context-view .action-label', { hasText: label }).first().waitFor();
    }
    await workbench.screenshot('comparison-imported-tree');
    await workbench.page.keyboard.press('Escape');
    await workbench.toggle('AIME25 · Step 200');
    await workbench.treeRow('Incorrect').waitFor();
    await workbench.toggle('AIME25 · Step 200');
    await workbench.toggle('Imported');
  });

  it('is walked with the keyboard; a row that is not checked leaves the figures', async () => {
    const page = await frame();
    const { keyboard } = workbench.page;
    await page.locator(`${rows} [tabindex="0"], [data-testid="evaluations"] [tabindex="0"]`).first().focus();
    await keyboard.press('ArrowDown');
    await keyboard.press('ArrowRight');
    const active = () => page.evaluate(() => document.activeElement.textContent);
    assert.match(await active(), /^32\.2/);
    await keyboard.press('Space');
    await drawn(5 * 30);
    assert.match(await active(), /^32\.2/);
    assert.equal(await page.locator(`${rows}[aria-selected="false"]`).count(), 1);
    await keyboard.press('Space');
    await drawn(6 * 30);
    const cell = page.locator('.heat [data-cell]').first();
    assert.match(await cell.getAttribute('aria-label'), /^Base, problem \d+: \d+ of 12 correct$/);
    const sentence = await page.locator('[data-testid="scores"] svg[role="img"]').getAttribute('aria-label');
    assert.match(sentence, /Step 200: average 47\.5\s%, pass 63\.3\s%, format 76\.1\s%/);
  });

  it('is drawn in every theme and at every width, and nothing scrolls sideways', async () => {
    await workbench.palette('View: Toggle Primary Side Bar Visibility');
    for (const [name, theme] of Object.entries(themes)) {
      await workbench.setTheme(theme);
      for (const [width, size] of Object.entries({
        1400: viewports.full,
        900: { width: 948, height: 1000 },
        700: { width: 748, height: 1400 },
        420: viewports.slim,
      })) {
        await workbench.setViewport(size);
        await workbench.page.waitForTimeout(500);
        await workbench.screenshot(`comparison-${name}-${width}`);
        const page = await frame();
        const beyond = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        assert.ok(beyond <= 0, `${name} at ${width}: ${beyond} pixels too wide`);
        const blocks = await page.locator('.heat table').count();
        assert.equal(blocks, width < 760 ? 2 : 1, `${blocks} blocks at ${width}`);
      }
    }
    await workbench.setTheme(themes.dark);
    await workbench.setViewport(viewports.wide);
    await workbench.palette('View: Toggle Primary Side Bar Visibility');
  });

  it('exports figures and tables', async () => {
    const read = async (path) => {
      for (let left = 100; left > 0; left--) {
        const bytes = await readFile(path).catch(() => undefined);
        if (bytes?.length) return bytes;
        await workbench.page.waitForTimeout(100);
      }
      throw new Error(`${path} was not written`);
    };
    const kinds = {
      PNG: ['png', /^\x89PNG/],
      SVG: ['svg', /^<svg xmlns/],
      CSV: ['csv', /^dataset,run,experiment,base_model,id/],
      Markdown: ['md', /^\*\*AIME25/],
    };
    for (const [label, [ending, begins]] of Object.entries(kinds)) {
      await (await part('export')).click();
      await workbench.pick(label);
      const input = workbench.page.locator('.quick-input-widget input.input');
      while (!(await input.inputValue()).endsWith(`.${ending}`)) await workbench.page.waitForTimeout(100);
      const path = join(workbench.workspace, `comparison.${ending}`);
      await input.fill(path);
      await workbench.page.keyboard.press('Enter');
      assert.match((await read(path)).toString('latin1'), begins);
    }
    await (await part('export')).click();
    await workbench.pick('CSV');
    const input = workbench.page.locator('.quick-input-widget input.input');
    while (!(await input.inputValue()).endsWith('.csv')) await workbench.page.waitForTimeout(100);
    await input.fill('/proc/comparison.csv');
    const refusal = 'ReTool: /proc/comparison.csv cannot be written: its folder is missing, full or read-only.';
    const toast = workbench.page.locator('.notification-toast', { hasText: refusal });
    // The dialog lists a folder that it has not seen before it takes the name.
    for (let left = 20; left > 0 && !(await toast.isVisible()); left--) {
      if (await input.isVisible()) await input.press('Enter');
      await workbench.page.waitForTimeout(1000);
    }
    assert.ok(await toast.isVisible(), 'nothing is said of a path that cannot be written');
  });

  it('survives a reload of the window with its data set', async () => {
    for (const seconds of [1, 3, 70]) {
      await workbench.page.waitForTimeout(seconds * 1000);
      await workbench.reload();
      await workbench.page.locator('.tab', { hasText: 'Compare on' }).first().click();
      if ((await names()).length === 6) return;
      await (await part('dataset')).selectOption('AIME25');
    }
    assert.fail('the data set is not kept');
  });

  it('asks the net for nothing and throws nothing', () => {
    assert.deepEqual(workbench.outside, []);
    assert.deepEqual(workbench.pageErrors, []);
    assert.deepEqual(workbench.refusals, []);
  });
});
