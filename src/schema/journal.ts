import * as z from 'zod';
import { KernelKind } from './trainerProcess';

export const Phase = z.enum(['coldStart', 'reinforcement']);
export type Phase = z.infer<typeof Phase>;

/** Metric name to value: `area/name`, unit in the name where there is one. Never NaN: a missing value is left out. */
export const Metrics = z.record(z.string(), z.number());
export type Metrics = z.infer<typeof Metrics>;

/** Rates over an evaluation: shares in 0..1. */
export const EvaluationResult = z.object({
  problems: z.int(),
  samples: z.int(),
  correct: z.number(),
  interval: z
    .object({ low: z.number(), high: z.number() })
    .optional()
    .describe('95 % of `correct`, over problems; where each was sampled more than once.'),
  scores: z
    .array(z.tuple([z.int(), z.int()]))
    .optional()
    .describe('Correct and counted samples of each problem, in the order of the set; older journals have none.'),
  change: z
    .object({
      problems: z.int(),
      difference: z.number(),
      low: z.number(),
      high: z.number(),
      standardError: z.number().nullable(),
      better: z.int(),
      worse: z.int(),
    })
    .optional()
    .describe('Of the share correct of each problem, since the evaluation before the reinforcement.'),
  tool: z.number().describe('Share of trajectories with at least one call.'),
  format: z.number(),
  unknown: z.number().optional().describe('Share whose answer was not understood; older journals have none.'),
  correctWithTool: z.number().nullable().describe('Share correct among those that called the tool; null if none did.'),
  infrastructure: z.int().describe('Trajectories left out because sandbox or service failed.'),
  tokens: z.int().optional().describe('Sampled for it; older journals have none.'),
  byKind: z.record(z.string(), z.object({ samples: z.int(), correct: z.number(), tool: z.number() })),
});
export type EvaluationResult = z.infer<typeof EvaluationResult>;

const Python = z.object({
  path: z.string(),
  version: z.string(),
  level: z.string().describe('Isolation level of the sandbox.'),
  packages: z.record(z.string(), z.string()).optional().describe('Versions of numpy and sympy, where installed.'),
});

const line = { seq: z.int().min(1), time: z.iso.datetime() };
const at = { phase: Phase, step: z.int().min(0) };

/** One line of a run's journal: a fact, in the past tense. `seq` starts at 1 and grows by one. */
export const JournalRecord = z.discriminatedUnion('kind', [
  z.object({
    ...line,
    kind: z.literal('started'),
    name: z.string(),
    seed: z.int(),
    version: z.string(),
    coldStartSteps: z.int(),
    reinforcementSteps: z.int(),
    demonstrationsPerStep: z.int().optional(),
    rolloutsPerStep: z.int().optional(),
    evaluationRollouts: z.int().optional().describe('Of each evaluation; 0 when there is none.'),
    evaluateEvery: z.int().optional().describe('Steps of the reinforcement between two evaluations within it.'),
    problems: z.object({
      train: z.int(),
      evaluation: z.int(),
      leftOut: z.int().describe('Problems and demonstrations that do not fit the context.'),
      repeated: z.int().optional().describe('Records that repeat a question.'),
      contradictory: z.int().optional().describe('Records of questions that have different answers.'),
    }),
    service: z.object({
      kind: z.string(),
      parameters: z.int().optional(),
      url: z.string().optional().describe('Of a trainer that ran already.'),
    }),
    python: Python,
  }),
  z.object({
    ...line,
    kind: z.literal('resumed'),
    attempt: z.int(),
    ...at,
    checkpoint: z.string().nullable(),
    python: Python.optional(),
  }),
  z.object({ ...line, kind: z.literal('trainerStarted'), kernels: KernelKind }),
  z.object({ ...line, kind: z.literal('step'), ...at, metrics: Metrics }),
  z.object({ ...line, kind: z.literal('checkpoint'), ...at, path: z.string() }),
  z.object({ ...line, kind: z.literal('discarded'), path: z.string() }),
  z.object({ ...line, kind: z.literal('evaluationStarted'), id: z.string(), ...at, samples: z.int() }),
  z.object({ ...line, kind: z.literal('evaluationProgressed'), id: z.string(), done: z.int() }),
  z.object({ ...line, kind: z.literal('evaluated'), id: z.string(), ...at, result: EvaluationResult }),
  z.object({
    ...line,
    kind: z.literal('noticed'),
    ...at,
    level: z.enum(['info', 'warning']),
    message: z.string(),
    service: z
      .enum(['silent', 'answers'])
      .optional()
      .describe('Whether the training service does not answer, or does again.'),
  }),
  z.object({
    ...line,
    kind: z.literal('ended'),
    outcome: z.enum(['completed', 'stopped', 'failed']),
    message: z.string().optional(),
    hint: z.string().optional(),
  }),
]);
export type JournalRecord = z.infer<typeof JournalRecord>;

type Unnumbered<T> = T extends unknown ? Omit<T, 'seq' | 'time'> : never;
/** A fact before the journal has numbered it. */
export type JournalEntry = Unnumbered<JournalRecord>;
