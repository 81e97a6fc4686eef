import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import * as vscode from 'vscode';
import type { ExtensionApi } from '../../../src/extension';

const resolution = 10;
const milliseconds = 1e6;

/** Delays of the event loop of this extension host beyond the sampling interval, milliseconds, while `work` goes on. */
async function delaysDuring(work: () => Promise<void>): Promise<{ p50: number; p99: number; longest: number }> {
  const histogram = monitorEventLoopDelay({ resolution });
  histogram.enable();
  await work();
  histogram.disable();
  const beyond = (nanoseconds: number) => Math.max(0, nanoseconds / milliseconds - resolution);
  return {
    p50: beyond(histogram.percentile(50)),
    p99: beyond(histogram.percentile(99)),
    longest: beyond(histogram.max),
  };
}

/** What evaluating the bundle takes; it was loaded before, and is evaluated once more. */
function loadMilliseconds(path: string): number {
  const load = createRequire(path);
  delete load.cache[load.resolve(path)];
  const began = performance.now();
  load(path);
  return performance.now() - began;
}

/** VS Code calls this inside the extension host: trains with the dashboard open and writes what it measured. */
export async function run(): Promise<void> {
  const extension = vscode.extensions.getExtension<ExtensionApi>('retool-lab.retool-lab');
  if (!extension) throw new Error('The extension is not there.');
  const api = await extension.activate();
  const activation =
    loadMilliseconds(join(extension.extensionPath, 'dist', 'extension.js')) + api.activationMilliseconds;

  const idle = await delaysDuring(() => new Promise((resolve) => setTimeout(resolve, 5000)));
  const folder = vscode.workspace.workspaceFolders![0]!.uri.fsPath;
  const training = await delaysDuring(async () => {
    const ended = new Promise<void>((resolve) => {
      api.store.onDidChange((id) => {
        const run = api.store.get(id);
        if (run && !['running', 'interrupted'].includes(run.status)) resolve();
      });
    });
    await vscode.commands.executeCommand('retool.startTraining', vscode.Uri.file(join(folder, 'bench.retool.json')));
    await ended;
  });
  const [id] = api.store.ids();
  const status = id ? api.store.get(id)?.status : undefined;
  await writeFile(process.env.RETOOL_HOST_RESULTS!, JSON.stringify({ activation, idle, training, status }));
}
