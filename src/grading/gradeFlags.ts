import type { Gradable } from '../rl/ports';
import type { GradeFlag } from '../schema/trajectory';
import { allBoxes } from './findBox';

const box = /\\f?box(?:ed)?\s*/;
/** Letters and digits below which a lone turn reasons about nothing: "So the answer is". */
const leastReasoning = 24;
/** White space between digits parts numbers; elsewhere it is layout. */
const squeezed = (text: string) =>
  text
    .replaceAll('$', '')
    .replaceAll(/(?<=\d)\s+(?=\d)/g, '\0')
    .replaceAll(/\s+/g, '');

/** Signs that a reward was not earned. They change no reward: a person decides. @param predicted content of the graded box. */
export function gradeFlags({ turns }: Gradable, predicted: string): GradeFlag[] {
  const last = turns.at(-1)?.text ?? '';
  const boxes = allBoxes(last);
  const flags: GradeFlag[] = [];
  if (new Set(boxes.map(squeezed)).size > 1) flags.push('severalBoxes');
  const printed = turns.map(({ result, observation }) => `${result?.stdout ?? ''}\n${observation ?? ''}`);
  if (printed.some((text) => allBoxes(text).some((copy) => squeezed(copy) === squeezed(predicted)))) {
    flags.push('copiedBox');
  }
  const reasoning = [...turns.slice(0, -1).map(({ text }) => text), ...printed, withoutBoxes(last, boxes)];
  const words = withoutBoxes(last, boxes).replaceAll(/<\|\w+\|>|[^\p{L}\p{N}]/gu, '');
  const hasReasoning = turns.length > 1 || words.length >= leastReasoning;
  if (hasReasoning && predicted !== '' && !reasoning.some((text) => mentions(text, squeezed(predicted)))) {
    flags.push('unsupported');
  }
  return flags;
}

function withoutBoxes(text: string, boxes: readonly string[]): string {
  return boxes.reduce((rest, content) => {
    const at = rest.search(box);
    const end = at < 0 ? -1 : rest.indexOf(content, at);
    return end < 0 ? rest : `${rest.slice(0, at)} ${rest.slice(end + content.length)}`;
  }, text);
}

/** A number inside a longer one is no mention. */
function mentions(text: string, answer: string): boolean {
  const plain = squeezed(text);
  for (let at = plain.indexOf(answer); at >= 0; at = plain.indexOf(answer, at + 1)) {
    const digits = /\d$/.test(plain.slice(0, at)) && /^\d/.test(answer);
    const after = plain[at + answer.length] ?? '';
    if (!digits && !(/\d$/.test(answer) && /\d/.test(after))) return true;
  }
  return false;
}
