import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { RetoolError } from '../lib/errors';
import { readArguments } from './arguments';
import { exitCode, type Output } from './output';

/** What a benchmark measured: ratios against peers of the same call, plain figures, and which peers there were. */
export interface BenchResult {
  readonly ratios: Readonly<Record<string, number>>;
  readonly figures: Readonly<Record<string, number>>;
  /** Version of each peer, or the reason why it is missing. */
  readonly peers: Readonly<Record<string, string>>;
}

const names = ['trainer', 'host'] as const;

export async function benchCommand(args: readonly string[], dist: string, output: Output): Promise<number> {
  const { positionals } = readArguments(
    'retool bench <trainer|host> [--json]',
    args,
    { least: 1, most: 1 },
    { json: { type: 'boolean' } },
  );
  const name = names.find((known) => known === positionals[0]);
  if (!name) {
    throw new RetoolError('usage', `There is no benchmark "${positionals[0]}".`, {
      hint: `Take ${names.join(' or ')}.`,
    });
  }
  const script = join(dist, `bench-${name}.js`);
  if (!existsSync(script)) {
    throw new RetoolError('usage', 'Benchmarks are part of a checkout, not of the package.', {
      hint: "Clone the project, run 'npm ci' and 'npm run build', and call it there.",
    });
  }
  const { bench } = createRequire(script)(script) as { bench: () => Promise<BenchResult> };
  const result = await bench();
  for (const [ratio, value] of Object.entries(result.ratios)) output.say(`${ratio}: ${value.toPrecision(3)} x`);
  for (const [figure, value] of Object.entries(result.figures)) output.say(`${figure}: ${value.toPrecision(4)}`);
  for (const [peer, version] of Object.entries(result.peers)) output.say(`peer ${peer}: ${version}`);
  output.summary({ bench: name, ...result });
  return exitCode.done;
}
