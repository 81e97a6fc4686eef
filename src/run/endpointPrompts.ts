import type { EvaluationMode } from '../schema/evaluation';
import type { ProtocolName } from '../schema/rollout';

/** How a model behind an endpoint asks for code: as the API has it, or spelt out as a protocol does. */
export type EndpointTools = 'native' | Exclude<ProtocolName, 'compact'>;

const answer =
  'When you know the answer, end with one line that holds it in a box, like \\boxed{42}, and nothing after it.';

const habits = [
  'A program is complete in itself: it imports what it needs, and nothing is left of the one before.',
  'Only what it prints comes back. It has a few seconds, no files and no network; keep searches small.',
  'Make at most one call in a message, wait for its output, and do not give the answer in the same message.',
].join(' ');

const example = 'print(6 * 7)';

/** What a model is told of how a call is written. */
const spelt: Readonly<Record<EndpointTools, string>> = {
  native: 'You may run Python with the tool code_interpreter.',
  'retool-code': `You may run Python. Write it as\n<code>\n\`\`\`python\n${example}\n\`\`\`\n</code>\nand its output follows between <interpreter> and </interpreter>.`,
  'torl-fences': `You may run Python. Write it as\n\`\`\`python\n${example}\n\`\`\`\nfollowed by a line \`\`\`output, and its output follows there.`,
  'python-result': `You may run Python. Write it as\n<python>\n${example}\n</python>\nand its output follows between <result> and </result>.`,
  'qwen3-json': `You may run Python. Write a call as\n<tool_call>\n{"name": "code_interpreter", "arguments": {"code": ${JSON.stringify(example)}}}\n</tool_call>\nand its output follows in <tool_response>.`,
  'qwen3.5-xml': `You may run Python. Write a call as\n<tool_call>\n<function=code_interpreter>\n<parameter=code>\n${example}\n</parameter>\n</function>\n</tool_call>\nand its output follows in <tool_response>.`,
};

/** What stands before the question. */
export const systemPrompt = (mode: EvaluationMode, tools: EndpointTools): string =>
  mode === 'text'
    ? `Solve the problem step by step, in words and formulas alone: there is no tool. ${answer}`
    : `Solve the problem step by step. ${spelt[tools]}\n${habits}\n${answer}`;
