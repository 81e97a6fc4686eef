import { toolName } from '../protocols/readCall';
import type { Message } from './chatTemplate';

/** One thing that was tried with a template. `ok` is null where it says something that is neither good nor bad. */
export interface TemplateCheck {
  readonly name: string;
  readonly ok: boolean | null;
  /** A sentence. */
  readonly says: string;
  readonly remedies?: readonly string[];
}

/** The tool as templates are told of it. */
export const tools = [
  {
    type: 'function',
    function: {
      name: toolName,
      description: 'Runs Python code and returns what it prints.',
      parameters: {
        type: 'object',
        properties: { code: { type: 'string', description: 'The Python code to run.' } },
        required: ['code'],
      },
    },
  },
];

export const question: Message = { role: 'user', content: 'Compute 47*86.' };
export const code = 'print(47*86)';
export const output = '4042';
/** A whole trajectory: question, call, output. */
export const golden: readonly Message[] = [
  { role: 'system', content: 'You solve problems. 你可以用代码。' },
  question,
  {
    role: 'assistant',
    content: 'Let me compute it.',
    tool_calls: [{ type: 'function', function: { name: toolName, arguments: { code } } }],
  },
  { role: 'tool', content: output },
];
