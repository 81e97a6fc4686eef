import type { Gradable } from '../rl/ports';
import type { GradeFlag } from '../schema/trajectory';
import { allBoxes, withoutBoxes } from './findBox';

/** Letters and digits below which a lone turn reasons about nothing: "So the answer is". */
const leastReasoning = 24;
/** White space between digits parts numbers; elsewhere it is layout. */
const squeezed = (text: string) =>
  text
    .replaceAll('$', '')
    .replaceAll(/\s+/g, (run, at: number, whole: string) =>
      isDigit(whole[at - 1]) && isDigit(whole[at + run.length]) ? run : '',
    );
const isDigit = (character: string | undefined) => character !== undefined && /\d/.test(character);

/** Signs that a right answer was not earned. They change no reward: a person decides. @param predicted content of the graded box. */
export function gradeFlags({ turns }: Gradable, predicted: string): GradeFlag[] {
  const last = turns.at(-1)?.text ?? '';
  const boxes = allBoxes(last);
  const answer = squeezed(predicted);
  const flags: GradeFlag[] = [];
  if (new Set(boxes.map(squeezed)).size > 1) flags.push('severalBoxes');
  const printed = turns.map(({ result, observation }) => `${result?.stdout ?? ''}\n${observation ?? ''}`);
  if (printed.some((text) => allBoxes(text).some((copy) => squeezed(copy) === answer))) {
    flags.push('copiedBox');
  }
  const rest = withoutBoxes(last);
  const reasoning = [...turns.slice(0, -1).map(({ text }) => text), ...printed, rest];
  const words = rest.replaceAll(/<\|\w+\|>|[^\p{L}\p{N}]/gu, '');
  const hasReasoning = turns.length > 1 || words.length >= leastReasoning;
  if (hasReasoning && predicted !== '' && !reasoning.some((text) => mentions(text, answer))) {
    flags.push('unsupported');
  }
  return flags;
}

/** A number inside a longer one is no mention. */
function mentions(text: string, answer: string): boolean {
  const plain = squeezed(text);
  const [begins, ends] = [isDigit(answer[0]), isDigit(answer.at(-1))];
  for (let at = plain.indexOf(answer); at >= 0; at = plain.indexOf(answer, at + 1)) {
    if (begins && isDigit(plain[at - 1])) while (isDigit(plain[at + 1])) at += 1;
    else if (!(ends && isDigit(plain[at + answer.length]))) return true;
  }
  return false;
}
