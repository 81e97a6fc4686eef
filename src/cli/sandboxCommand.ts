import { readFile } from 'node:fs/promises';
import { RetoolError } from '../lib/errors';
import { resolveInterpreter } from '../sandbox/interpreter';
import { PythonSandbox } from '../sandbox/pythonSandbox';
import { Experiment } from '../schema/experiment';
import { readArguments } from './arguments';
import { exitCode, type Output } from './output';

const usage = 'retool sandbox run <file.py> [--python P] [--json]';

export async function sandboxCommand(args: readonly string[], output: Output): Promise<number> {
  const { values, positionals } = readArguments(
    usage,
    args,
    { least: 2, most: 2 },
    { json: { type: 'boolean' }, python: { type: 'string' } },
  );
  const [action, path] = positionals as [string, string];
  if (action !== 'run') throw new RetoolError('usage', `There is no "sandbox ${action}".`, { hint: `Usage: ${usage}` });
  const code = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw new RetoolError('data', `There is no file ${path}.`);
    throw RetoolError.from('disk', `${path} cannot be read`, error);
  });
  const sandbox = new PythonSandbox(await resolveInterpreter(values.python), Experiment.shape.sandbox.parse({}));
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  const result = await sandbox.run(code, 0, stop.signal).finally(() => sandbox.dispose());
  if (result.stdout) output.say(result.stdout.replace(/\n$/, ''));
  if (!output.json && result.stderr) process.stderr.write(result.stderr);
  if (result.status !== 'ok') output.say(`${result.status} after ${result.seconds.toFixed(2)} s`);
  output.summary(result);
  return result.status === 'ok' ? exitCode.done : exitCode.failed;
}
