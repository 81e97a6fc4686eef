import { expect } from 'vitest';
import type { Datum, Loss } from '../../src/rl/ports';
import type { Trajectory, Turn } from '../../src/schema/trajectory';
import { localProfile } from '../../src/services/profile';
import { toLossInput } from '../../src/services/wireDatum';
import { localVocabulary } from '../../src/trainer/vocabulary';
import { tableSandbox } from './presetScripts';
import { nameOf, type Transcript } from './presetTranscript';

function quoted(text: string): string {
  const spelt = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"');
  const fence = '`'.repeat(1 + Math.max(0, ...(spelt.match(/`+/g) ?? []).map(({ length }) => length)));
  return fence === '`' ? `\`${spelt}\`` : `${fence} ${spelt} ${fence}`;
}

/** Text as tokens hold it: control tokens stand in marks of their own, for output may spell their names. */
const told = (tokens: readonly number[]) =>
  quoted(
    tokens.map((id) => (isControl(id) ? `«${localVocabulary.decode([id])}»` : localVocabulary.decode([id]))).join(''),
  );
const isControl = (id: number) => id > 255 && localVocabulary.encode(localVocabulary.decode([id])).length > 1;
const number = (value: number) => String(Number(value.toPrecision(6)));
const signed = (value: number) => (value > 0 ? `+${number(value)}` : number(value));

const legend =
  'One step, its completions fixed. `«…»` is a control token. Rows: coefficients of the first four trained tokens, then of all others. docs/turns.md says what the system itself does otherwise.';

/** A step as text that a person can check against the rules of its system. */
export async function transcriptText(transcript: Transcript, title: string, rules: string): Promise<string> {
  const { problems, trajectories } = transcript;
  const groups: string[] = [];
  for (const { id, question, answer, scripts } of trajectories.length > 0 ? problems : []) {
    const group = trajectories.filter(({ problemId }) => problemId === id);
    const whole = await Promise.all(group.map((each) => trajectoryText(each, scripts[each.branch]!.does, transcript)));
    const same = new Set(whole.map((text) => text.replace(/^### ../, ''))).size === 1;
    const shown = same ? [whole[0]!, `${group.slice(1).map(nameOf).join(', ')} are the same.`] : whole;
    groups.push(`## ${id}: ${question} (${answer})`, ...shown);
  }
  const { notices, metrics } = journal(transcript);
  return [
    `# ${title}`,
    legend,
    rules,
    ...groups,
    ...submissions(transcript),
    '## Journal',
    [...notices, ...metrics].join('\n'),
  ]
    .join('\n\n')
    .concat('\n');
}

async function trajectoryText(trajectory: Trajectory, does: string, { experiment }: Transcript): Promise<string> {
  const { grade, turns, stop, advantage } = trajectory;
  const parts = grade.parts ?? [{ name: 'answer', reward: grade.reward }];
  const paid = parts.map(({ name, reward }) => `${name} ${signed(reward)}`).join(', ');
  const trained = turns.reduce((sum, { tokens, masked }) => sum + (masked ? 0 : tokens.length), 0);
  const flags = grade.flags ? `; flags ${grade.flags.join(', ')}` : '';
  return [
    `### ${nameOf(trajectory)} ${does}`,
    `${stop}; ${turns.length} ${turns.length === 1 ? 'turn' : 'turns'}; ${grade.verdict}: ${grade.reason}${flags}`,
    `reward ${signed(grade.reward)} (${paid}); advantage ${signed(advantage)}; ${trained} sampled tokens`,
    (await Promise.all(turns.map((turn) => turnText(turn, experiment.observation)))).join('\n'),
  ].join('\n\n');
}

async function turnText(turn: Turn, form: Parameters<typeof tableSandbox>[0]): Promise<string> {
  const ran: string[] = [];
  if (turn.result)
    await tableSandbox(form, (program) => ran.push(program)).run(turn.code!, 0, new AbortController().signal);
  return [
    `- says ${told(turn.tokens)}${turn.irregular ? ` (${turn.irregular.join(', ')})` : ''}${turn.masked ? ', masked' : ''}`,
    ...ran.map((program) => `- runs ${quoted(program)}`),
    ...(turn.result ? [`- ${turn.result.status}`] : []),
    ...(turn.added.length > 0 ? [`- sees ${told(turn.added)}`] : []),
  ].join('\n');
}

/** Each optimizer step with the passes before it. */
function submissions({ service, experiment, trajectories, namesOf }: Transcript): string[] {
  return service.optimizers.flatMap((adam, update) => {
    const passes = service.batches.filter((batch) => batch.update === update);
    const named = (datum: Datum) => (trajectories.length > 0 ? namesOf(datum).join(' or ') : taught(datum));
    return [
      `## Update ${update + 1}`,
      ...passes.map(({ pass, datums, loss }) =>
        [
          `${pass}: ${wire(datums, loss, experiment.service.context)}, ${datums.length} rows`,
          '',
          ...(datums.every(isSilent) ? ['- no loss'] : datums.map((datum) => rowText(named(datum), datum)).sort()),
        ].join('\n'),
      ),
      `optimStep: ${Object.entries(adam)
        .map(([name, value]) => `${name} ${number(value)}`)
        .join(', ')}`,
    ];
  });
}

function wire(datums: readonly Datum[], loss: Loss, context: number): string {
  const { loss_fn: kind, loss_fn_config: config } = toLossInput(datums, loss, localProfile, context);
  return [kind, ...Object.entries(config ?? {}).map(([name, value]) => `${name} ${value}`)].join(', ');
}

const trainedAt = (datum: Datum) => datum.mask.flatMap((trained, t) => (trained ? [t] : []));
const taught = (datum: Datum) => told(trainedAt(datum).map((t) => datum.targets[t]!));

const isSilent = ({ coefficients }: Datum) => coefficients.every((value) => value === 0);

/** Coefficients of the first four trained tokens, and that of all others where it is the same. */
function rowText(name: string, datum: Datum): string {
  const at = trainedAt(datum);
  const lengths = [datum.targets, datum.mask, datum.logprobs, datum.coefficients].map(({ length }) => length);
  expect(new Set([datum.tokens.length, ...lengths]).size).toBe(1);
  for (const [t, trained] of datum.mask.entries()) {
    if (!trained) expect([datum.coefficients[t], datum.logprobs[t]].map((value) => Math.abs(value!))).toEqual([0, 0]);
  }
  const values = at.map((t) => signed(datum.coefficients[t]!));
  const [head, rest] = [values.slice(0, 4), new Set(values.slice(4))];
  const runs = values.every((value) => value === values[0]) ? [values[0]] : [...head, '…', ...rest];
  return `- ${name}: ${at.length} of ${datum.tokens.length} tokens; ${runs.join(' ')}`;
}

function journal({ log }: Transcript) {
  const kept = /^(rollout\/(zero|phantom|dropped)|train\/(updates|tokens|clip|dual)|reward\/mean|rollout\/turn_limit)/;
  const metrics = log.entries.flatMap((entry) => (entry.kind === 'step' ? Object.entries(entry.metrics) : []));
  return {
    notices: log.entries.flatMap((entry) => (entry.kind === 'noticed' ? [`- ${entry.level}: ${entry.message}`] : [])),
    metrics: metrics.filter(([name]) => kept.test(name)).map(([name, value]) => `- ${name} ${number(value)}`),
  };
}
