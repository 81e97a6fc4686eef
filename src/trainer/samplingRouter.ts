/** How many more sequences a thread may have than the least busy one and still be given an equal prompt. */
const groupSlack = 8;

/** Prefixes remembered per snapshot; beyond it routing is by load alone. */
const rememberedPrefixes = 100_000;

interface Holder {
  readonly thread: number;
  readonly slack: number;
}

/**
 * Chooses the thread for a request: the one that computed the longest prefix of its prompt, or else the least busy. A
 * prompt that goes on from a finished sequence always follows it; the equal prompts of a group spread when there are
 * many. The choice costs or saves time and changes no result.
 */
export class SamplingRouter {
  private readonly load: number[];
  /** Per snapshot, the hash of a token sequence to the thread that holds it. */
  private readonly holders = new Map<string, Map<number, Holder>>();

  constructor(threads: number) {
    this.load = Array<number>(threads).fill(0);
  }

  /** @returns the thread, whose load grows until `leave`. */
  enter(snapshot: string, prompt: Int32Array): number {
    const least = this.load.indexOf(Math.min(...this.load));
    const holder = this.findHolder(snapshot, prompt);
    const follows = holder && this.load[holder.thread]! <= this.load[least]! + holder.slack;
    const thread = follows ? holder.thread : least;
    this.load[thread]! += 1;
    this.remember(snapshot, prompt, { thread, slack: groupSlack });
    return thread;
  }

  /** @param sequence prompt and result, when there is one: a later prompt may extend it. */
  leave(thread: number, snapshot: string, sequence?: Int32Array): void {
    this.load[thread]! -= 1;
    if (sequence) this.remember(snapshot, sequence, { thread, slack: Number.POSITIVE_INFINITY });
  }

  forget(snapshot: string): void {
    this.holders.delete(snapshot);
  }

  private findHolder(snapshot: string, prompt: Int32Array): Holder | undefined {
    const holders = this.holders.get(snapshot);
    let hash = 0;
    let holder: Holder | undefined;
    for (const token of prompt) {
      hash = extend(hash, token);
      holder = holders?.get(hash) ?? holder;
    }
    return holder;
  }

  private remember(snapshot: string, tokens: Int32Array, holder: Holder): void {
    const holders = this.holders.get(snapshot) ?? new Map<number, Holder>();
    this.holders.set(snapshot, holders);
    if (holders.size < rememberedPrefixes) holders.set(tokens.reduce(extend, 0), holder);
  }
}

function extend(hash: number, token: number): number {
  const mixed = Math.imul(hash ^ (token + 1), 0x9e3779b1);
  return mixed ^ (mixed >>> 15);
}
