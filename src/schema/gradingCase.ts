import * as z from 'zod';
import { StopReason, Turn } from './trajectory';

/** A line of a file for `retool grade`: an answer, a text that holds one, or a trajectory, with the gold answer. */
export const GradeCase = z
  .union(
    [
      z.looseObject({ gold: z.string(), prediction: z.string() }),
      z.looseObject({ gold: z.string(), turns: z.array(Turn), stop: StopReason }),
      z.looseObject({ gold: z.string(), text: z.string() }),
    ],
    { error: 'needs the texts "gold" and "prediction", or "gold" and "text"' },
  )
  .refine((line) => !('equal' in line) || typeof line.equal === 'boolean', {
    error: 'the field "equal" is neither true nor false',
  });
export type GradeCase = z.infer<typeof GradeCase>;

/** A line of a file for `retool extract`. */
export const ExtractCase = z.looseObject({ text: z.string() }, { error: 'needs the field "text"' });
export type ExtractCase = z.infer<typeof ExtractCase>;
