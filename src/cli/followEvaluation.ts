import { durationText } from '../journal/forecast';
import { RetoolError } from '../lib/errors';
import { Pace } from '../lib/pace';
import { answersText, type Silence, silenceText } from '../lib/silence';
import { readEvaluation } from '../run/evaluationReport';
import { AlreadyEvaluated } from '../run/evaluationRequests';
import type { ActiveEvaluation, EvaluationEnd, EvaluationProgress } from '../run/evaluationWork';
import { onInterrupt } from './interrupts';
import { shown } from './invocation';
import { lostGenerations } from './lostGenerations';
import type { Output } from './output';
import { percent } from './percent';

/** Begins an evaluation that tells how far it is. */
export type Begin = (
  onProgress: (progress: EvaluationProgress) => void,
  onSilence: (silence: Silence | undefined) => void,
) => Promise<ActiveEvaluation>;

const linesWithoutTerminal = 8;

/** Shows an evaluation until it ends, and its result. @param told what else the last line says of it. */
export async function followEvaluation(
  name: string,
  begin: Begin,
  output: Output,
  told: object,
): Promise<EvaluationEnd> {
  const known = async (error: unknown) => {
    if (!(error instanceof AlreadyEvaluated)) throw error;
    output.say(`${name} has been evaluated so already; --seed N samples it anew.`);
    await sayResult(name, error.file, output).catch((fault: unknown) => {
      const { message } = RetoolError.from('data', `${error.file} cannot be read`, fault);
      throw new RetoolError('data', message, { hint: `Remove ${error.file} and ask again: it is made anew.` });
    });
    output.summary({ evaluation: error.id, ...told, ended: 'completed', file: error.file });
    return undefined;
  };
  const pace = new Pace(0);
  let begun = false;
  const onSilence = tellingSilence(output, (milliseconds) => pace.skip(milliseconds));
  const progress: Parameters<Begin>[0] = ({ done, all }) => {
    // What an earlier try has done is known with the first sample of this one.
    if (!begun) pace.startFrom(done - 1);
    begun = true;
    if (!process.stdout.isTTY && done % Math.ceil(all / linesWithoutTerminal) !== 0) return;
    const left = durationText(pace.secondsLeft(done, all));
    output.progress(`${name}: ${done.toLocaleString('en')} of ${all.toLocaleString('en')} · ${left} left`);
  };
  const active = await begin(progress, onSilence).catch(known);
  if (!active) return 'completed';
  const { dataset, samples } = active.request.protocol;
  output.say(
    `${name} on ${dataset.name}: ${dataset.problems} problems by ${samples} ${samples === 1 ? 'sample' : 'samples'}${active.from > 0 ? `, going on after ${active.from}` : ''}.`,
  );
  for (const notice of active.notices) output.say(notice);
  const waits = active.graceSeconds > 0;
  const interrupts = onInterrupt(
    () => {
      output.say('Stopping. What has been sampled is kept; the same command goes on.');
      if (waits) {
        output.say(
          `Samples in flight are awaited, at most ${active.graceSeconds} seconds; Ctrl-C again gives them up.`,
        );
      }
      active.stop();
    },
    waits ? () => active.stop(true) : undefined,
  );
  const how = await active.done.finally(() => interrupts.dispose());
  if (how === 'completed') await sayResult(name, active.file, output);
  else output.say(how === 'budget' ? 'The budget of tokens is used up; the same command goes on.' : 'Stopped.');
  output.summary({ evaluation: active.request.id, ...told, ended: how, file: active.file });
  return how;
}

/** Says that a service is waited for. @param onEnd is told how long, milliseconds. */
function tellingSilence(output: Output, onEnd: (milliseconds: number) => void) {
  let silent: Silence | undefined;
  return (silence: Silence | undefined) => {
    if (silence) {
      const since = new Date(silence.since).toLocaleTimeString('en-GB');
      output.say(`${silenceText(silence).replace(/\.$/, '')}, since ${since}. Ctrl-C stops.`);
    } else if (silent) {
      onEnd(Date.now() - silent.since);
      output.say(answersText(silent.url));
    }
    silent = silence;
  };
}

async function sayResult(name: string, file: string, output: Output): Promise<void> {
  const report = await readEvaluation(file);
  const { samples, average, interval, passAtK, format, codeCalls, cautions } = report;
  const between = interval ? ` (95 % ${percent(interval.low)} to ${percent(interval.high)})` : '';
  const pass = passAtK.get(samples);
  output.say(
    [
      `${name}: average@${samples} ${percent(average)}${between}`,
      ...(samples > 1 && pass !== undefined ? [`pass@${samples} ${percent(pass)}`] : []),
      `format ${percent(format)}`,
      `${codeCalls?.toFixed(2) ?? '–'} calls`,
    ].join(', '),
  );
  for (const caution of [...lostGenerations(report), ...cautions]) output.say(caution);
  output.say(`Written to ${shown(file)}`);
}
