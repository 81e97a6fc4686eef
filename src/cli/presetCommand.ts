import { writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { exists } from '../journal/runFolder';
import { RetoolError } from '../lib/errors';
import { readUserText } from '../lib/userFile';
import { differencesFrom, presetNameIn } from '../presets/differences';
import { provideExampleData } from '../presets/exampleData';
import { presetOf, presets } from '../presets/presets';
import { presetText } from '../presets/presetText';
import { issueSentence, parseExperiment, requireName } from '../run/experimentFile';
import { readArguments } from './arguments';
import { shown } from './invocation';
import { exitCode, type Output } from './output';

const usage =
  'retool preset list | show <name> | new <name> <file.retool.json> | diff <file.retool.json>; all: [--json]';
const suffix = '.retool.json';

/** Published systems as experiment files. @param dist folder of the program, with the examples beside it. */
export async function presetCommand(args: readonly string[], dist: string, output: Output): Promise<number> {
  const { positionals } = readArguments(usage, args, { least: 1, most: 3 }, { json: { type: 'boolean' } });
  const [action, ...rest] = positionals as [string, ...string[]];
  const wrong = (message: string) => new RetoolError('usage', message, { hint: `Usage: ${usage}` });
  const wanted = { list: 0, show: 1, new: 2, diff: 1 }[action];
  if (wanted === undefined) throw wrong(`There is no "preset ${action}".`);
  if (rest.length < wanted) throw wrong('An argument is missing.');
  if (rest.length > wanted) throw wrong(`"${rest[wanted]}" is one argument too many.`);
  const [first = '', second = ''] = rest;
  if (action === 'list') return list(output);
  if (action === 'show') return show(first, output);
  if (action === 'new') return create(first, second, join(dist, '..', 'examples'), output);
  return diff(first, output);
}

function list(output: Output): number {
  const width = Math.max(...presets.map(({ name }) => name.length)) + 2;
  for (const { name, description } of presets) {
    output.say(`${name.padEnd(width)}${description}`);
    output.record({ kind: 'preset', name, description });
  }
  output.summary({ presets: presets.length });
  return exitCode.done;
}

function show(name: string, output: Output): number {
  const preset = presetOf(name);
  output.say(presetText(preset, preset.name).trimEnd());
  for (const { path, value, why } of preset.settings) output.record({ kind: 'setting', path, value, why });
  output.summary({ preset: name, settings: preset.settings.length });
  return exitCode.done;
}

async function create(name: string, path: string, examples: string, output: Output): Promise<number> {
  const preset = presetOf(name);
  if (!path.endsWith(suffix))
    throw new RetoolError('usage', `The name of an experiment file ends in ${suffix}, and "${path}" does not.`);
  const own = requireName(basename(path, suffix));
  const taken = () => new RetoolError('usage', `${path} exists already.`, { hint: 'Give another name.' });
  if (await exists(path)) throw taken();
  const folder = dirname(resolve(path));
  if (!(await exists(folder)))
    throw new RetoolError('usage', `There is no folder ${folder}.`, { hint: 'Make it first.' });
  const copied = await provideExampleData(preset, examples, folder);
  try {
    await writeFile(path, presetText(preset, own), { flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw taken();
    throw RetoolError.from('disk', `${path} cannot be written`, error);
  }
  output.say(`Wrote ${[path, ...copied].map(shown).join(', ')}.`);
  const open = preset.settings.filter(({ value }) => value === null).map((setting) => setting.path);
  if (open.length > 0) output.say(`Nobody has said, and you have to choose: ${open.join(', ')}.`);
  output.summary({ preset: name, path, copied, unknown: open });
  return exitCode.done;
}

async function diff(path: string, output: Output): Promise<number> {
  const text = await readUserText(path, 'config');
  const broken = parseExperiment(text).issues.find(({ syntax }) => syntax);
  if (broken) throw new RetoolError('config', `${path}: ${issueSentence(text, broken)}.`, { hint: 'Mend it first.' });
  const name = presetNameIn(text);
  if (name === undefined) {
    throw new RetoolError('config', `${path} names no preset.`, {
      hint: 'One that began as a preset has the field $preset.',
    });
  }
  const found = differencesFrom(name, text);
  for (const { path: field, value, preset, why } of found) {
    output.say(`${field}: ${said(preset)} → ${said(value)}${why === '' ? '' : ` (${why})`}`);
    output.record({ kind: 'difference', path: field, value, preset, why });
  }
  if (found.length === 0) output.say(`Nothing differs from ${name}.`);
  output.summary({ preset: name, differences: found.length });
  return exitCode.done;
}

const said = (value: unknown): string =>
  value === undefined ? 'not there' : value === null ? 'not known' : JSON.stringify(value);
