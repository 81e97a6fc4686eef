import type { Reading } from '../rl/ports';
import type { Irregularity } from '../schema/trajectory';
import { decodeJson, objectEnd } from './lenientJson';
import {
  broken,
  type CallAttempt,
  type CallRules,
  callClose,
  choose,
  firstAttempt,
  reading,
  skipSpace,
  thoughtEnd,
  toolName,
  type WholeCall,
} from './readCall';

/**
 * A call as Qwen3 writes it: `<tool_call>\n{"name": …, "arguments": {"code": …}}\n</tool_call>`.
 *
 * As in verl and slime the first call of a turn is run and what else the turn says is let be, where `rules` say nothing
 * else; both are counted.
 */
export function readJsonCall(
  text: string,
  { several = 'first', withAnswer = 'call', textAfter = 'kept' }: CallRules = {},
): Reading {
  const from = thoughtEnd(text);
  const irregular: Irregularity[] = [];
  const rules = { several, withAnswer, textAfter };
  const calls: WholeCall[] = [];
  let attempt = firstAttempt(text, from, irregular);
  if (!attempt) return reading('answer', irregular);
  while (attempt) {
    const found = wholeCall(text, attempt);
    if (typeof found === 'string') {
      if (calls.length > 0) break;
      const unusual: Irregularity[] = attempt.form === 'xml' ? irregular : [...irregular, 'unbalanced'];
      return broken(text.slice(from, attempt.at), found, unusual, rules);
    }
    calls.push(found);
    attempt = firstAttempt(text, found.end, []);
  }
  const chosen = choose(text, { from, calls, begun: attempt !== undefined, rules }, irregular);
  return 'kind' in chosen ? chosen : readObject(chosen.inner, irregular);
}

/** @returns why it is none, where it is none. */
function wholeCall(text: string, { at, body, form }: CallAttempt): WholeCall | string {
  if (form === 'xml') return 'The call is written as XML, not as JSON.';
  const end = objectEnd(text, body);
  if (end < 0) return 'The JSON of the call does not end.';
  const close = skipSpace(text, end);
  if (!text.startsWith(callClose, close)) return `The call does not end with ${callClose}.`;
  return { at, inner: text.slice(body, end), end: close + callClose.length };
}

function readObject(json: string, irregular: Irregularity[]): Reading {
  const decoded = decodeJson(json);
  if (!decoded) return reading({ reason: 'The call is not JSON.' }, irregular);
  if (decoded.repaired) irregular.push('repaired');
  const call = decoded.value as { name?: unknown; arguments?: unknown };
  if (call.name !== toolName) {
    const name =
      typeof call.name === 'string' ? `There is no tool ${JSON.stringify(call.name)}` : 'The call names no tool';
    return reading({ reason: `${name}; the tool is ${toolName}.` }, [...irregular, 'unknownTool']);
  }
  const given = call.arguments;
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    return reading({ reason: 'The arguments of the call are no object.' }, irregular);
  }
  const { code } = given as { code?: unknown };
  if (typeof code !== 'string') return reading({ reason: 'The call has no text under "code".' }, irregular);
  if (Object.keys(given).length > 1) irregular.push('extraParameters');
  return reading({ code }, irregular);
}

/** The call as the chat template of Qwen3 writes it, without its markers. */
export const jsonCall = (code: string): string =>
  `\n{"name": ${JSON.stringify(toolName)}, "arguments": {"code": ${JSON.stringify(code)}}}\n`;
