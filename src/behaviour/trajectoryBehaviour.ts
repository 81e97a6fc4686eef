import { allBoxes } from '../grading/findBox';
import { isVoid } from '../rl/filters';
import { addedIn, messagesIn, sampledIn, type Trajectory, type Turn } from '../schema/trajectory';
import { answerPattern, plainForm } from './answerSeen';
import { type Call, type Correction, callsOf, correctionsOf } from './calls';
import { type Purpose, purposes } from './purpose';

const names = [
  'trajectories',
  'sampledTokens',
  'addedTokens',
  'withCall',
  'calls',
  'lines',
  'strippedLines',
  'executed',
  'succeeded',
  'failed',
  'placed',
  'beforeAnswer',
  'timed',
  'firstCall',
  'corrected',
  'withFailure',
  'withCorrection',
  'repeated',
  'turns',
  'voidTurns',
  'withVoidTurn',
  'answered',
  'fromOutput',
] as const;
type SumName = (typeof names)[number];

/** What measures are made of. They add up: over trajectories, and so over steps. */
export type Sums = Readonly<Record<SumName, number>> & { readonly purposes: Readonly<Record<Purpose, number>> };

const eachOf = <K extends string>(keys: readonly K[], of: (key: K) => number) =>
  Object.fromEntries(keys.map((key) => [key, of(key)])) as Record<K, number>;

export const noSums: Sums = { ...eachOf(names, () => 0), purposes: eachOf(purposes, () => 0) };

export const addSums = (a: Sums, b: Sums): Sums => ({
  ...eachOf(names, (name) => a[name] + b[name]),
  purposes: eachOf(purposes, (purpose) => a.purposes[purpose] + b.purposes[purpose]),
});

export interface TrajectoryBehaviour {
  readonly sums: Sums;
  readonly corrections: readonly Correction[];
}

/**
 * What one trajectory did with its interpreter. docs/behaviour.md defines every figure.
 *
 * @param least similarity of a correction, 0..1.
 */
export function trajectoryBehaviour(trajectory: Trajectory, least: number): TrajectoryBehaviour {
  const { turns, grade } = trajectory;
  const calls = callsOf(trajectory);
  const executed = calls.filter((call) => call.executed);
  const corrections = correctionsOf(calls, least);
  const sampledTokens = sum(turns, sampledIn);
  const voidTurns = turns.filter(isVoid).length;
  const failed = executed.filter(({ succeeded }) => !succeeded).length;
  const [first] = calls;
  const timed = first !== undefined && sampledTokens > 0;
  const answer = grade.predicted === null || grade.predicted.trim() === '' ? undefined : grade.predicted;
  const answerTurn = answer === undefined ? undefined : turnOfAnswer(turns, answer);
  const answered = answer !== undefined && executed.length > 0;
  return {
    sums: {
      trajectories: 1,
      sampledTokens,
      addedTokens: sum(turns, addedIn),
      withCall: Number(calls.length > 0),
      calls: calls.length,
      lines: sum(calls, ({ lines }) => lines.raw),
      strippedLines: sum(calls, ({ lines }) => lines.stripped.length),
      executed: executed.length,
      succeeded: executed.length - failed,
      failed,
      placed: answerTurn === undefined ? 0 : executed.length,
      beforeAnswer: answerTurn === undefined ? 0 : executed.filter(({ turn }) => turn < answerTurn).length,
      timed: Number(timed),
      firstCall: timed ? tokensBefore(turns, first) / sampledTokens : 0,
      corrected: corrections.length,
      withFailure: Number(failed > 0),
      withCorrection: Number(corrections.length > 0),
      repeated: calls.filter(({ repeats }) => repeats).length,
      turns: messagesIn(trajectory),
      voidTurns,
      withVoidTurn: Number(voidTurns > 0),
      answered: Number(answered),
      fromOutput: Number(answered && isFromOutput(turns, answer)),
      purposes: eachOf(purposes, (purpose) => calls.filter((call) => call.purpose === purpose).length),
    },
    corrections,
  };
}

const sum = <T>(items: readonly T[], of: (item: T) => number): number =>
  items.reduce((total, item) => total + of(item), 0);

/** Index of the turn that first boxes the answer; of the last one where none does. */
function turnOfAnswer(turns: readonly Turn[], answer: string): number {
  const bare = (text: string) => text.replaceAll(/\s/g, '');
  const found = turns.findIndex(({ text }) => allBoxes(text).some((box) => bare(box) === bare(answer)));
  return found < 0 ? turns.length - 1 : found;
}

/** Sampled tokens before a call; within its turn by the share of characters before the code. */
function tokensBefore(turns: readonly Turn[], { turn: index, code }: Call): number {
  const turn = turns[index]!;
  const { text } = turn;
  const plain = code.trim();
  // The last place: words before a call often speak of its code.
  const found = Math.max(...[plain, JSON.stringify(plain).slice(1, -1)].map((spelling) => text.lastIndexOf(spelling)));
  const at = plain === '' || found < 0 ? text.length : found;
  const share = text.length > 0 ? at / text.length : 1;
  return sum(turns.slice(0, index), sampledIn) + sampledIn(turn) * share;
}

/** True when what the model was shown holds the answer before anything that it said does. */
function isFromOutput(turns: readonly Turn[], answer: string): boolean {
  const pattern = answerPattern(answer);
  if (!pattern) return false;
  for (const { text, result, observation } of turns) {
    if (pattern.test(plainForm(text))) return false;
    if (!result || result.status === 'infrastructure') continue;
    if (pattern.test(plainForm(observation ?? result.stdout))) return true;
  }
  return false;
}
