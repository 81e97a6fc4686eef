import { RetoolError } from '../lib/errors';
import { readUserText } from '../lib/userFile';
import { requireConsent } from '../run/consent';
import { reportOf } from '../run/sandboxSetup';
import { type Interpreter, resolveInterpreter } from '../sandbox/interpreter';
import { PythonSandbox } from '../sandbox/pythonSandbox';
import { Experiment } from '../schema/experiment';
import { levelsOf, type SandboxLevel } from '../schema/sandboxLevels';
import { readArguments } from './arguments';
import { onInterrupt } from './interrupts';
import { exitCode, type Output, printable } from './output';

const usage = 'retool sandbox run <file.py> [--allow-unsafe-sandbox] | probe; both: [--python P] [--level L] [--json]';

export async function sandboxCommand(args: readonly string[], output: Output): Promise<number> {
  const { values, positionals } = readArguments(
    usage,
    args,
    { least: 1, most: 2 },
    {
      json: { type: 'boolean' },
      python: { type: 'string' },
      level: { type: 'string' },
      'allow-unsafe-sandbox': { type: 'boolean' },
    },
  );
  const [action, path] = positionals as [string, string | undefined];
  const wrong = (message: string) => new RetoolError('usage', message, { hint: `Usage: ${usage}` });
  if (action !== 'run' && action !== 'probe') throw wrong(`There is no "sandbox ${action}".`);
  if (action === 'run' && path === undefined) throw wrong('An argument is missing.');
  if (action === 'probe' && path !== undefined) throw wrong(`"${path}" is one argument too many.`);
  const levels = levelsFrom(values.level);
  const code = path === undefined ? undefined : await readUserText(path, 'data');
  const limits = Experiment.shape.sandbox.parse({});
  const interpreter = await resolveInterpreter(values.python);
  const sandbox = new PythonSandbox(interpreter, limits, levels);
  try {
    if (code === undefined) return await probe(sandbox, interpreter, output);
    await requireConsent(values['allow-unsafe-sandbox'] === true, await sandbox.climb());
    return await run(sandbox, code, output);
  } finally {
    sandbox.dispose();
  }
}

/** The level named and those below it; all without a name. */
function levelsFrom(name: string | undefined): readonly SandboxLevel[] {
  const levels = levelsOf(process.platform);
  if (name === undefined) return levels;
  const at = (levels as readonly string[]).indexOf(name);
  if (at >= 0) return levels.slice(at);
  throw new RetoolError('usage', `There is no level "${name}".`, { hint: `Levels: ${levels.join(', ')}.` });
}

async function run(sandbox: PythonSandbox, code: string, output: Output): Promise<number> {
  const stop = new AbortController();
  const interrupts = onInterrupt(() => stop.abort());
  const result = await sandbox.run(code, 0, stop.signal);
  interrupts.dispose();
  if (result.stdout) output.say(result.stdout.replace(/\n$/, ''));
  if (!output.json && result.stderr) process.stderr.write(printable(result.stderr));
  if (result.status !== 'ok') output.say(`${result.status} after ${result.seconds.toFixed(2)} s`);
  output.summary(result);
  return result.status === 'ok' ? exitCode.done : exitCode.failed;
}

async function probe(sandbox: PythonSandbox, interpreter: Interpreter, output: Output): Promise<number> {
  const { level, boundary, refused, guarantees, notGuaranteed, python } = await reportOf(sandbox, interpreter);
  for (const { level: name, reason } of refused) output.say(`refused: ${name} (${reason})`);
  output.say(`level: ${level}${boundary ? '' : ', which is not a boundary'}`);
  for (const promise of guarantees) output.say(`  + ${promise}`);
  for (const lack of notGuaranteed) output.say(`  - not guaranteed: ${lack}`);
  const packages = ['numpy', 'sympy'].map((name) => `${name} ${python.packages[name] ?? 'not installed'}`);
  output.say(`Python ${python.version} (${python.path}), ${packages.join(', ')}`);
  output.summary({ level, boundary, refused, guarantees, notGuaranteed, python });
  return exitCode.done;
}
