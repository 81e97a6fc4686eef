import type { Reading } from '../rl/ports';
import type { Experiment } from '../schema/experiment';
import type { Irregularity } from '../schema/trajectory';

/** What a turn may hold beside one call. A reader has rules of its own for what is left out. */
export type CallRules = Experiment['calls'];

/** The one tool that there is. */
export const toolName = 'code_interpreter';
export const callOpen = '<tool_call>';
export const callClose = '</tool_call>';

/** @param irregular leaves the field out when there is nothing to say. */
export function reading(
  kind: { readonly code: string } | { readonly reason: string } | 'answer',
  irregular: readonly Irregularity[] = [],
): Reading {
  const unusual = irregular.length > 0 ? { irregular } : {};
  if (kind === 'answer') return { kind, ...unusual };
  if ('reason' in kind) return { kind: 'malformed', reason: kind.reason, ...unusual };
  if (kind.code.trim() === '') return { kind: 'malformed', reason: 'The call holds no code.', ...unusual };
  return { kind: 'call', code: kind.code, ...unusual };
}

export const holdsBox = (text: string): boolean => /\\boxed\s*\{/.test(text);

/**
 * Where the words begin that may call: behind the thought with which the turn began, at the end where the thought does
 * not end.
 */
export function thoughtEnd(text: string): number {
  if (!/^\s*<think>/.test(text)) return 0;
  const end = text.indexOf('</think>');
  return end < 0 ? text.length : end + '</think>'.length;
}

/** The turn with the start of the thought that the prompt had already written for it (Qwen3.5 with thinking on). */
export const withPrefilledThought = (text: string): string =>
  /^\s*<think>/.test(text) || !text.includes('</think>') ? text : `<think>\n${text}`;

export const skipSpace = (text: string, from: number): number => {
  let at = from;
  while (at < text.length && /\s/.test(text[at]!)) at += 1;
  return at;
};

/** A call that a turn makes or tries to: its marker stands at `at`, what it holds begins at `body`. */
export interface CallAttempt {
  readonly at: number;
  readonly body: number;
  readonly form: 'json' | 'xml';
}

/**
 * The first marker of a call that is followed by one in either form.
 *
 * @param irregular gets `mention` where a marker before it is only spoken of.
 */
export function firstAttempt(text: string, from: number, irregular: Irregularity[]): CallAttempt | undefined {
  for (let at = text.indexOf(callOpen, from); at >= 0; at = text.indexOf(callOpen, at + 1)) {
    const body = skipSpace(text, at + callOpen.length);
    if (text[body] === '{') return { at, body, form: 'json' };
    if (text.startsWith('<function=', body)) return { at, body, form: 'xml' };
    if (!irregular.includes('mention')) irregular.push('mention');
  }
  return undefined;
}

export const severalReason = 'The turn makes more than one call.';
export const followsReason = 'Text follows the call.';

/** A call that cannot be read, or the answer that stands before it where answers come first. @param words before it. */
export const broken = (
  words: string,
  reason: string,
  irregular: readonly Irregularity[],
  { withAnswer }: CallRules,
): Reading =>
  withAnswer === 'answer' && holdsBox(words)
    ? reading('answer', [...irregular, 'answerWithCall'])
    : reading({ reason }, irregular);

/** A call that has an end: what it holds, and where it stands in the turn, markers included. */
export interface WholeCall {
  readonly at: number;
  readonly inner: string;
  readonly end: number;
}

interface Choice {
  /** Where the words begin that may call. */
  readonly from: number;
  /** The calls of the turn in their order, at least one. */
  readonly calls: readonly WholeCall[];
  /** One more is begun and does not end. */
  readonly begun?: boolean;
  readonly rules: Required<CallRules>;
}

/**
 * Which call of a turn counts, or what the turn is instead.
 *
 * @param irregular gets what was unusual.
 */
export function choose(
  text: string,
  { from, calls, begun = false, rules }: Choice,
  irregular: Irregularity[],
): WholeCall | Reading {
  const last = calls.at(-1)!;
  const chosen = rules.several === 'last' ? last : calls[0]!;
  const several = calls.length > 1 || begun;
  const follows = chosen === last && !begun && text.slice(last.end).trim() !== '';
  const words = [...calls.map(({ at }, i) => text.slice(calls[i - 1]?.end ?? from, at)), text.slice(last.end)];
  const answers = words.some(holdsBox);
  if (several) irregular.push('severalCalls');
  if (follows) irregular.push('textAfterCall');
  if (answers && rules.withAnswer === 'answer') return reading('answer', [...irregular, 'answerWithCall']);
  if (several && rules.several === 'malformed') {
    return reading({ reason: severalReason }, irregular);
  }
  if (follows && rules.textAfter === 'malformed') return reading({ reason: followsReason }, irregular);
  if (answers) irregular.push('answerWithCall');
  return chosen;
}
