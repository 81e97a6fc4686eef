import type { WasmMemory } from './wasmMemory';

/** Blocks are taken from memory this many at a time. */
const slabBlocks = 32;

/**
 * Keys and values of sequences, in blocks of 16 positions that sequences with a common prefix share. A block is written
 * only by its first owner, and only while it has one.
 */
export class KeyValueBlocks {
  /** In use, shared ones once. */
  used = 0;
  private readonly memory: WasmMemory;
  private readonly bytes: number;
  private readonly free: number[] = [];
  private readonly owners = new Map<number, number>();

  /** @param bytes of one block, all layers. */
  constructor(memory: WasmMemory, bytes: number) {
    this.memory = memory;
    this.bytes = bytes;
  }

  take(): number {
    if (this.free.length === 0) {
      const slab = this.memory.allocate(slabBlocks * this.bytes);
      for (let i = slabBlocks - 1; i >= 0; i--) this.free.push(slab + i * this.bytes);
    }
    const block = this.free.pop()!;
    this.owners.set(block, 1);
    this.used += 1;
    return block;
  }

  share(block: number): number {
    this.owners.set(block, this.owners.get(block)! + 1);
    return block;
  }

  copy(block: number): number {
    const copy = this.take();
    this.memory.floats(copy, this.bytes / 4).set(this.memory.floats(block, this.bytes / 4));
    return copy;
  }

  release(block: number): void {
    const owners = this.owners.get(block)! - 1;
    if (owners > 0) {
      this.owners.set(block, owners);
      return;
    }
    this.owners.delete(block);
    this.free.push(block);
    this.used -= 1;
  }
}
