import type { SampledSequence, SamplingRequest } from './engine';

/** One sequence being sampled, or parked after it so that a longer prompt can go on from it. */
export class Sequence {
  readonly id: number;
  readonly snapshot: string;
  readonly request: SamplingRequest;
  /** Prompt and sampled tokens; the first `length` are known. */
  readonly tokens: Int32Array;
  length: number;
  /** Positions whose keys and values are in `blocks`. */
  computed = 0;
  blocks: number[] = [];
  cached = 0;
  private readonly logprobs: Float32Array;
  private readonly promptLogprobs: Float32Array;

  constructor(id: number, snapshot: string, request: SamplingRequest) {
    this.id = id;
    this.snapshot = snapshot;
    this.request = request;
    this.length = request.prompt.length;
    this.tokens = new Int32Array(this.length + request.maxTokens);
    this.tokens.set(request.prompt);
    this.logprobs = new Float32Array(request.maxTokens);
    this.promptLogprobs = new Float32Array(request.promptLogprobs ? this.length : 0).fill(Number.NaN);
  }

  /** Index of the next token among the sampled ones. */
  get sampled(): number {
    return this.length - this.request.prompt.length;
  }

  get isFinished(): boolean {
    return this.sampled === this.request.maxTokens || this.isStopped;
  }

  /** True when the sampled tokens end with a sequence that stops. The prompt is no part of one. */
  private get isStopped(): boolean {
    return this.request.stop.some(
      (ids) => ids.length <= this.sampled && ids.every((id, i) => this.tokens[this.length - ids.length + i] === id),
    );
  }

  append(token: number, logprob: number): void {
    this.logprobs[this.sampled] = logprob;
    this.tokens[this.length] = token;
    this.length += 1;
  }

  notePromptLogprob(position: number, logprob: number): void {
    this.promptLogprobs[position] = logprob;
  }

  /** How many of `prompt`'s first tokens this sequence begins with, if more than `atLeast`. */
  commonPrefix(prompt: Int32Array, atLeast: number): number {
    const limit = Math.min(this.length, prompt.length);
    if (limit <= atLeast || this.tokens[atLeast] !== prompt[atLeast]) return 0;
    let common = 0;
    while (common < limit && this.tokens[common] === prompt[common]) common += 1;
    return common;
  }

  result(): SampledSequence {
    const { request, length, sampled, cached, logprobs, promptLogprobs } = this;
    return {
      tokens: this.tokens.slice(request.prompt.length, length),
      logprobs: logprobs.slice(0, sampled),
      stopReason: this.isStopped ? 'stop' : 'length',
      cachedTokens: cached,
      promptLogprobs,
    };
  }
}
