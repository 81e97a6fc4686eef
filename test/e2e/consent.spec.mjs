import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readJournal, writeLesson } from './lesson.mjs';
import { openWorkbench } from './workbench.mjs';

const belowBoundary = fileURLToPath(new URL('../support/belowBoundary.py', import.meta.url));

describe('a machine that gives no boundary', () => {
  let workbench;
  before(async () => {
    workbench = await openWorkbench({ prepare: writeLesson, launcher: ['python3', belowBoundary] });
  });
  after(() => workbench?.close());

  const question = () => workbench.page.locator('.monaco-dialog-box', { hasText: 'seccomp' });
  const answer = (label) => question().locator('.monaco-button', { hasText: label }).click();

  async function start() {
    await workbench.palette('ReTool: Start Training');
    await workbench.pick('lesson.retool.json');
  }

  it('trains nothing before a person has read what code could do, and has agreed', async () => {
    await start();
    await question().waitFor();
    const text = await question().textContent();
    assert.match(text, /every file that you can read can be read and printed/);
    assert.doesNotMatch(text, /bugs of the kernel/);
    assert.match(text, /namespaces: .*Operation not permitted/);
    await workbench.screenshot('consent-dark');
    await answer('Cancel');
    await question().waitFor({ state: 'detached' });
    assert.equal(existsSync(join(workbench.workspace, '.retool/runs')), false);
  });

  it('is asked about once in a workspace', async () => {
    await start();
    await answer('Run It Anyway');
    const page = await workbench.webviewFrame('[data-testid="dashboard"]');
    await page.locator('[data-testid="stop"]').click();
    await page.locator('[data-testid="run-status"]', { hasText: 'Stopped' }).waitFor();
    await workbench.palette('ReTool: Resume Training');
    await page.locator('[data-testid="run-status"]', { hasText: 'Running' }).waitFor();
    assert.equal(await question().count(), 0);
    const [{ python }] = await readJournal(workbench.workspace);
    assert.equal(python.level, 'seccomp');
  });
});
