import { toolName, withPrefilledThought } from '../protocols/readCall';
import { textFormats } from '../protocols/textFormats';
import type { ChatTemplate, Message } from './chatTemplate';
import { Conversation, TokenConversation } from './conversation';
import { generationCheck } from './generationCheck';
import type { ModelTokenizer } from './modelTokenizer';
import { code, golden, output, question, type TemplateCheck, tools } from './samples';
import { tokenChecks } from './tokenChecks';

export interface TemplateReport {
  readonly checks: readonly TemplateCheck[];
  /** A fixed conversation, for comparison with what another library makes of it. */
  readonly golden: { readonly text: string; readonly ids?: readonly number[] };
}

const remedies = [
  'Keep thoughts in the history: go on from the sampled tokens, as ReTool Lab does; text that is rendered anew will differ.',
  "Or follow the template, and train one datum per turn, each with 1/turns of its trajectory's weight.",
];

/** Tries what training in many turns needs of a chat template. @throws RetoolError when it renders no conversation. */
export function testTemplate(
  template: ChatTemplate,
  tokenizer: ModelTokenizer | undefined,
  endToken: string | undefined,
  generation?: unknown,
): TemplateReport {
  const plain = new Conversation(template, { tools, enableThinking: false });
  const thinking = new Conversation(template, { tools, enableThinking: true });
  const prompts = [plain, thinking].map((conversation) => conversation.render([question], true));
  const isHybrid = prompts[0] !== prompts[1];
  const text = plain.render(golden, true);
  return {
    checks: [
      toolsCheck(prompts[0]!),
      callCheck(plain, prompts[1]!),
      ...resultChecks(plain),
      ...prefixChecks(plain, isHybrid ? ', thinking off' : '', false),
      ...(template.thinks ? prefixChecks(thinking, isHybrid ? ', thinking on' : ', with a thought', true) : []),
      endCheck(plain, tokenizer, endToken),
      ...(typeof generation === 'object' && generation !== null ? [generationCheck(plain, tokenizer, generation)] : []),
      ...(tokenizer ? tokenChecks(plain, tokenizer, text) : []),
    ],
    golden: { text, ...(tokenizer && { ids: new TokenConversation(plain, tokenizer).prompt(golden) }) },
  };
}

function toolsCheck(prompt: string): TemplateCheck {
  const ok = prompt.includes(toolName);
  const says = ok ? 'The prompt tells of the tool.' : 'The prompt does not tell of the tool: a model learns of none.';
  return { name: 'tools', ok, says };
}

/** Which protocol reads the calls that the template writes: one whose markers were typed by hand may read none. */
function callCheck(conversation: Conversation, prompt: string): TemplateCheck {
  const told = conversation.render([question, golden[2]!], false);
  const words = told.slice(told.lastIndexOf(golden[2]!.content), -conversation.closing([question]).length);
  const written = opensThought(prompt) ? withPrefilledThought(`A thought.\n</think>\n\n${words}`) : words;
  const read = Object.entries(textFormats).find(([, format]) => {
    const reading = format.read(written);
    return reading.kind === 'call' && reading.code === code;
  });
  const says = read
    ? `The protocol ${read[0]} reads the calls that it writes.`
    : `No protocol reads the calls that it writes: ${JSON.stringify(words)}.`;
  return { name: 'calls', ok: read !== undefined, says };
}

const opensThought = (prompt: string): boolean => prompt.lastIndexOf('<think>') > prompt.lastIndexOf('</think>');

function resultChecks(conversation: Conversation): TemplateCheck[] {
  const { closing, rest } = conversation.increment([question], [output]);
  const shown = rest.includes(output);
  const [one, two] = [[output], [output, output]].map((results) =>
    count(conversation.increment([question], results).rest, closing.trim()),
  );
  return [
    {
      name: 'output',
      ok: shown,
      says: shown ? `Output is shown as ${JSON.stringify(rest)}.` : 'The template leaves out the output of the tool.',
    },
    {
      name: 'results',
      ok: null,
      says: `Two results of a turn stand in ${one === two ? 'one turn' : 'turns of their own'}.`,
    },
  ];
}

const count = (text: string, part: string): number => (part === '' ? 0 : text.split(part).length - 1);

/** Whether what was sampled is still there, as it was, when the template renders the conversation further on. */
function prefixChecks(conversation: Conversation, mode: string, thinks: boolean): TemplateCheck[] {
  const prompt = conversation.render([question], true);
  const words = 'Let me see.';
  const content = thinks ? `<think>\nA thought.\n</think>\n\n${words}` : words;
  const sampled = opensThought(prompt) ? content.slice('<think>\n'.length) : content;
  const told: Message = { role: 'assistant', content };
  const result: Message = { role: 'tool', content: output };
  const { closing, rest } = conversation.increment([question], [output]);
  const first = prompt + sampled + closing;
  const after = (name: string, expected: string, history: Message[], matters: boolean): TemplateCheck => {
    const rendered = conversation.render(history, true);
    const check = { name: `${name}${mode}` };
    if (rendered.startsWith(expected)) return { ...check, ok: true, says: 'The history stays as it was sampled.' };
    const [before, now] = [[...expected], [...rendered]];
    const at = before.findIndex((character, i) => character !== now[i]);
    const part = (whole: string[]) => JSON.stringify(whole.slice(Math.max(0, at - 12), at + 24).join(''));
    const what = `The template rewrites the history: ${part(before)} becomes ${part(now)} at character ${at}.`;
    if (matters) return { ...check, ok: false, says: what, remedies };
    return {
      ...check,
      ok: null,
      says: `${what} A trajectory has one question, so that only longer conversations mind.`,
    };
  };
  return [
    after('prefix after a result', first, [question, told, result], true),
    after(
      'prefix after another question',
      first + rest + sampled + closing,
      [question, told, result, told, question],
      false,
    ),
  ];
}

function endCheck(
  conversation: Conversation,
  tokenizer: ModelTokenizer | undefined,
  endToken: string | undefined,
): TemplateCheck {
  const closing = conversation.closing([question]);
  const name = 'end of turn';
  if (!tokenizer) return { name, ok: null, says: `A turn ends with ${JSON.stringify(closing)}.` };
  const [end, ...rest] = tokenizer.encodeMarkup(closing);
  const ends = end === undefined ? '' : tokenizer.decode([end]);
  if (end === undefined || !tokenizer.isAdded(end)) {
    const says = `A turn ends with ${JSON.stringify(closing)}, which is no token of its own: nothing stops the sampler, and the end of a turn is not trained.`;
    return { name, ok: false, says };
  }
  const added =
    rest.length === 0 ? '' : ` ${JSON.stringify(tokenizer.decode(rest))} behind it is added, and not trained.`;
  if (endToken === undefined || endToken === ends) {
    const given =
      endToken === undefined ? 'where the sampler stops on it and returns it' : 'it is the end token of the model';
    return { name, ok: true, says: `Trained: a turn ends with ${ends} (${end}); ${given}.${added}` };
  }
  const says = `Not trained: a turn ends with ${ends} (${end}), but the model's end token is ${endToken}.${added}`;
  return { name, ok: false, says, remedies: [`Give ${ends} to the sampler as a stop.`] };
}
