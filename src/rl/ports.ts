import type { JournalEntry } from '../schema/journal';
import type { Grade, Irregularity, Problem, StopReason, ToolResult, Trajectory, Turn } from '../schema/trajectory';

/** Text to ids and back. */
export interface Tokenizer {
  /** Ids of plain text. Never yields a control token, whatever the text spells. */
  encode(text: string): number[];
  /** Readable text; control tokens are spelt out, broken UTF-8 becomes U+FFFD. */
  decode(ids: readonly number[]): string;
  /** @throws RetoolError `config` when the vocabulary has no such control token. */
  control(name: string): number;
  readonly vocabularySize: number;
}

/**
 * What ends a turn: ids, or texts of one token or more. What ended it is the end of the result. A text that is the name
 * of a control token is that token.
 */
export type Stop = readonly number[] | readonly string[];

export interface SampleRequest {
  readonly prompt: readonly number[];
  readonly maxTokens: number;
  readonly stop: Stop;
  readonly temperature: number;
  /** The fewest likeliest tokens of this probability are sampled from. Default: 1, all of them. */
  readonly topP?: number | undefined;
  /** So many of the likeliest tokens are sampled from. Default: all. */
  readonly topK?: number | undefined;
  /** Honoured by services that promise reproducibility; others are sent none. */
  readonly seed: number;
}

export interface Sample {
  readonly tokens: readonly number[];
  /** Nats, one per token. */
  readonly logprobs: readonly number[];
  readonly stop: 'stop' | 'length';
}

/** A frozen policy that can be sampled from. */
export interface Policy {
  sample(request: SampleRequest, signal: AbortSignal): Promise<Sample>;
  /** Lets the service drop what it holds for this policy. */
  release(): Promise<void>;
}

/** One training row. All arrays have the same length N; position t is about predicting `targets[t]` from `tokens[0..t]`. */
export interface Datum {
  readonly tokens: readonly number[];
  readonly targets: readonly number[];
  /** (N) 1 on tokens that the policy sampled (or that a demonstration teaches), else 0. */
  readonly mask: readonly number[];
  /** (N) nats at sampling; 0 where mask is 0. */
  readonly logprobs: readonly number[];
  /** (N) what the loss of this token is multiplied by: advantage or demonstration weight, already normalised; 0 where mask is 0. */
  readonly coefficients: readonly number[];
}

/** Losses are sums over tokens of a term times the coefficient; a service that reduces otherwise is converted to that. */
export type Loss =
  | { readonly kind: 'crossEntropy' }
  | { readonly kind: 'importanceSampling'; readonly entropyCoefficient?: number }
  | {
      readonly kind: 'ppo' | 'cispo';
      readonly clipLow: number;
      readonly clipHigh: number;
      readonly entropyCoefficient?: number;
    };

export interface LossResult {
  /** Per datum, the trainer's log-probability of each target, nats. Undefined where the service returns none. */
  readonly logprobs: readonly (readonly number[])[] | undefined;
  readonly metrics: Readonly<Record<string, number>>;
}

export interface AdamParameters {
  readonly learningRate: number;
  readonly beta1: number;
  readonly beta2: number;
  readonly epsilon: number;
  readonly weightDecay: number;
  /** Global norm; 0 is off. */
  readonly gradientClip: number;
}

/** A trainable model on a service. Calls are executed in the order in which they are made. */
export interface Trainer {
  /** A sampler of the weights as they are after the calls made so far. */
  policy(): Promise<Policy>;
  forward(datums: readonly Datum[], loss: Loss): Promise<LossResult>;
  /**
   * Adds to the accumulated gradient.
   *
   * @param updateRows rows of all calls up to the next `optimStep`, which some services divide by. Default: those of this
   * call.
   */
  forwardBackward(datums: readonly Datum[], loss: Loss, updateRows?: number): Promise<LossResult>;
  /** Consumes the accumulated gradient. @returns metrics under the service's own names, `grad_norm` where it is told. */
  optimStep(adam: AdamParameters): Promise<Readonly<Record<string, number>>>;
  /** Saves weights, optimizer and step count under a name that is unique within the run. @returns the service's path. */
  save(name: string): Promise<string>;
  /** Deletes a saved state. Missing is fine. */
  discard(path: string): Promise<void>;
}

export interface Sandbox {
  /** Never rejects because of what the code did: that is a result. Rejects on abort. @param seed of Python's `random`. */
  run(code: string, seed: number, signal: AbortSignal): Promise<ToolResult>;
}

/** What a turn was, as the protocol reads it. */
export type Reading = (
  | { readonly kind: 'call'; readonly code: string }
  | { readonly kind: 'answer' }
  | { readonly kind: 'malformed'; readonly reason: string }
) & { readonly irregular?: readonly Irregularity[] };

/** How a model asks for code and gets its output: everything that differs between prompt formats. */
export interface ToolProtocol {
  readonly name: string;
  readonly stop: Stop;
  /** Ids that end the turn of one who does not call; they alone end a turn in which no call is heeded. */
  readonly endOfTurn: readonly number[];
  /** Ids of the first prompt, up to where the model begins. */
  prompt(problem: Problem): number[];
  read(tokens: readonly number[]): Reading;
  /** The text that a model is shown of a result, before it is cut to its token budget. */
  observe(result: ToolResult): string;
  /**
   * Ids to append after a call: closing tokens that the sampler left out, the observation, the header of the next turn.
   * @param tokens of the turn that made the call.
   * @param observationTokens most ids that the observation itself may take; longer ones are cut.
   */
  continuation(tokens: readonly number[], observation: string, observationTokens: number): number[];
  /** Ids of a demonstrated turn that calls `code`, or that answers. What the model would have sampled, stop id included. */
  call(code: string): number[];
  answer(text: string): number[];
}

/** What a reward rule is given: the structured trajectory, so that only the model's own text can hold the answer. */
export interface Gradable {
  readonly gold: string;
  readonly turns: readonly Turn[];
  readonly stop: StopReason;
}

export interface RewardRule {
  readonly name: string;
  grade(trajectory: Gradable): Grade;
}

/** What a service can compute by itself. */
export interface LossOffers {
  readonly losses: readonly Loss['kind'][];
  readonly entropy: boolean;
}

/** Where trainable models come from. */
export interface TrainingService {
  readonly offers: LossOffers;
  /** @param seed of the initial weights, where the service starts from random ones. */
  create(seed: number): Promise<Trainer>;
  /** A model that goes on from a saved state. @param optimizer false leaves the optimizer fresh. */
  load(path: string, optimizer: boolean): Promise<Trainer>;
}

/** What a run remembers. Entries are facts that have happened; they reach the disk in order. */
export interface RunLog {
  append(entry: JournalEntry): Promise<unknown>;
  /** Resolves when everything appended so far would survive a power cut. */
  commit(): Promise<void>;
  rollouts(step: number, trajectories: readonly Trajectory[]): Promise<void>;
  evaluation(id: string, trajectories: readonly Trajectory[]): Promise<void>;
}

/** Seconds since some fixed moment. Only `time/*` and `perf/*` metrics may depend on it. */
export type Clock = () => number;
