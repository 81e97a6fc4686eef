import * as z from 'zod';

/** What the local trainer's process is started with: its one argument, as JSON. */
export const TrainerArguments = z.object({
  shape: z.object({ width: z.int(), layers: z.int(), heads: z.int(), context: z.int() }),
  threads: z.int().min(0).describe('0 takes 2 where there are 2 cores.'),
  directory: z.string().min(1).describe('Folder of the checkpoints.'),
  port: z.int().min(0).max(65_535).describe('0 takes any free port.'),
});
export type TrainerArguments = z.infer<typeof TrainerArguments>;

/** Environment variable that holds the trainer's key. Arguments can be read by others on the machine. */
export const trainerKeyVariable = 'RETOOL_TRAINER_KEY';

/** How the local trainer rounds sums of products: `fma` once, `plain` twice. Results of the two differ in their last bits. */
export const KernelKind = z.enum(['fma', 'plain']);
export type KernelKind = z.infer<typeof KernelKind>;

/** The one line that the trainer's process prints: where it listens, or why it does not. */
export const TrainerLine = z.union([
  z.object({ url: z.string(), pid: z.int(), kernels: KernelKind }),
  z.object({ error: z.string(), hint: z.string().optional() }),
]);
export type TrainerLine = z.infer<typeof TrainerLine>;
