import * as z from 'zod';

/** Names of the reward rules; `src/grading/rewardRules.ts` says what each does. */
export const RewardRuleName = z.enum([
  'boxed-rational',
  'last-box-math',
  'box-300-math',
  'dapo-strict-box-100-eq',
  'retool-eval',
  'torl',
  'torl-execution-penalty',
  'torl-format',
  'verl-retool',
  'verl-retool-cap-0',
  'slime-retool',
  'dapo-overlong',
  'tinker-format',
]);
export type RewardRuleName = z.infer<typeof RewardRuleName>;

/** Something that a reward rule adds to the reward of an answer. */
export const RewardAdjustment = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('toolShaping').describe('A wrong answer loses less the more tools were called.'),
    count: z
      .enum(['verl', 'slime'])
      .default('verl')
      .describe('verl counts turns, 2k+2 for k calls; slime counts calls.'),
    cap: z.number().default(-0.6).describe('Most that a shaped reward may be.'),
  }),
  z.strictObject({
    kind: z.literal('executionPenalty').describe('Taken off when the last execution failed.'),
    amount: z.number().min(0).default(0.5).describe('How much.'),
    withoutCode: z.boolean().default(false).describe('Also taken off when no code was run, as ToRL does.'),
  }),
  z.strictObject({
    kind: z.literal('overlong').describe("DAPO's penalty of long answers."),
    limit: z.int().min(1).default(20_480).describe('Tokens after the prompt at which the penalty is whole.'),
    buffer: z.int().min(1).default(4096).describe('Tokens before the limit over which it rises.'),
    factor: z.number().min(0).default(1).describe('The whole penalty.'),
  }),
  z.strictObject({
    kind: z.literal('format').describe('Added according to whether there is a box.'),
    boxed: z.number().default(0).describe('Added to a wrong answer in a box.'),
    missing: z.number().default(-0.1).describe('Added where there is no box.'),
  }),
]);
export type RewardAdjustment = z.infer<typeof RewardAdjustment>;

export const Reward = z.strictObject({
  rule: RewardRuleName.default('boxed-rational').describe('How an answer is found, compared and paid.'),
  correct: z.number().optional().describe("Reward of a right answer. Default: the rule's own, which is 1."),
  incorrect: z
    .number()
    .optional()
    .describe("Reward of anything else. Default: the rule's own, which is -1, or 0 under tinker-format."),
  adjustments: z.array(RewardAdjustment).default([]).describe('What is added to the rule, in this order.'),
});
