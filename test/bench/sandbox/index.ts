import { setMaxListeners } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { execa } from 'execa';
import { mapBounded } from '../../../src/lib/concurrency';
import { type Interpreter, resolveInterpreter } from '../../../src/sandbox/interpreter';
import { PythonSandbox } from '../../../src/sandbox/pythonSandbox';
import type { SandboxLevel } from '../../../src/schema/sandboxLevels';
import { interleaved } from '../trainer/interleaved';

interface BenchResult {
  readonly ratios: Record<string, number>;
  readonly figures: Record<string, number>;
  /** Version, or the reason why a peer is missing. */
  readonly peers: Record<string, string>;
}

const callers = 32;
const peerWorkers = 8;
const { signal } = new AbortController();
setMaxListeners(0, signal);

const snippets = {
  light: 'print(47 * 86 + 125)',
  library: 'from fractions import Fraction\nimport statistics\nprint(Fraction(1, 3) + 1, statistics.mean([1, 2, 6]))',
  sympy: 'from sympy import sqrt; print(sqrt(8))',
};

/**
 * Calls a second at 32 callers beside 8 workers that start `python -B -c` afresh, on one interpreter; and CPU per call
 * of child and fork server, of the broker, and of this process.
 */
export async function bench(): Promise<BenchResult> {
  const result: BenchResult = { ratios: {}, figures: {}, peers: {} };
  const interpreter = await pythonWithSympy();
  result.peers.python = `${interpreter.path} ${interpreter.version} -B -c, ${peerWorkers} workers`;
  const sandbox = sandboxOf(interpreter);
  try {
    await throughput(result, 'library', 40, sandbox, interpreter);
    if ('sympy' in interpreter.packages) await throughput(result, 'sympy', 16, sandbox, interpreter);
    else result.peers.sympy = 'not measured: sympy is not installed';
  } finally {
    sandbox.dispose();
  }
  for (const level of ['namespaces', 'landlock'] as const) await processorTime(result, interpreter, level);
  return result;
}

async function pythonWithSympy(): Promise<Interpreter> {
  const found = await resolveInterpreter();
  const system = '/usr/bin/python3';
  return 'sympy' in found.packages || !existsSync(system) ? found : resolveInterpreter(system);
}

const sandboxOf = (interpreter: Interpreter, levels?: readonly SandboxLevel[]) =>
  new PythonSandbox(interpreter, { wallSeconds: 60, cpuSeconds: 20, outputBytes: 4096, concurrency: 0 }, levels);

async function throughput(
  { ratios, figures }: BenchResult,
  name: 'library' | 'sympy',
  peerCalls: number,
  sandbox: PythonSandbox,
  { path }: Interpreter,
): Promise<void> {
  const code = snippets[name];
  const ourCalls = name === 'sympy' ? 400 : 800;
  await calls(sandbox, code, 64);
  const { ratio, best, bestPeer } = await interleaved(
    async () => ourCalls / (await timed(() => calls(sandbox, code, ourCalls))),
    async () =>
      peerCalls /
      (await timed(() =>
        mapBounded(Array.from({ length: peerCalls }), peerWorkers, signal, () => execa(path, ['-B', '-c', code])),
      )),
  );
  ratios[`${name}Throughput`] = ratio;
  figures[`${name}CallsPerSecond`] = best;
  figures[`${name}PeerCallsPerSecond`] = bestPeer;
}

async function calls(sandbox: PythonSandbox, code: string, count: number): Promise<number> {
  const results = await mapBounded(Array.from({ length: count }), callers, signal, () => sandbox.run(code, 1, signal));
  const wrong = results.find(({ status }) => status !== 'ok');
  if (wrong) throw new Error(`A call ended with ${wrong.status}: ${wrong.stderr}`);
  return results.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1000;
}

async function processorTime({ figures, peers }: BenchResult, interpreter: Interpreter, level: SandboxLevel) {
  const sandbox = sandboxOf(interpreter, [level]);
  try {
    await sandbox.climb();
    for (const [name, code] of Object.entries(snippets)) {
      if (name === 'sympy' && !('sympy' in interpreter.packages)) continue;
      await calls(sandbox, code, 64);
      const count = 500;
      const [servers, own] = [serverSeconds(), process.cpuUsage()];
      const children = await calls(sandbox, code, count);
      const { user, system } = process.cpuUsage(own);
      const used = serverSeconds();
      const perCall = (seconds: number) => (seconds / count) * 1000;
      figures[`${level}/${name}/childAndServerMs`] = perCall(children + used.servers - servers.servers);
      figures[`${level}/${name}/brokerMs`] = perCall(used.broker - servers.broker);
      figures[`${level}/${name}/hostMs`] = perCall((user + system) / 1e6);
    }
  } catch (error) {
    peers[level] = `not measured: ${error instanceof Error ? error.message : error}`;
  } finally {
    sandbox.dispose();
  }
}

/** Linux: processor time so far of the fork servers and of the broker of this process. */
function serverSeconds(): { readonly servers: number; readonly broker: number } {
  let [servers, broker] = [0, 0];
  for (const pid of readdirSync('/proc')) {
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, 'latin1');
      if (!line.includes(`retool-sandbox-${process.pid}-`)) continue;
      const seconds = Number(readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ')[0]) / 1e9;
      if (line.endsWith('broker\0')) broker += seconds;
      else servers += seconds;
    } catch {
      // No process, or it has ended.
    }
  }
  return { servers, broker };
}
