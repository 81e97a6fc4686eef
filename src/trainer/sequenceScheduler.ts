import { RetoolError } from '../lib/errors';
import { chooseToken, likeliestToken, uniformAt } from './chooseToken';
import { Decoder, type Distribution, type StepRow, stepRows } from './decoder';
import type { ModelShape, SampledSequence, SamplingRequest } from './engine';
import { blockBytes, blockPositions, logprobOf } from './forwardPass';
import { KeyValueBlocks } from './keyValueBlocks';
import type { Layout } from './layout';
import { PackedWeights } from './packedWeights';
import { Sequence } from './sequence';
import type { WasmMemory } from './wasmMemory';

/** Sequences advanced together; more wait their turn. */
const liveSequences = stepRows;

/** Prompt tokens computed per step, so that a long prompt does not hold up the sequences that are being sampled. */
const promptRows = 2 * stepRows;

interface PendingRow extends StepRow {
  readonly sequence: Sequence;
}

export type Finished = (id: number, result: SampledSequence | RetoolError) => void;

/**
 * Continuous batching on one thread: every step computes the next token of each live sequence and a share of the new
 * prompts. Finished sequences stay parked with their keys and values until memory runs short, oldest first.
 */
export class SequenceScheduler {
  private readonly memory: WasmMemory;
  private readonly shape: ModelShape;
  private readonly layout: Layout;
  private readonly decoder: Decoder;
  private readonly blocks: KeyValueBlocks;
  private readonly capacity: number;
  private readonly finished: Finished;
  private readonly snapshots = new Map<string, PackedWeights>();
  private waiting: Sequence[] = [];
  private live: Sequence[] = [];
  /** Least recently used first. */
  private readonly parked = new Set<Sequence>();

  /** @param cacheBytes for keys and values; a single longer sequence is let through. */
  constructor(memory: WasmMemory, shape: ModelShape, layout: Layout, cacheBytes: number, finished: Finished) {
    this.memory = memory;
    this.shape = shape;
    this.layout = layout;
    this.decoder = new Decoder(memory, shape);
    const bytes = shape.layers * blockBytes(shape);
    this.blocks = new KeyValueBlocks(memory, bytes);
    this.capacity = Math.floor(cacheBytes / bytes);
    this.finished = finished;
  }

  get isIdle(): boolean {
    return this.live.length === 0 && this.waiting.length === 0;
  }

  submit(id: number, snapshot: string, weights: Float32Array, request: SamplingRequest): void {
    if (!this.snapshots.has(snapshot)) {
      const packed = new PackedWeights(this.memory, this.shape, this.layout, false);
      packed.load(weights);
      this.snapshots.set(snapshot, packed);
    }
    this.waiting.push(new Sequence(id, snapshot, request));
  }

  abort(id: number): void {
    this.waiting = this.waiting.filter((sequence) => sequence.id !== id);
    const gone = this.live.find((sequence) => sequence.id === id);
    if (gone) this.drop(gone);
  }

  releaseSnapshot(snapshot: string): void {
    const error = new RetoolError('data', 'The weights were released while they were being sampled from.');
    for (const sequence of [...this.live, ...this.waiting, ...this.parked]) {
      if (sequence.snapshot !== snapshot) continue;
      if (!this.parked.has(sequence)) this.finished(sequence.id, error);
      this.drop(sequence);
    }
    this.waiting = this.waiting.filter((sequence) => sequence.snapshot !== snapshot);
    this.snapshots.get(snapshot)?.free();
    this.snapshots.delete(snapshot);
  }

  /** Computes one step of every live sequence. */
  step(): void {
    this.admit();
    for (const snapshot of new Set(this.live.map((sequence) => sequence.snapshot))) {
      const rows = this.nextRows(this.live.filter((sequence) => sequence.snapshot === snapshot));
      for (let start = 0; start < rows.length; start += stepRows) {
        this.decoder.step(this.snapshots.get(snapshot)!, rows.slice(start, start + stepRows), (row, result) =>
          this.read(row, result),
        );
      }
    }
    for (const sequence of this.live) {
      if (!sequence.isFinished || sequence.computed < sequence.request.prompt.length) continue;
      this.parked.add(sequence);
      this.finished(sequence.id, sequence.result());
    }
    this.live = this.live.filter((sequence) => !this.parked.has(sequence));
  }

  private admit(): void {
    const deferred: Sequence[] = [];
    let reserved = this.live.reduce((sum, sequence) => sum + blocksOf(sequence.tokens.length), 0);
    while (this.waiting.length > 0 && this.live.length < liveSequences) {
      const sequence = this.waiting[0]!;
      reserved += blocksOf(sequence.tokens.length);
      if (this.live.length > 0 && reserved > this.capacity) break;
      this.waiting.shift();
      if (this.adoptPrefix(sequence)) this.live.push(sequence);
      else deferred.push(sequence);
    }
    this.waiting.unshift(...deferred);
  }

  /**
   * Starts a sequence with the keys and values of the longest known prefix of its prompt. The last prompt token is
   * always computed, for its logits.
   *
   * @returns false when a live sequence is about to compute a longer one: the next step will find it.
   */
  private adoptPrefix(sequence: Sequence): boolean {
    const { prompt, promptLogprobs } = sequence.request;
    if (promptLogprobs) return true;
    const useful = prompt.subarray(0, -1);
    let source: Sequence | undefined;
    let known = 0;
    let awaited = 0;
    for (const candidate of [...this.live, ...this.parked]) {
      if (candidate.snapshot !== sequence.snapshot) continue;
      const common = candidate.commonPrefix(useful, known);
      awaited = Math.max(awaited, common);
      if (Math.min(common, candidate.computed) <= known) continue;
      known = Math.min(common, candidate.computed);
      source = candidate;
    }
    if (awaited >= known + blockPositions) return false;
    if (!source) return true;

    sequence.cached = sequence.computed = known;
    if (this.parked.has(source) && known === source.computed) {
      this.parked.delete(source);
      sequence.blocks = source.blocks;
      return true;
    }
    if (this.parked.delete(source)) this.parked.add(source);
    const whole = Math.floor(known / blockPositions);
    sequence.blocks = source.blocks.slice(0, whole).map((block) => this.blocks.share(block));
    if (known % blockPositions > 0) {
      this.makeRoom();
      sequence.blocks.push(this.blocks.copy(source.blocks[whole]!));
    }
    return true;
  }

  private nextRows(sequences: readonly Sequence[]): PendingRow[] {
    const rows: PendingRow[] = [];
    let budget = promptRows;
    for (const sequence of sequences) {
      const pending = sequence.length - sequence.computed;
      const count = pending === 1 ? 1 : Math.min(pending, budget);
      if (pending > 1) budget -= count;
      const { tokens, blocks } = sequence;
      for (let i = 0; i < count; i++) {
        const position = sequence.computed + i;
        const wantsLogits = sequence.request.promptLogprobs || position === sequence.length - 1;
        rows.push({ sequence, tokens, blocks, position, wantsLogits });
      }
      sequence.computed += count;
      while (blocks.length < blocksOf(sequence.computed)) {
        this.makeRoom();
        blocks.push(this.blocks.take());
      }
    }
    return rows;
  }

  private read({ sequence, position }: PendingRow, result: Distribution): void {
    const { request } = sequence;
    const logprob = (token: number) => logprobOf(result.logits[token]!, result.logSum);
    if (request.promptLogprobs && position + 1 < request.prompt.length) {
      sequence.notePromptLogprob(position + 1, logprob(request.prompt[position + 1]!));
    }
    if (position < sequence.length - 1 || sequence.isFinished) return;
    const token = this.choose(sequence, result);
    if (token >= 0) {
      sequence.append(token, logprob(token));
      return;
    }
    this.finished(sequence.id, new RetoolError('data', 'The weights to sample from are not finite.'));
    this.drop(sequence);
  }

  private choose(sequence: Sequence, { logits, weights }: Distribution): number {
    const { temperature, topK, topP, seed } = sequence.request;
    if (temperature === 0) return likeliestToken(logits);
    const tempered = temperature === 1 ? weights : this.decoder.temper(logits, temperature);
    return chooseToken({ weights: tempered, topK, topP }, uniformAt(seed, sequence.sampled));
  }

  private makeRoom(): void {
    for (const sequence of this.parked) {
      if (this.blocks.used < this.capacity) return;
      this.drop(sequence);
    }
  }

  private drop(sequence: Sequence): void {
    this.parked.delete(sequence);
    this.live = this.live.filter((other) => other !== sequence);
    for (const block of sequence.blocks) this.blocks.release(block);
    sequence.blocks = [];
  }
}

const blocksOf = (positions: number) => Math.ceil(positions / blockPositions);
