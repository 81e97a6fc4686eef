import type { Reading } from '../rl/ports';
import type { ProtocolName } from '../schema/rollout';
import { bothStreams, type Form, outputOrLastLine } from './observe';
import { type CallRules, callClose, callOpen } from './readCall';
import { outputFence, readFenceCall } from './readFenceCall';
import { jsonCall, readJsonCall } from './readJsonCall';
import { readTagCall } from './readTagCall';
import { readXmlCall, xmlCall } from './readXmlCall';

/** How calls and outputs are spelt. */
export interface TextFormat {
  /** Text that stops the sampler within the turn; without one a call ends its turn as an answer does. */
  readonly stop?: string;
  /** Control tokens around a call. */
  readonly markers?: readonly [open: string, close: string];
  read(text: string, rules?: CallRules): Reading;
  /** A call as the model writes it, without `markers`, `stop` included. */
  call(code: string): string;
  readonly observe: Form;
  /** Text around an output. */
  readonly output: readonly [before: string, after: string];
}

/** A call ends its turn. */
const qwen = {
  markers: [callOpen, callClose],
  observe: bothStreams,
  output: ['\n', '\n'],
} satisfies Partial<TextFormat>;

export const textFormats: Readonly<Record<Exclude<ProtocolName, 'compact'>, TextFormat>> = {
  /** ReTool (arXiv:2504.11536): the model goes on in the same turn. */
  'retool-code': {
    stop: '</code>',
    read: (text, rules) => readTagCall(text, 'code', rules),
    call: (code) => `<code>\n\`\`\`python\n${code}\n\`\`\`\n</code>`,
    observe: outputOrLastLine,
    output: ['\n<interpreter>\n', '</interpreter>\n\n'],
  },
  /** ToRL (arXiv:2503.23383): the model begins the output itself. */
  'torl-fences': {
    stop: outputFence,
    read: readFenceCall,
    call: (code) => `\`\`\`python\n${code}\n\`\`\`\n${outputFence}`,
    observe: outputOrLastLine,
    output: ['\n', '\n```\n'],
  },
  /** ARPO (arXiv:2507.19849). */
  'python-result': {
    stop: '</python>',
    read: (text, rules) => readTagCall(text, 'python', rules),
    call: (code) => `<python>\n${code}\n</python>`,
    observe: outputOrLastLine,
    output: ['\n<result>\n', '\n</result>\n'],
  },
  'qwen3-json': { ...qwen, read: readJsonCall, call: jsonCall },
  'qwen3.5-xml': { ...qwen, read: readXmlCall, call: xmlCall },
};
