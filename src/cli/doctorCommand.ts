import { isHubName } from '../hub/hubName';
import { RetoolError } from '../lib/errors';
import { examineExperiment, examineFile, isRefused } from '../run/dataDoctor';
import { reportLines, sayEnglish } from '../run/dataReportText';
import { gatherMaterials } from '../run/materials';
import { localVocabulary } from '../trainer/vocabulary';
import { readArguments } from './arguments';
import { commandHelp } from './help';
import { hubAccess } from './hubAccess';
import { onInterrupt } from './interrupts';
import { shown } from './invocation';
import { exitCode, type Output } from './output';
import { readingProgress } from './readingProgress';

/** Says what is the matter with the problem files of an experiment, or with one file. */
export async function doctorCommand(args: readonly string[], output: Output): Promise<number> {
  const { values, positionals } = readArguments(
    commandHelp.doctor.usage,
    args,
    { least: 1, most: 1 },
    { json: { type: 'boolean' }, against: { type: 'string' }, hub: { type: 'string' } },
  );
  const [path] = positionals as [string];
  const isExperiment = path.endsWith('.json') && !isHubName(path);
  if (isExperiment && values.against !== undefined) {
    throw new RetoolError('usage', '--against is for a data file; an experiment names its own sets.', {
      hint: `Usage: ${commandHelp.doctor.usage}`,
    });
  }
  const stop = new AbortController();
  const interrupts = onInterrupt(() =>
    stop.abort(new RetoolError('cancelled', 'Stopped before all records were read.')),
  );
  const access = { signal: stop.signal, ...hubAccess(values.hub, output) };
  const options = { ...access, onProgress: readingProgress(output) };
  const report = await (isExperiment ? examineExperiment(path, options) : examineFile(path, values.against, options));
  interrupts.dispose();
  for (const line of reportLines(report, shown(path), sayEnglish)) output.say(line);
  output.summary(report);
  if (isRefused(report)) return exitCode.failed;
  // What the sets do not show: what is held out, and demonstrations.
  if (isExperiment) await gatherMaterials({ experiment: path, runs: '', ...access }, localVocabulary);
  return exitCode.done;
}
