import { join } from 'node:path';
import { version } from '../package.json';
import { benchCommand } from './cli/benchCommand';
import { compareCommand } from './cli/compareCommand';
import { doctorCommand } from './cli/doctorCommand';
import { evaluateCommand } from './cli/evaluateCommand';
import { extractCommand } from './cli/extractCommand';
import { fetchCommand } from './cli/fetchCommand';
import { gradeCommand } from './cli/gradeCommand';
import { helpOf, overview } from './cli/help';
import { importCommand } from './cli/importCommand';
import { exitCode, exitCodeOf, Output } from './cli/output';
import { planCommand } from './cli/planCommand';
import { presetCommand } from './cli/presetCommand';
import { sandboxCommand } from './cli/sandboxCommand';
import { serveCommand } from './cli/serveCommand';
import { showCommand } from './cli/showCommand';
import { templateCommand } from './cli/templateCommand';
import { resumeCommand, trainCommand } from './cli/trainCommand';
import { RetoolError } from './lib/errors';
import { nearest } from './lib/nearest';
import { Runs } from './run/runs';

type Command = (args: readonly string[], output: Output) => Promise<number>;

const trainerScript = join(__dirname, 'trainer.js');
const runs = () => new Runs({ trainerScript, version });

const commands: Readonly<Record<string, Command>> = {
  train: (args, output) => trainCommand(args, runs(), output),
  resume: (args, output) => resumeCommand(args, runs(), output),
  show: showCommand,
  evaluate: (args, output) => evaluateCommand(args, { trainerScript, version }, output),
  import: (args, output) => importCommand(args, version, output),
  compare: compareCommand,
  grade: gradeCommand,
  extract: extractCommand,
  doctor: doctorCommand,
  preset: (args, output) => presetCommand(args, __dirname, output),
  plan: planCommand,
  sandbox: sandboxCommand,
  template: (args, output) => templateCommand(args, __dirname, output),
  fetch: fetchCommand,
  serve: (args, output) => serveCommand(args, __dirname, output),
  bench: (args, output) => benchCommand(args, __dirname, output),
};

const asksForHelp = (args: readonly string[]): boolean =>
  args[0] === 'help' || args.some((arg) => arg === '--help' || arg === '-h');

async function main(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  const output = new Output(args.includes('--json'));
  try {
    if (name === undefined || asksForHelp(args)) return sayHelp(name === 'help' ? rest[0] : name);
    if (name === '--version') return sayPlainly(version);
    requireCurrentFolder();
    return await commandOf(name)(rest, output);
  } catch (error) {
    output.error(error);
    return exitCodeOf(error);
  }
}

/** @throws RetoolError `usage` naming the command that was meant. */
function commandOf(name: string): Command {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command) return command;
  const known = Object.keys(commands);
  const meant = nearest(name, known);
  const hint = meant ? `Did you mean "${meant}"?` : `Commands: ${known.join(', ')}.`;
  throw new RetoolError('usage', `There is no command "${name}".`, { hint });
}

/** Text that is the same with `--json`. */
function sayPlainly(text: string): number {
  new Output(false).say(text);
  return exitCode.done;
}

function sayHelp(name: string | undefined): number {
  if (name === undefined || name.startsWith('-')) {
    sayPlainly(overview(version));
    return process.argv.length > 2 ? exitCode.done : exitCode.usage;
  }
  commandOf(name);
  return sayPlainly(helpOf(name) ?? overview(version));
}

function requireCurrentFolder(): void {
  try {
    process.cwd();
  } catch (cause) {
    throw new RetoolError('usage', 'The current folder no longer exists.', { hint: 'Change to another one.', cause });
  }
}

/** Commands whose work goes on when nobody reads what they say of it. */
const worksUnheard = ['train', 'resume', 'serve'].includes(process.argv[2] ?? '');

let unheard = false;
// A reader that has seen enough (head) closes the pipe: that is no failure of ours. A full disk is one.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  const closed = error.code === 'EPIPE';
  if (!closed && !unheard) new Output(false).error(RetoolError.from('disk', 'The output cannot be written', error));
  unheard = true;
  if (!worksUnheard) process.exit(closed ? exitCode.done : exitCode.failed);
});
process.stderr.on('error', () => {});

void main(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
