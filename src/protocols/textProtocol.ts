import type { Reading, Tokenizer, ToolProtocol } from '../rl/ports';
import type { ProtocolName } from '../schema/rollout';
import { missingClosing } from './closing';
import { observation } from './observation';
import type { ProtocolSettings } from './settings';
import { textFormats } from './textFormats';

/**
 * A protocol whose calls are spelt out, between the headers of turns that `compact` has.
 *
 * ```
 * <|im_start|>user QUESTION<|im_end|><|im_start|>assistant
 *   <code>…</code>                                            sampled
 *   <interpreter>OUTPUT</interpreter>                         added, in the same turn
 *   \boxed{ANSWER}<|im_end|>                                  sampled
 * ```
 *
 * Where a call ends its turn, as Qwen's does, the output stands in a turn of the tool, as in `compact`.
 */
export function textProtocol(
  name: Exclude<ProtocolName, 'compact'>,
  tokenizer: Tokenizer,
  settings: ProtocolSettings = {},
): ToolProtocol {
  const { stop, markers, read, call, observe: own, output } = textFormats[name];
  const { observe, shown } = observation(own, tokenizer, settings.observation);
  const names = ['<|im_start|>', '<|im_end|>', 'user', 'assistant', 'tool', '<tool_response>', '</tool_response>'];
  const frame = names.map((control) => tokenizer.control(control));
  const [start, end, user, assistant, tool, responseStart, responseEnd] = frame as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const nextTurn = [end, start, assistant];
  const marks = markers?.map((control) => tokenizer.control(control)) as [number, number] | undefined;

  /** Output where the turn that called has ended: in a turn of the tool. */
  const toolTurn = (body: readonly number[]) => [start, tool, responseStart, ...body, responseEnd, ...nextTurn];

  return {
    name,
    stop: stop === undefined ? [end] : [stop, '<|im_end|>'],
    endOfTurn: [end],

    prompt: ({ question }) => [start, user, ...tokenizer.encode(` ${question.trim()}`), ...nextTurn],

    read(tokens): Reading {
      const ended = tokens.at(-1) === end;
      const turn = ended ? tokens.slice(0, -1) : tokens;
      if (turn.some((token) => frame.includes(token))) {
        return { kind: 'malformed', reason: 'The turn holds a control token.' };
      }
      const text = tokenizer.decode(turn);
      // Nothing else stops a turn: where the text is missing, the service has left it out.
      return read(ended || stop === undefined || text.endsWith(stop) ? text : text + stop, settings.calls);
    },

    observe,

    continuation(tokens, text, observationTokens) {
      const body = [...tokenizer.encode(output[0]), ...shown(text, observationTokens), ...tokenizer.encode(output[1])];
      if (stop === undefined) return [...missingClosing(tokens, [end]), ...toolTurn(body)];
      return tokens.at(-1) === end ? toolTurn(body) : [...missingClosing(tokens, tokenizer.encode(stop)), ...body];
    },

    call(code) {
      const body = tokenizer.encode(call(code));
      return marks ? [marks[0], ...body, marks[1], end] : body;
    },
    answer: (text) => [...tokenizer.encode(`\\boxed{${text}}`), end],
  };
}
