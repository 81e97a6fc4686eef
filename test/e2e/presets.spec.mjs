import assert from 'node:assert/strict';
import { openWorkbench } from './workbench.mjs';

describe('a published system', () => {
  let workbench;
  before(async () => {
    workbench = await openWorkbench();
  });
  after(() => workbench?.close());

  const editor = () => workbench.page.locator('.editor-instance').first();
  const named = async (name) => {
    const input = workbench.page.locator('.quick-input-widget input.input');
    await workbench.page.locator('.quick-input-title', { hasText: 'Name the experiment' }).waitFor();
    await input.fill(name);
    await workbench.page.keyboard.press('Enter');
    await workbench.editorTab(`${name}.retool.json`).waitFor();
  };

  it('is offered by name, and opens with the source of every value', async () => {
    await workbench.palette('ReTool: New Experiment');
    await workbench.quickPickRow('ReTool (paper)').waitFor();
    await workbench.screenshot('preset-list');
    await workbench.pick('PyTRIO reproduction, as published');
    await workbench.quickPickRow('On this machine, reduced').waitFor();
    await workbench.screenshot('preset-size');
    await workbench.pick('As published');
    await named('mine');
    await editor().locator('.view-line', { hasText: 'agentic-rl-lab/05-retool/rollout.py' }).first().waitFor();
    await editor().locator('.codelens-decoration', { hasText: 'Compare with preset (changed: 0)' }).waitFor();
  });

  it('shows what was changed beside the value and in a comparison', async () => {
    const { page } = workbench;
    await editor().locator('.view-line', { hasText: '"loraRank"' }).first().click();
    await page.keyboard.press('Home');
    await page.keyboard.press('Control+f');
    await page.locator('.find-widget textarea').first().fill('"loraRank": 32');
    await page.keyboard.press('Escape');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Backspace');
    await page.keyboard.type('64');
    await editor().locator('.codelens-decoration', { hasText: 'Compare with preset (changed: 1)' }).waitFor();
    await workbench.picturesOf('preset', () =>
      editor().locator('.codelens-decoration', { hasText: 'Compare with preset' }).waitFor(),
    );
    await editor().getByText('preset: 32').first().waitFor();
    await editor().locator('.codelens-decoration a', { hasText: 'Compare with preset' }).click();
    await workbench.editorTab('retool-pytrio-4b (preset)').waitFor();
    await workbench.screenshot('preset-comparison');
    assert.deepEqual(workbench.pageErrors, []);
  });
});
