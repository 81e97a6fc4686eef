import * as z from 'zod';
import { Trajectory } from './trajectory';

/**
 * How a model may solve the problems: `tool` as the experiment trains it, `text` without running any code. The
 * reference calls them retool and text-only.
 */
export const EvaluationMode = z.enum(['tool', 'text']);
export type EvaluationMode = z.infer<typeof EvaluationMode>;

/** Whose samples they are. */
export const EvaluationSubject = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('checkpoint'),
    /** Undefined for the model before any training. */
    path: z.string().optional().describe("The service's path of the checkpoint; none for the model before training."),
    phase: z.enum(['coldStart', 'reinforcement']),
    step: z.int().min(0),
  }),
  z.object({
    kind: z.literal('endpoint'),
    url: z.string().describe('Without key.'),
    model: z.string(),
  }),
  z.object({ kind: z.literal('imported'), from: z.string(), model: z.string() }),
]);
export type EvaluationSubject = z.infer<typeof EvaluationSubject>;

/** More is no evaluation that anybody makes, but a broken file. */
const [mostProblems, mostSamples] = [1_000_000, 65_536];

/**
 * Everything on which the result depends besides the model. Two evaluations are comparable when theirs are equal; its
 * hash is the fingerprint. What an imported file does not say is left out.
 */
export const EvaluationProtocol = z.object({
  dataset: z.object({
    name: z.string(),
    problems: z.int().min(1).max(mostProblems),
    digest: z.string().optional().describe('SHA-256 over the questions and gold answers, in order.'),
  }),
  mode: EvaluationMode,
  samples: z.int().min(1).max(mostSamples).describe('Per problem, n.'),
  temperature: z.number(),
  topP: z.number(),
  topK: z.int().describe('-1 is off.'),
  seed: z.int().optional(),
  settings: z
    .record(z.string(), z.unknown())
    .describe('Fields of the experiment that act on a rollout or its grade: protocol, budgets, reward and so on.'),
});
export type EvaluationProtocol = z.infer<typeof EvaluationProtocol>;

/** What an evaluation was asked for; it stands beside its results. */
export const EvaluationRequest = z.object({
  version: z.literal(1),
  id: z.string().regex(/^[\w.-]+$/),
  /** Of the product. */
  by: z.string(),
  created: z.iso.datetime(),
  reason: z.enum(['asked', 'automatic', 'imported']),
  subject: EvaluationSubject,
  source: z.string().optional().describe('The data set as it was asked for, a file by its whole path: to go on from.'),
  protocol: EvaluationProtocol,
  result: z
    .object({ average: z.number(), interval: z.object({ low: z.number(), high: z.number() }).nullable() })
    .optional()
    .describe('What the lines of an imported file make, whatever its summary says.'),
});
export type EvaluationRequest = z.infer<typeof EvaluationRequest>;

/** One generation in the format of the PyTRIO reference, with our own fields where we made it. */
export const EvaluatedGeneration = z.looseObject({
  predicted_answer: z.string().nullish(),
  boxed_answer: z.string().nullish(),
  correct: z.boolean(),
  formatted: z.boolean(),
  code_calls: z.int().min(0),
  turns: z.int().min(0),
  completion_tokens: z.int().min(0),
  text: z.string(),
  trajectory: Trajectory.optional(),
});
export type EvaluatedGeneration = z.infer<typeof EvaluatedGeneration>;

/** A line of the reference's format. */
export const EvaluatedProblem = z.looseObject({
  type: z.literal('problem'),
  problem_id: z.union([z.string(), z.int()]).transform(String),
  problem: z.string(),
  ground_truth: z.union([z.string(), z.number()]).transform(String),
  val_n: z.int().min(1),
  num_correct: z.int(),
  pass_at_n: z.union([z.boolean(), z.number()]).transform(Boolean),
  generations: z.array(EvaluatedGeneration),
});
export type EvaluatedProblem = z.infer<typeof EvaluatedProblem>;

/** The last line of the reference's format. */
export const EvaluationSummary = z.looseObject({
  type: z.literal('summary'),
  dataset: z.string(),
  mode: z.string(),
  base_model: z.string(),
  model_path: z.string().nullish(),
  temperature: z.number().min(0),
  top_p: z.number(),
  top_k: z.int(),
  val_n: z.int().min(1),
  problems: z.int(),
  generations: z.int(),
  average_at_n: z.number(),
  pass_at_n: z.number(),
  format_rate: z.number(),
  mean_code_calls: z.number(),
  mean_turns: z.number(),
  correct_generations: z.int(),
  passed_problems: z.int(),
  interval: z.object({ low: z.number(), high: z.number() }).nullish().describe('95 % of average_at_n. Ours.'),
  mean_completion_tokens: z.number().nullish().describe('Sampled ones of a generation. Ours.'),
  mean_prompt_tokens: z.number().nullish().describe("Of all prompts of a generation's turns together. Ours."),
  seconds_per_generation: z.number().nullish().describe('Of the clock, many being sampled at once. Ours.'),
});
export type EvaluationSummary = z.infer<typeof EvaluationSummary>;
