import { join, resolve } from 'node:path';
import { evaluationsFolderOf, readFrozenExperiment, runPaths } from '../journal/runFolder';
import { readEvaluation } from '../run/evaluationReport';
import { type Imported, importEvaluations } from '../run/importEvaluations';
import { readArguments } from './arguments';
import { commandHelp } from './help';
import { shown } from './invocation';
import { lostGenerations } from './lostGenerations';
import { exitCode, type Output } from './output';
import { percent } from './percent';

/** Imports evaluation files of the reference, and says what they say. */
export async function importCommand(args: readonly string[], version: string, output: Output): Promise<number> {
  const { values, positionals } = readArguments(
    commandHelp.import.usage,
    args,
    { least: 1, most: Number.POSITIVE_INFINITY },
    { json: { type: 'boolean' }, run: { type: 'string' } },
  );
  const folder = await folderOf(values.run);
  const files = positionals.map((path) => resolve(path));
  const imported = await importEvaluations(files, folder, version);
  for (const each of imported) {
    if (each.isNew) await sayImported(each, output);
    else output.say(`${shown(each.from)} has been imported already, as ${each.id}.`);
  }
  const added = imported.filter(({ isNew }) => isNew);
  for (const { contradiction } of imported) if (contradiction) output.say(`Warning: ${contradiction}`);
  for (const sentence of new Set(added.flatMap(({ missing }) => missing))) output.say(sentence);
  output.advise(
    `'retool compare ${shown(values.run ? resolve(values.run) : folder)}' shows what is there beside each other.`,
  );
  output.summary({ folder, imported: added.length, known: imported.length - added.length });
  return exitCode.done;
}

/** @throws RetoolError `run` for what is no run. */
async function folderOf(run: string | undefined): Promise<string> {
  if (run === undefined) return evaluationsFolderOf(process.cwd());
  await readFrozenExperiment(resolve(run));
  return join(resolve(run), runPaths.evaluations);
}

async function sayImported(
  { id, file, from, subject, protocol, missing, contradiction }: Imported,
  output: Output,
): Promise<void> {
  const read = await readEvaluation(file);
  const { problems, passAtK, stops, summary: _, ...report } = read;
  const { samples, average, format, codeCalls, turns, correct, generations, passed } = report;
  output.say(
    [
      `${id}: average@${samples} ${percent(average)}`,
      `pass@${samples} ${percent(passAtK.get(samples))}`,
      `format ${percent(format)}`,
      `${codeCalls?.toFixed(2) ?? '–'} calls`,
      `${turns?.toFixed(2) ?? '–'} turns`,
      `${correct} of ${generations} correct, ${passed} of ${problems.length} problems solved`,
    ].join(', '),
  );
  for (const sentence of lostGenerations(read)) output.say(sentence);
  output.record({
    kind: 'evaluation',
    id,
    from,
    file,
    subject,
    protocol,
    missing,
    contradiction,
    ...report,
    passAtK: Object.fromEntries(passAtK),
    stops: Object.fromEntries(stops),
  });
}
