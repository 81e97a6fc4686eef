import type { Reading } from '../rl/ports';
import type { Irregularity } from '../schema/trajectory';
import { broken, type CallRules, followsReason, holdsBox, reading } from './readCall';

const fence = /^\s*```(?:python|py)?[ \t]*\n([\s\S]*?)\n?```\s*$/;

/**
 * A call between tags of its own: ReTool's `<code>` and, with `tag` "python", that of ARPO. The closing tag stops the
 * sampler, so that a turn makes one call and ends with it. A fence inside is not part of the code.
 */
export function readTagCall(text: string, tag: 'code' | 'python', rules: CallRules = {}): Reading {
  const open = `<${tag}>`;
  const close = `</${tag}>`;
  const spoken: Irregularity[] = text.includes(open) ? ['mention'] : [];
  if (!text.endsWith(close)) {
    const from = text.lastIndexOf(open);
    // A tag on which a line or a fence follows begins a call.
    const begun = from >= 0 && /^\s*(?:\n|```)/.test(text.slice(from + open.length)) && !text.includes(close, from);
    if (begun) return broken(text.slice(0, from), `The call does not end with ${close}.`, ['unbalanced'], rules);
    if (!text.includes(close)) return reading('answer', spoken);
    return from < 0 ? reading('answer', ['mention']) : reading({ reason: followsReason }, ['textAfterCall']);
  }
  const body = text.slice(0, -close.length);
  const from = opening(body, open);
  if (from < 0) {
    return broken(body, `The turn ends a call that it did not begin with ${open}.`, ['unbalanced'], rules);
  }
  const inner = body.slice(from + open.length);
  const code = fence.exec(inner)?.[1] ?? inner.replace(/^\r?\n/, '').replace(/\r?\n$/, '');
  const answers = holdsBox(body.slice(0, from));
  if (answers && rules.withAnswer === 'answer') return reading('answer', ['answerWithCall']);
  return reading({ code }, answers ? ['answerWithCall'] : []);
}

/** The first tag that a fence or a line break follows, for code may spell the tag; else the last of all. */
function opening(body: string, open: string): number {
  for (let at = body.indexOf(open); at >= 0; at = body.indexOf(open, at + 1)) {
    if (/^[ \t]*(?:\r?\n|```)/.test(body.slice(at + open.length))) return at;
  }
  return body.lastIndexOf(open);
}
