import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { RetoolError } from '../lib/errors';
import { readArguments } from './arguments';
import { commandHelp } from './help';
import { exitCode, type Output } from './output';

/** What a benchmark measured: ratios against peers of the same call, plain figures, and which peers there were. */
export interface BenchResult {
  readonly ratios: Readonly<Record<string, number>>;
  readonly figures: Readonly<Record<string, number>>;
  /** Version of each peer, or the reason why it is missing. */
  readonly peers: Readonly<Record<string, string>>;
}

/** Where each benchmark lies, from the folder of this bundle. */
const scripts: Readonly<Record<string, string>> = {
  trainer: 'bench-trainer.js',
  sandbox: 'bench-sandbox.js',
  host: '../test/bench/host/index.mjs',
  grading: 'bench-grading.js',
  rollout: 'bench-rollout.js',
};

export async function benchCommand(args: readonly string[], dist: string, output: Output): Promise<number> {
  const { positionals } = readArguments(
    commandHelp.bench.usage,
    args,
    { least: 1, most: 1 },
    { json: { type: 'boolean' } },
  );
  const name = positionals[0]!;
  const file = Object.hasOwn(scripts, name) ? scripts[name] : undefined;
  if (file === undefined) {
    const known = Object.keys(scripts).join(', ');
    throw new RetoolError('usage', `There is no benchmark "${name}".`, { hint: `Take ${known}.` });
  }
  const script = join(dist, file);
  if (!existsSync(script)) {
    throw new RetoolError('usage', 'Benchmarks are part of a checkout, not of the package.', {
      hint: "Clone the project, run 'npm ci' and 'npm run build', and call it there.",
    });
  }
  const { bench } = (await import(pathToFileURL(script).href)) as { bench: () => Promise<BenchResult> };
  const result = await bench();
  for (const [ratio, value] of Object.entries(result.ratios)) output.say(`${ratio}: ${value.toPrecision(3)} x`);
  for (const [figure, value] of Object.entries(result.figures)) output.say(`${figure}: ${value.toPrecision(4)}`);
  for (const [peer, version] of Object.entries(result.peers)) output.say(`peer ${peer}: ${version}`);
  output.summary({ bench: name, ...result });
  return exitCode.done;
}
