import * as z from 'zod';
import { StopReason, Turn } from './trajectory';

/** What is wrong with a line whose answer is a number: its digits are the answer, and reading it would change them. */
function unquoted(line: unknown): string | undefined {
  const fields = Object.entries(line ?? {}).filter(([name]) => ['gold', 'prediction', 'text'].includes(name));
  const [name] = fields.find(([, value]) => typeof value === 'number') ?? [];
  return name && `the field "${name}" is a number and has to be a text: put it in quotes`;
}

/** A line of a file for `retool grade`: an answer, a text that holds one, or a trajectory, with the gold answer. */
export const GradeCase = z
  .union(
    [
      z.looseObject({ gold: z.string(), prediction: z.string() }),
      z.looseObject({ gold: z.string(), turns: z.array(Turn), stop: StopReason }),
      z.looseObject({ gold: z.string(), text: z.string() }),
    ],
    { error: ({ input }) => unquoted(input) ?? 'needs the texts "gold" and "prediction", or "gold" and "text"' },
  )
  .refine((line) => !('equal' in line) || typeof line.equal === 'boolean', {
    error: 'the field "equal" is neither true nor false',
  });
export type GradeCase = z.infer<typeof GradeCase>;

/** A line of a file for `retool extract`. */
export const ExtractCase = z.looseObject({
  text: z.string(),
  expected_boxed: z.string().nullable().optional(),
  dapo_strict: z.string().nullable().optional(),
});
export type ExtractCase = z.infer<typeof ExtractCase>;
