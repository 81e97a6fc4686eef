/** Sequences a thread may be ahead of the least busy one for the sake of what it has cached. */
const slack = 8;

/** Prefixes remembered per snapshot; beyond it routing is by load alone. */
const rememberedPrefixes = 100_000;

/**
 * Chooses the thread for a request: the one that computed the longest prefix of its prompt, unless it is much busier
 * than another. A wrong choice costs time and changes no result.
 */
export class SamplingRouter {
  private readonly load: number[];
  /** Per snapshot, the hash of a token sequence to the thread that holds it. */
  private readonly holders = new Map<string, Map<number, number>>();

  constructor(threads: number) {
    this.load = Array<number>(threads).fill(0);
  }

  /** @returns the thread, whose load grows until `leave`. */
  enter(snapshot: string, prompt: Int32Array): number {
    const least = this.load.indexOf(Math.min(...this.load));
    const holder = this.findHolder(snapshot, prompt);
    const thread = holder !== undefined && this.load[holder]! <= this.load[least]! + slack ? holder : least;
    this.load[thread]! += 1;
    this.remember(snapshot, prompt, thread);
    return thread;
  }

  /** @param sequence prompt and result, when there is one: a later prompt may extend it. */
  leave(thread: number, snapshot: string, sequence?: Int32Array): void {
    this.load[thread]! -= 1;
    if (sequence) this.remember(snapshot, sequence, thread);
  }

  forget(snapshot: string): void {
    this.holders.delete(snapshot);
  }

  private findHolder(snapshot: string, prompt: Int32Array): number | undefined {
    const holders = this.holders.get(snapshot);
    let hash = 0;
    let holder: number | undefined;
    for (const token of prompt) {
      hash = extend(hash, token);
      holder = holders?.get(hash) ?? holder;
    }
    return holder;
  }

  private remember(snapshot: string, tokens: Int32Array, thread: number): void {
    const holders = this.holders.get(snapshot) ?? new Map<number, number>();
    this.holders.set(snapshot, holders);
    if (holders.size < rememberedPrefixes) holders.set(tokens.reduce(extend, 0), thread);
  }
}

function extend(hash: number, token: number): number {
  const mixed = Math.imul(hash ^ (token + 1), 0x9e3779b1);
  return mixed ^ (mixed >>> 15);
}
