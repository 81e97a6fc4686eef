#!/usr/bin/env node
// Stands in for the desktop `code` executable: takes --extensionDevelopmentPath and --extensionTestsPath, runs them in
// code-server and a headless Chromium, and exits with the code of the tests.
import { appendFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { format, parseArgs } from 'node:util';
import { launchBrowser, makeProfile, remoteUri, startServer, workbenchUrl } from './vscodeHost.mjs';

const limitMilliseconds = 180_000;
const chatter = 'test-results/host.log';

const { values, positionals } = parseArgs({
  args: process.argv.slice(2),
  options: { extensionDevelopmentPath: { type: 'string' }, extensionTestsPath: { type: 'string' } },
  allowPositionals: true,
  strict: false,
});
const profile = await makeProfile();
let server;
let browser;
try {
  server = await startServer(profile, { testMode: true });
  browser = await launchBrowser();
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.exposeFunction('codeAutomationLog', (type, args) => {
    appendFileSync(chatter, `[${type}] ${format(...args)}\n`);
  });
  const finished = new Promise((done) => page.exposeFunction('codeAutomationExit', done));
  const payload = ['extensionDevelopmentPath', 'extensionTestsPath'].map((name) => [
    name,
    remoteUri(server, resolve(values[name])),
  ]);
  await page.goto(workbenchUrl(server, resolve(positionals[0] ?? profile.workspace), payload));
  const code = await Promise.race([finished, wait(limitMilliseconds, 'late', { ref: false })]);
  if (code === 'late') {
    await page.screenshot({ path: 'test-results/host-late.png' });
    console.error(
      `The tests did not end within ${limitMilliseconds / 1000} s; see test-results/host-late.png and ${chatter}.`,
    );
  }
  process.exitCode = code === 'late' ? 1 : code;
} finally {
  await browser?.close();
  await server?.stop();
  await profile.remove();
}
