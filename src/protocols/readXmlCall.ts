import type { Reading } from '../rl/ports';
import type { Irregularity } from '../schema/trajectory';
import {
  broken,
  type CallRules,
  callOpen,
  choose,
  firstAttempt,
  reading,
  thoughtEnd,
  toolName,
  type WholeCall,
} from './readCall';

const closing = /<\/parameter>\s*<\/function>\s*<\/tool_call>/g;
/** A call that ends and another that begins: right behind it, or after text where each stands on lines of its own. */
const another =
  /<\/parameter>\s*<\/function>\s*<\/tool_call>\s*<tool_call>\s*<function=|\n<\/parameter>\s*<\/function>\s*<\/tool_call>(?:(?!<\/tool_call>)[\s\S])*?\n<tool_call>\s*<function=/;
const head = /^<function=([^>\s]*)>\s*/;
const parameter = /^<parameter=([^>\s]*)>/;
const between = /<\/parameter>\s*(?=<parameter=[^>\s]+>)/;

/**
 * A call as Qwen3.5 writes it:
 *
 * ```
 * <tool_call>
 * <function=code_interpreter>
 * <parameter=code>
 * CODE
 * </parameter>
 * </function>
 * </tool_call>
 * ```
 *
 * Values are text as it stands: one line break is taken off at each end, no more, and nothing is decoded. As in PyTRIO a
 * turn makes exactly one call and ends with it, where `rules` say nothing else.
 */
export function readXmlCall(
  text: string,
  { several = 'malformed', withAnswer = 'call', textAfter = 'malformed' }: CallRules = {},
): Reading {
  const from = thoughtEnd(text);
  const rules = { several, withAnswer, textAfter };
  const irregular: Irregularity[] = [];
  const attempt = firstAttempt(text, from, irregular);
  if (!attempt) return reading('answer', irregular);
  const { at, body, form } = attempt;
  const end = form === 'xml' ? [...text.slice(body).matchAll(closing)].at(-1) : undefined;
  if (!end) {
    return form === 'json'
      ? broken(text.slice(from, at), 'The call is written as JSON, not as XML.', irregular, rules)
      : broken(text.slice(from, at), 'The call does not end.', [...irregular, 'unbalanced'], rules);
  }
  const calls = callsBetween(text, { at, body, end: body + end.index + end[0].length });
  const chosen = choose(text, { from, calls, rules }, irregular);
  return 'kind' in chosen ? chosen : readFunction(chosen.inner, irregular);
}

/** The calls from the marker at `at` to the last closing of the turn. */
function callsBetween(text: string, { at, body, end }: { at: number; body: number; end: number }): WholeCall[] {
  const rest = text.slice(body, end);
  const next = another.exec(rest);
  if (!next) return [{ at, inner: rest.slice(0, [...rest.matchAll(closing)].at(-1)!.index), end }];
  const inner = rest.slice(0, next.index + next[0].indexOf('<'));
  const ended = body + inner.length + rest.slice(inner.length).match(closing)![0].length;
  const begins = body + next.index + next[0].lastIndexOf(callOpen);
  const begun = { at: begins, body: body + next.index + next[0].lastIndexOf('<function='), end };
  return [{ at, inner, end: ended }, ...callsBetween(text, begun)];
}

/** @param inner from `<function=` up to the last `</parameter>`. */
function readFunction(inner: string, irregular: Irregularity[]): Reading {
  const named = head.exec(inner);
  if (!named) return reading({ reason: 'The call names no function.' }, [...irregular, 'unbalanced']);
  if (named[1] !== toolName) {
    const reason = `There is no tool ${JSON.stringify(named[1])}; the tool is ${toolName}.`;
    return reading({ reason }, [...irregular, 'unknownTool']);
  }
  const values = new Map<string, string>();
  for (const part of inner.slice(named[0].length).split(between)) {
    const name = parameter.exec(part);
    if (!name) return reading({ reason: 'The call holds text that is no parameter.' }, [...irregular, 'unbalanced']);
    values.set(name[1]!, withoutLineBreaks(part.slice(name[0].length)));
  }
  const code = values.get('code');
  if (code === undefined) return reading({ reason: 'The call has no parameter "code".' }, irregular);
  if (values.size > 1) irregular.push('extraParameters');
  return reading({ code }, irregular);
}

/** Without one line break at each end. */
const withoutLineBreaks = (value: string): string => value.replace(/^\r?\n/, '').replace(/\r?\n$/, '');

/** The call as the chat template of Qwen3.5 writes it, without its markers. */
export const xmlCall = (code: string): string =>
  `\n<function=${toolName}>\n<parameter=code>\n${code}\n</parameter>\n</function>\n`;
