import type { Reading, Tokenizer, ToolProtocol } from '../rl/ports';
import { observation } from './observation';
import { outputOrName } from './observe';
import { holdsBox } from './readCall';
import type { ProtocolSettings } from './settings';

/**
 * The protocol of small models that are trained from nothing: every marker is one token.
 *
 * ```
 * <|im_start|>user QUESTION<|im_end|><|im_start|>assistant
 *   <tool_call>CODE</tool_call>                                      sampled
 * <|im_end|><|im_start|>tool<tool_response>OUTPUT</tool_response>
 * <|im_end|><|im_start|>assistant                                    added
 *   \boxed{ANSWER}<|im_end|>                                         sampled
 * ```
 *
 * A turn is a call because of its control tokens; the same words in ordinary text are text.
 */
export function compactProtocol(tokenizer: Tokenizer, settings: ProtocolSettings = {}): ToolProtocol {
  const [start, end, user, assistant, tool] = ['<|im_start|>', '<|im_end|>', 'user', 'assistant', 'tool'].map((name) =>
    tokenizer.control(name),
  ) as [number, number, number, number, number];
  const callStart = tokenizer.control('<tool_call>');
  const callEnd = tokenizer.control('</tool_call>');
  const responseStart = tokenizer.control('<tool_response>');
  const responseEnd = tokenizer.control('</tool_response>');
  const controls = new Set([start, end, user, assistant, tool, callStart, callEnd, responseStart, responseEnd]);
  const nextTurn = [end, start, assistant];
  const { observe, shown } = observation(outputOrName, tokenizer, settings.observation);

  return {
    name: 'compact',
    stop: [callEnd, end],
    endOfTurn: [end],

    prompt: ({ question }) => [start, user, ...tokenizer.encode(` ${question.trim()}`), ...nextTurn],

    read(tokens): Reading {
      const malformed = (reason: string): Reading => ({ kind: 'malformed', reason });
      const turn = tokens.at(-1) === end ? tokens.slice(0, -1) : tokens;
      const from = turn.indexOf(callStart);
      if (from < 0) {
        if (turn.includes(callEnd)) return malformed('The turn ends a call that it did not begin.');
        if (turn.some((token) => controls.has(token))) return malformed('The answer holds a control token.');
        return { kind: 'answer' };
      }
      if (settings.calls?.withAnswer === 'answer' && holdsBox(tokenizer.decode(turn.slice(0, from)))) {
        return { kind: 'answer', irregular: ['answerWithCall'] };
      }
      const to = turn.lastIndexOf(callEnd);
      if (to < from) return malformed('The call does not end.');
      if (to < turn.length - 1) return malformed('Text follows the call.');
      const code = turn.slice(from + 1, to);
      if (code.some((token) => controls.has(token))) return malformed('The code holds a control token.');
      const text = tokenizer.decode(code);
      return text.trim() === '' ? malformed('The call holds no code.') : { kind: 'call', code: text };
    },

    observe,

    continuation(tokens, output, observationTokens) {
      const closing = tokens.at(-1) === end ? [] : tokens.at(-1) === callEnd ? [end] : [callEnd, end];
      return [...closing, start, tool, responseStart, ...shown(output, observationTokens), responseEnd, ...nextTurn];
    },

    call: (code) => [callStart, ...tokenizer.encode(code), callEnd],
    answer: (text) => [...tokenizer.encode(`\\boxed{${text}}`), end],
  };
}
