import { appendFileSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { format } from 'node:util';

/** What `run.mjs` sums up. */
interface Tally {
  passed: number;
  failed: number;
  skipped: number;
}

/** VS Code calls this inside the extension host. Rejects when a test failed. */
export async function run(): Promise<void> {
  const { default: Mocha } = await import('mocha');
  const report = process.env.RETOOL_HOST_REPORT;
  // The console of an extension host is full of what VS Code says of itself.
  if (report) Mocha.reporters.Base.consoleLog = (...args: unknown[]) => appendFileSync(report, `${format(...args)}\n`);
  const mocha = new Mocha({ ui: 'bdd', timeout: 30_000, color: false, reporter: 'spec' });
  const names = await readdir(__dirname);
  for (const name of names.filter((name) => name.endsWith('.test.js')).sort()) mocha.addFile(join(__dirname, name));
  await mocha.loadFilesAsync();

  const tally: Tally = { passed: 0, failed: 0, skipped: 0 };
  await new Promise<void>((resolve) => {
    mocha
      .run(() => resolve())
      .on('pass', () => tally.passed++)
      .on('fail', () => tally.failed++)
      .on('pending', () => tally.skipped++);
  });
  const file = process.env.RETOOL_HOST_RESULTS;
  if (file) await writeFile(file, JSON.stringify(tally));
  if (tally.failed > 0) throw new Error(`${tally.failed} of the tests in VS Code failed`);
}
