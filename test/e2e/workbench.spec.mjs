import assert from 'node:assert/strict';
import { openWorkbench } from './workbench.mjs';

describe('the extension in a fresh window', () => {
  let workbench;
  before(async () => {
    workbench = await openWorkbench();
  });
  after(() => workbench?.close());

  it('offers to begin where there are no runs', async () => {
    await workbench.container().click();
    await workbench.page.locator('.sidebar .welcome-view', { hasText: /New experiment/i }).waitFor();
  });

  it('is drawn in every theme and in a narrow window', async () => {
    await workbench.picturesOf('welcome');
  });

  it('says what the sandbox keeps code from', async () => {
    const { page } = workbench;
    for (const title of ['Sandbox', 'Runs']) await page.locator('.sidebar .pane-header', { hasText: title }).click();
    for (const text of ['in use', 'What it guarantees', 'What it does not guarantee', 'Python 3.']) {
      await page.locator('.sidebar .monaco-list-row', { hasText: text }).waitFor();
    }
    await workbench.palette('ReTool: Check Sandbox');
    await page.locator('.statusbar-item', { hasText: /Sandbox: \w+ \(in use/ }).waitFor();
    await workbench.picturesOf('sandbox');
    await page.locator('.sidebar .pane-header', { hasText: 'Runs' }).click();
  });

  it('shows its log from the palette, also where VS Code writes no log files', async () => {
    await workbench.palette('ReTool: Show Log');
    await workbench.page
      .locator('.monaco-editor .view-lines', { hasText: /ReTool\s\d+\.\d+\.\d+,\sVS\sCode/ })
      .waitFor();
  });

  it('asks the net for nothing and throws nothing', () => {
    assert.deepEqual(workbench.outside, []);
    assert.deepEqual(workbench.pageErrors, []);
  });
});
