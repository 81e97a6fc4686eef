import type { Reading } from '../rl/ports';
import type { Irregularity } from '../schema/trajectory';
import { type CallRules, holdsBox, reading, severalReason } from './readCall';

export const outputFence = '```output';
const opening = /^```python[ \t]*\n/gm;

/**
 * A call as ToRL writes it: a fenced block of Python and the line that begins its output, on which the sampler stops. As
 * in ToRL the last block is run, where `rules` say nothing else, and a block on which no output was begun is text.
 */
export function readFenceCall(text: string, { several = 'last', withAnswer = 'call' }: CallRules = {}): Reading {
  const blocks = [...text.matchAll(opening)];
  if (!text.trimEnd().endsWith(outputFence)) return reading('answer', blocks.length > 0 ? ['mention'] : []);
  const body = text.trimEnd().slice(0, -outputFence.length);
  const [open, next] = several === 'first' ? blocks : blocks.slice(-1);
  const answers = holdsBox(body.slice(0, open?.index));
  const irregular: Irregularity[] = blocks.length > 1 ? ['severalCalls'] : [];
  if (answers && withAnswer === 'answer') return reading('answer', [...irregular, 'answerWithCall']);
  if (!open) return reading({ reason: 'Output is begun without a block of Python before it.' }, ['unbalanced']);
  const code = closedCode(body.slice(open.index + open[0].length, next?.index).trimEnd());
  if (code === undefined) return reading({ reason: 'The block of Python does not end.' }, ['unbalanced']);
  if (blocks.length > 1 && several === 'malformed') return reading({ reason: severalReason }, irregular);
  return reading({ code }, answers ? [...irregular, 'answerWithCall'] : irregular);
}

/** The fence right before the output ends the code, which may hold fences itself; else the first that begins a line. */
function closedCode(inner: string): string | undefined {
  if (inner.endsWith('```')) return inner.slice(0, -3).replace(/\n$/, '');
  const at = inner.startsWith('```') ? 0 : inner.indexOf('\n```');
  return at < 0 ? undefined : inner.slice(0, at);
}
