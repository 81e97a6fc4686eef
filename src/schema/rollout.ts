import * as z from 'zod';

export const Budgets = z.strictObject({
  turns: z.int().min(1).max(1024).default(3).describe('Turns of the model per trajectory.'),
  calls: z.int().min(0).max(1024).default(2).describe('Code executions per trajectory.'),
  turnTokens: z.int().min(1).default(48).describe('Tokens the model may write in one turn.'),
  trajectoryTokens: z.int().min(8).default(96).describe('Tokens of a whole trajectory, prompt and output included.'),
  observationTokens: z.int().min(1).default(24).describe('Tokens of one output that the model is shown.'),
  beyondCalls: z
    .enum(['end', 'continueInText'])
    .default('end')
    .describe('A call beyond the budget ends the trajectory, or is text like any other.'),
});

export const MalformedCalls = z.strictObject({
  policy: z
    .enum(['end', 'feedBack', 'maskTurn', 'penalise', 'asAnswer'])
    .default('end')
    .describe(
      'What follows a call that cannot be read: the end, a word about it, that word and no training on the turn, the end with less reward, or the turn is graded as an answer.',
    ),
  retries: z.int().min(1).max(64).default(1).describe('How often a trajectory is told; then it ends.'),
  penalty: z.number().min(0).max(10).default(0.1).describe('Taken off the reward by the policy penalise.'),
  message: z
    .string()
    .min(1)
    .max(1000)
    .optional()
    .describe('What the model is told by feedBack and maskTurn. Default: what is wrong with its call.'),
});

/** How a model asks for code and gets its output; `src/protocols/protocols.ts` says what each is. */
export const ProtocolName = z.enum([
  'compact',
  'retool-code',
  'torl-fences',
  'python-result',
  'qwen3-json',
  'qwen3.5-xml',
]);
export type ProtocolName = z.infer<typeof ProtocolName>;

/** How code is read before it runs, and what of its output the model is shown. */
export const Observation = z.strictObject({
  errors: z
    .enum(['streams', 'lastLine', 'lastLineIfError', 'stderrOnly', 'labelled'])
    .optional()
    .describe(
      "What is shown: stdout and stderr as they are; the last line of an error alone; stdout, of which the last line if it says Error; stderr alone after an error; or both under headings. Default: the protocol's own form.",
    ),
  empty: z.string().max(1000).optional().describe('Shown where the code printed nothing. Default: None.'),
  timeout: z
    .string()
    .min(1)
    .max(1000)
    .optional()
    .describe("Shown instead of what was printed when time ran out. Default: the form's own."),
  characters: z
    .int()
    .min(16)
    .optional()
    .describe('Characters of an output that are shown; budgets.observationTokens holds besides.'),
  keep: z
    .enum(['headAndTail', 'head', 'tail'])
    .optional()
    .describe(
      'Part of a long output that is kept, by characters and by tokens. Default: headAndTail with characters; else the first tokens, without a mark.',
    ),
  marker: z
    .string()
    .max(200)
    .default('...')
    .describe('Stands where characters are left out, beside those that are kept. {count} becomes their number.'),
  tokenMarker: z
    .string()
    .max(200)
    .default('...')
    .describe('Stands where tokens are left out, and is one of budgets.observationTokens itself.'),
  lastExpression: z
    .enum(['value', 'off', 'printLastLine', 'whenSilent'])
    .default('value')
    .describe(
      'Whether the value of a last expression is printed; never; the last line is put into print(), whatever it is; or, where nothing was printed, all but the last line runs again and that is evaluated.',
    ),
  unfence: z
    .enum(['surrounding', 'firstPython', 'off'])
    .default('surrounding')
    .describe('Fence that is taken off code: one around all of it; the first ```python block anywhere; or none.'),
});

/** What a turn may hold beside one call. Without a value each protocol keeps the rule of the system it comes from. */
export const Calls = z.strictObject({
  several: z
    .enum(['first', 'last', 'malformed'])
    .optional()
    .describe(
      'Which of several calls is run, or that the turn is malformed. Default: qwen3-json the first, torl-fences the last, qwen3.5-xml malformed; with the others a call ends its turn.',
    ),
  withAnswer: z
    .enum(['call', 'answer'])
    .optional()
    .describe('What counts in a turn with a call and a box outside of it. Default: the call.'),
  textAfter: z
    .enum(['kept', 'malformed'])
    .optional()
    .describe(
      'Text behind a call is let be, or makes the turn malformed. Default: qwen3-json kept, qwen3.5-xml malformed; with the others a call ends its turn.',
    ),
});
