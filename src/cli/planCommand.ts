import { RetoolError } from '../lib/errors';
import { sayEnglish } from '../run/dataReportText';
import { planExperiment } from '../run/planner';
import { planLines, planProblemText } from '../run/planReportText';
import { readArguments } from './arguments';
import { commandHelp } from './help';
import { hubAccess } from './hubAccess';
import { onInterrupt } from './interrupts';
import { shown } from './invocation';
import { exitCode, type Output } from './output';
import { readingProgress } from './readingProgress';

/** Says what a run of an experiment will need, before anything is spent. */
export async function planCommand(args: readonly string[], output: Output): Promise<number> {
  const options = { json: { type: 'boolean' }, hub: { type: 'string' } } as const;
  const { values, positionals } = readArguments(commandHelp.plan.usage, args, { least: 1, most: 1 }, options);
  const [path] = positionals as [string];
  const stop = new AbortController();
  const interrupts = onInterrupt(() =>
    stop.abort(new RetoolError('cancelled', 'Stopped before all records were read.')),
  );
  const access = { signal: stop.signal, ...hubAccess(values.hub, output) };
  const planned = await planExperiment(path, { ...access, purpose: 'plan', onProgress: readingProgress(output) });
  interrupts.dispose();
  for (const line of planLines(planned, shown(path), sayEnglish)) output.say(line);
  const { problems, ...plan } = planned.plan;
  const told = problems.map((problem) => ({
    level: problem.level,
    field: problem.path.join('.'),
    message: planProblemText(problem, sayEnglish),
  }));
  output.summary({ ...plan, problems: told });
  return problems.some(({ level }) => level === 'error') ? exitCode.failed : exitCode.done;
}
