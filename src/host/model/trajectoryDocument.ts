import {
  addedIn,
  promptIn,
  sampledIn,
  type ToolResult,
  type Trajectory,
  type Turn,
  tokensIn,
} from '../../schema/trajectory';
import type { Strings } from '../strings';
import { displayLines, oneLine } from './displayText';
import { count, duration, reward, signed } from './format';

export interface Region {
  readonly kind: 'question' | 'turn' | 'code' | 'output';
  readonly label: string;
  readonly detail: string;
  /** Lines, from 0; the first is the heading, the last belongs to the region. */
  readonly start: number;
  readonly end: number;
  readonly turn?: number;
}

/** A trajectory as a text that can be read, folded, searched and outlined. */
export interface TrajectoryDocument {
  readonly text: string;
  readonly regions: readonly Region[];
  /** Where the answer that was graded stands. */
  readonly graded: { readonly line: number; readonly start: number; readonly end: number } | undefined;
}

/** Starts a heading inside a turn. The grammar of the language knows it. */
const mark = '──';

/** @param trained false for an evaluation, from which nothing is learned. */
export function renderTrajectory(
  trajectory: Trajectory,
  title: string,
  strings: Strings,
  trained = true,
): TrajectoryDocument {
  const lines: string[] = [];
  const regions: Region[] = [];
  const open = (line: string): number => lines.push(line) - 1;
  const close = (region: Omit<Region, 'end'>): void => {
    regions.push({ ...region, end: Math.max(region.start, lastFilled(lines)) });
  };
  const words = strings.trajectory;

  const top = open(`# ${words.question} · ${title}`);
  const { imported } = trajectory;
  const told = imported ? importedFacts(trajectory, imported, strings) : facts(trajectory, strings, trained);
  lines.push(...displayLines(trajectory.question), '', ...told, '');
  close({ kind: 'question', label: words.question, detail: `${words.gold} ${oneLine(trajectory.gold)}`, start: top });

  trajectory.turns.forEach((turn, i) => {
    const detail = imported ? words.lastText : turnFacts(turn, strings);
    const label = words.turn(imported ? imported.turns : i + 1);
    const start = open(`# ${label} · ${detail}`);
    const { before, code, after } = split(turn);
    if (isWorthReading(before, code)) lines.push(...displayLines(before.replace(/\n$/, '')));
    if (code !== undefined) {
      const codeLines = displayLines(code.replace(/\n$/, ''));
      const size = codeLines.length === 1 ? words.oneLine : words.lines(codeLines.length);
      const codeStart = open(`${mark} Python · ${size}`);
      lines.push(...codeLines);
      close({ kind: 'code', label: 'Python', detail: size, start: codeStart, turn: i });
      if (isWorthReading(after, code)) lines.push(`${mark} `, ...displayLines(after.trim()));
    }
    const unusual = [
      ...(turn.irregular ?? []).map((each) => words.irregularity[each]),
      ...(turn.masked ? [words.masked] : []),
    ];
    if (unusual.length > 0) lines.push(`${mark} ${words.unusual} · ${unusual.join(' · ')}`);
    if (!turn.result && turn.observation !== undefined) {
      lines.push(`${mark} ${words.told}`, ...displayLines(turn.observation));
    }
    if (turn.result) {
      const facts = outputFacts(turn, turn.result, strings, trained);
      const outputStart = open(`${mark} ${words.output} · ${facts}`);
      lines.push(...outputLines(turn, turn.result, strings));
      close({
        kind: 'output',
        label: words.output,
        detail: statusOf(turn.result, strings),
        start: outputStart,
        turn: i,
      });
    }
    close({ kind: 'turn', label, detail, start, turn: i });
    lines.push('');
  });

  return { text: `${lines.join('\n').trimEnd()}\n`, regions: inOrder(regions), graded: findGraded(lines, trajectory) };
}

/** `NameError`, `timed out`, `OK`: what an output is called. */
export function statusOf(result: ToolResult, { trajectory }: Strings): string {
  const exception = /^([A-Za-z_][\w.]*(?:Error|Exception|Interrupt|Exit|Warning))\b/m.exec(
    lastLine(result.stderr),
  )?.[1];
  return result.status === 'error' && exception ? exception : trajectory.status[result.status];
}

const lastLine = (text: string): string => text.trimEnd().split('\n').at(-1) ?? '';

function facts(trajectory: Trajectory, strings: Strings, learned: boolean): string[] {
  const words = strings.trajectory;
  const { grade, turns } = trajectory;
  const trained = turns.reduce((sum, turn) => sum + (turn.masked ? 0 : sampledIn(turn)), 0);
  const all = tokensIn(trajectory);
  const { rows, say } = factRows();
  const { read, parts, flags } = grade;
  say(words.gold, oneLine(trajectory.gold));
  say(words.predicted, grade.predicted === null ? words.none : oneLine(grade.predicted));
  say(words.reward, `${reward(grade.reward)} · ${words.verdict[grade.verdict]} · ${oneLine(grade.reason)}`);
  say(words.read, read && `${oneLine(read.predicted)} · ${words.gold}: ${oneLine(read.gold)}`);
  say(words.parts, parts?.map((part) => `${part.name} ${reward(part.reward)}`).join(' · '));
  say(words.signs, flags?.length ? flags.map((flag) => words.flag[flag]).join(' · ') : undefined);
  say(words.advantage, learned ? signed(trajectory.advantage) : undefined);
  say(words.leftOut, trajectory.leftOut && words.leftOutBy[trajectory.leftOut]);
  say(words.stoppedBy, words.stop[trajectory.stop]);
  const prompt = promptIn(trajectory);
  const length = learned ? words.length(count(all), count(trained)) : count(all);
  say(words.tokens, prompt > 0 ? `${length} · ${words.promptTokens(count(prompt))}` : length);
  say(words.failure, trajectory.failure === undefined ? undefined : oneLine(trajectory.failure));
  return aligned(rows);
}

/** What the reference's format carries, and in a sentence what it does not. */
function importedFacts(
  trajectory: Trajectory,
  { turns, calls }: NonNullable<Trajectory['imported']>,
  strings: Strings,
): string[] {
  const words = strings.trajectory;
  const { grade, gold } = trajectory;
  const { rows, say } = factRows();
  say(words.gold, oneLine(gold));
  say(words.predicted, grade.predicted === null ? words.none : oneLine(grade.predicted));
  say(words.graded, words.asImported(words.verdict[grade.verdict]));
  say(words.turns, count(turns));
  say(words.calls, count(calls));
  say(words.tokens, count(tokensIn(trajectory)));
  // One turn without a call is its last text.
  return turns > 1 || calls > 0 ? [...aligned(rows), '', words.textAlone] : aligned(rows);
}

function factRows() {
  const rows: [string, string][] = [];
  const say = (name: string, text: string | undefined) => {
    if (text !== undefined) rows.push([name, text]);
  };
  return { rows, say };
}

function aligned(rows: readonly [string, string][]): string[] {
  const width = Math.max(...rows.map(([name]) => columns(name))) + 2;
  return rows.map(([name, value]) => `${name}${' '.repeat(width - columns(name))}${value}`);
}

/** Cells of a fixed-width font: East Asian characters take two. */
const columns = (text: string): number => text.length + (text.match(/[\u2e80-\u9fff\uff00-\uff60]/g)?.length ?? 0);

function turnFacts(turn: Turn, strings: Strings): string {
  const { logprobs, seconds } = turn;
  const words = strings.trajectory;
  if (turn.continues) return words.sameMessage;
  const [tokens, time] = [count(sampledIn(turn)), duration(seconds, strings.duration)];
  if (logprobs.length === 0) return `${strings.tree.tokens(tokens)} · ${time}`;
  const mean = logprobs.reduce((sum, value) => sum + value, 0) / logprobs.length;
  return words.turnFacts(tokens, time, signed(mean));
}

/** Around code, markers of the protocol say no more than the heading does. */
const isWorthReading = (text: string, code: string | undefined): boolean =>
  (code === undefined ? text : text.replaceAll(/<\/?\|?\w+\|?>/g, '')).trim() !== '';

/** The code as it stands in the text, so that nothing is shown twice. */
function split({ text, code }: Turn): { before: string; code: string | undefined; after: string } {
  if (code === undefined) return { before: text, code, after: '' };
  const at = code === '' ? -1 : text.lastIndexOf(code);
  if (at < 0) return { before: text, code, after: '' };
  return { before: text.slice(0, at), code, after: text.slice(at + code.length) };
}

function outputFacts(turn: Turn, result: ToolResult, strings: Strings, learned: boolean): string {
  const words = strings.trajectory;
  return [
    statusOf(result, strings),
    result.exitCode !== null && result.exitCode !== 0 ? words.exit(result.exitCode) : undefined,
    duration(result.seconds, strings.duration),
    result.queueSeconds >= 0.1 ? words.waited(duration(result.queueSeconds, strings.duration)) : undefined,
    learned ? words.notTrainedOn(count(addedIn(turn))) : strings.tree.tokens(count(addedIn(turn))),
  ]
    .filter((part) => part !== undefined)
    .join(' · ');
}

function outputLines(turn: Turn, result: ToolResult, { trajectory: words }: Strings): string[] {
  const printed = [result.stdout, result.stderr]
    .filter((text) => text !== '')
    .join('\n')
    .trimEnd();
  const seen = turn.observation?.trimEnd();
  if (seen === undefined || seen === printed) return displayLines(printed === '' ? words.nothingPrinted : printed);
  const lines = displayLines(seen === '' ? words.nothingPrinted : seen);
  return printed === '' ? lines : [...lines, `${mark} ${words.rawOutput}`, ...displayLines(printed)];
}

function findGraded(lines: readonly string[], { grade }: Trajectory): TrajectoryDocument['graded'] {
  if (grade.predicted === null || grade.predicted === '') return undefined;
  for (let line = lines.length - 1; line >= 0; line--) {
    if (lines[line]!.startsWith('# ')) return undefined;
    for (const text of [`\\boxed{${grade.predicted}}`, grade.predicted]) {
      const start = lines[line]!.lastIndexOf(text);
      if (start >= 0) return { line, start, end: start + text.length };
    }
  }
  return undefined;
}

function lastFilled(lines: readonly string[]): number {
  let last = lines.length - 1;
  while (last > 0 && lines[last] === '') last--;
  return last;
}

const inOrder = (regions: readonly Region[]): Region[] =>
  [...regions].sort((a, b) => a.start - b.start || b.end - a.end);
