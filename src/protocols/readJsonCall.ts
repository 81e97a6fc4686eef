import type { Reading } from '../rl/ports';
import type { Irregularity } from '../schema/trajectory';
import { decodeJson, objectEnd } from './lenientJson';
import { callClose, firstAttempt, holdsBox, reading, skipSpace, thoughtEnd, toolName } from './readCall';

/**
 * A call as Qwen3 writes it: `<tool_call>\n{"name": …, "arguments": {"code": …}}\n</tool_call>`.
 *
 * As in verl and slime the first call of a turn is run, what else the turn says is let be; both are counted.
 */
export function readJsonCall(text: string): Reading {
  const from = thoughtEnd(text);
  const irregular: Irregularity[] = [];
  const attempt = firstAttempt(text, from, irregular);
  if (!attempt) return reading('answer', irregular);
  const { at, body, form } = attempt;
  if (form === 'xml') return reading({ reason: 'The call is written as XML, not as JSON.' }, irregular);
  const end = objectEnd(text, body);
  if (end < 0) return reading({ reason: 'The JSON of the call does not end.' }, [...irregular, 'unbalanced']);
  const close = skipSpace(text, end);
  if (!text.startsWith(callClose, close)) {
    return reading({ reason: `The call does not end with ${callClose}.` }, [...irregular, 'unbalanced']);
  }
  const after = text.slice(close + callClose.length);
  if (firstAttempt(after, 0, [])) irregular.push('severalCalls');
  else if (after.trim() !== '') irregular.push('textAfterCall');
  if (holdsBox(text.slice(from, at) + after)) irregular.push('answerWithCall');
  return readObject(text.slice(body, end), irregular);
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
