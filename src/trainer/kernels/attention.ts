// Causal attention of one row at a time over blocks of keys and values, so that a row computed in a batch, alone or in
// training has the same bits. A block holds 16 positions; per layer it has the keys of every head, transposed
// (size x 16), then the values of every head (16 x size). Loops go block by block, so that memory is read in one stream.
// Sizes are in floats, `size` is a multiple of 4, pointers and offsets are in bytes.
import { exponential, laneMax, laneSum, lanesBelow } from './exponential';
import { multiplyAdd } from './multiplyAdd';

const BLOCK: i32 = 16;
const BLOCK_BYTES: usize = 64;

/**
 * Writes one row's keys and values into its sequence's blocks.
 *
 * @param table pointers (u32) to the blocks of the sequence.
 * @param offset of the layer inside a block.
 */
export function remember(
  keys: usize, values: usize, table: usize, offset: usize, position: i32, heads: i32, size: i32,
): void {
  const block = <usize>load<u32>(table + ((<usize>(position >> 4)) << 2)) + offset;
  const slot = <usize>(position & 15);
  const width = heads * size;
  let to = block + (slot << 2);
  for (let i = 0; i < width; i++) {
    store<f32>(to, load<f32>(keys));
    keys += 4;
    to += BLOCK_BYTES;
  }
  const row = (<usize>size) << 2;
  to = block + (<usize>width) * BLOCK_BYTES + row * slot;
  for (let head = 0; head < heads; head++) {
    for (let j: usize = 0; j < row; j += 16) v128.store(to + j, v128.load(values + j));
    values += row;
    to += row * BLOCK;
  }
}

/**
 * out = softmax(q K^T / sqrt(size)) V for each head of one row, over the first `length` positions.
 *
 * @param scratch heads x `length` rounded up to 16 floats.
 */
export function attend(
  q: usize, table: usize, offset: usize, length: i32, heads: i32, size: i32, out: usize, scratch: usize,
): void {
  weigh(q, table, offset, length, heads, size, scratch);
  mix(scratch, table, offset + (<usize>(heads * size)) * BLOCK_BYTES, length, heads, size, out);
}

// @ts-ignore: decorator
@inline
function wholeBlocks(length: i32): usize {
  return (<usize>((length + BLOCK - 1) & ~(BLOCK - 1))) << 2;
}

/** Attention weights of every head, zero up to the end of the last block. */
function weigh(q: usize, table: usize, offset: usize, length: i32, heads: i32, size: i32, weights: usize): void {
  score(q, table, offset, length, heads, size, weights);
  const bytes = wholeBlocks(length);
  const scale = f32x4.splat(1 / sqrt<f32>(<f32>size));
  const known = (<usize>(length & ~3)) << 2;
  const mask = lanesBelow(0, length & 3);
  for (let head = 0; head < heads; head++) {
    let highs = f32x4.splat(-f32.MAX_VALUE);
    let s: usize = 0;
    for (; s < known; s += 16) highs = f32x4.max(highs, v128.load(weights + s));
    if (length & 3) highs = f32x4.max(highs, v128.bitselect(v128.load(weights + s), highs, mask));
    const shift = f32x4.splat(laneMax(highs));
    let sums = f32x4.splat(0);
    for (s = 0; s < known; s += 16) {
      const w = exponential(f32x4.mul(f32x4.sub(v128.load(weights + s), shift), scale));
      v128.store(weights + s, w);
      sums = f32x4.add(sums, w);
    }
    if (length & 3) {
      const w = v128.and(exponential(f32x4.mul(f32x4.sub(v128.load(weights + s), shift), scale)), mask);
      v128.store(weights + s, w);
      sums = f32x4.add(sums, w);
      s += 16;
    }
    for (; s < bytes; s += 16) v128.store(weights + s, f32x4.splat(0));
    const share = f32x4.splat(1 / laneSum(sums));
    for (s = 0; s < bytes; s += 16) v128.store(weights + s, f32x4.mul(v128.load(weights + s), share));
    weights += bytes;
  }
}

/** scores[head][s] = x[head] . transposed[head][:, s], for whole blocks. */
function score(x: usize, table: usize, offset: usize, length: i32, heads: i32, size: i32, scores: usize): void {
  const bytes = wholeBlocks(length);
  const row = (<usize>size) << 2;
  for (let s: usize = 0; s < bytes; s += BLOCK_BYTES) {
    let from = <usize>load<u32>(table) + offset;
    table += 4;
    let at = x;
    let to = scores + s;
    for (let head = 0; head < heads; head++) {
      let a = f32x4.splat(0), b = a, c = a, d = a;
      for (const end = at + row; at < end; at += 4) {
        const v = v128.load32_splat(at);
        a = multiplyAdd(v, v128.load(from), a);
        b = multiplyAdd(v, v128.load(from, 16), b);
        c = multiplyAdd(v, v128.load(from, 32), c);
        d = multiplyAdd(v, v128.load(from, 48), d);
        from += BLOCK_BYTES;
      }
      v128.store(to, a);
      v128.store(to, b, 16);
      v128.store(to, c, 32);
      v128.store(to, d, 48);
      to += bytes;
    }
  }
}

/** out[head] = sum over s of weights[head][s] * rows[head][s]. */
function mix(weights: usize, table: usize, offset: usize, length: i32, heads: i32, size: i32, out: usize): void {
  const bytes = wholeBlocks(length);
  const row = (<usize>size) << 2;
  memory.fill(out, 0, row * heads);
  for (let s = 0; s < length; s += BLOCK) {
    const count = (<usize>min(BLOCK, length - s)) << 2;
    let from = <usize>load<u32>(table) + offset;
    table += 4;
    let w = weights + ((<usize>s) << 2);
    let to = out;
    for (let head = 0; head < heads; head++) {
      const end = w + count;
      let j: usize = 0;
      for (; j + 64 <= row; j += 64) {
        let at = from + j;
        let a = v128.load(to), b = v128.load(to, 16), c = v128.load(to, 32), d = v128.load(to, 48);
        for (let p = w; p < end; p += 4) {
          const x = v128.load32_splat(p);
          a = multiplyAdd(x, v128.load(at), a);
          b = multiplyAdd(x, v128.load(at, 16), b);
          c = multiplyAdd(x, v128.load(at, 32), c);
          d = multiplyAdd(x, v128.load(at, 48), d);
          at += row;
        }
        v128.store(to, a);
        v128.store(to, b, 16);
        v128.store(to, c, 32);
        v128.store(to, d, 48);
        to += 64;
      }
      for (; j < row; j += 16) {
        let at = from + j;
        let a = v128.load(to);
        for (let p = w; p < end; p += 4) {
          a = multiplyAdd(v128.load32_splat(p), v128.load(at), a);
          at += row;
        }
        v128.store(to, a);
        to += 16;
      }
      from += row * BLOCK;
      w += bytes;
    }
  }
}

/**
 * Gradient of `attend` for one row: dq is set, dk and dv of the positions up to `length` are added to.
 *
 * @param table blocks of (keys, values). @param swapped blocks of the same with the roles exchanged: (values, keys).
 * @param dk, dv of position 0, rows `stride` floats apart.
 * @param scratch twice the room of `attend`.
 */
export function attendBackward(
  q: usize, table: usize, swapped: usize, length: i32, heads: i32, size: i32, dout: usize,
  dq: usize, dk: usize, dv: usize, stride: i32, scratch: usize,
): void {
  const row = (<usize>size) << 2;
  const step = (<usize>stride) << 2;
  const bytes = wholeBlocks(length);
  const slopes = scratch + bytes * heads;
  weigh(q, table, 0, length, heads, size, scratch);
  score(dout, swapped, 0, length, heads, size, slopes);
  const scale = f32x4.splat(1 / sqrt<f32>(<f32>size));
  for (let head: usize = 0; head < <usize>heads; head++) {
    const weights = scratch + bytes * head;
    const d = slopes + bytes * head;
    let dots = f32x4.splat(0);
    for (let s: usize = 0; s < bytes; s += 16) {
      // Slots past the end hold anything, NaN too: weight 0 alone would not silence them.
      const known = lanesBelow(<i32>(s >> 2), length);
      const slope = v128.and(v128.load(d + s), known);
      v128.store(d + s, slope);
      dots = multiplyAdd(v128.load(weights + s), slope, dots);
    }
    const mean = f32x4.splat(laneSum(dots));
    for (let s: usize = 0; s < bytes; s += 16) {
      const p = f32x4.mul(v128.load(weights + s), scale);
      v128.store(d + s, f32x4.mul(p, f32x4.sub(v128.load(d + s), mean)));
    }
  }
  mix(slopes, swapped, (<usize>(heads * size)) * BLOCK_BYTES, length, heads, size, dq);
  for (let head: usize = 0; head < <usize>heads; head++) {
    spread(slopes + bytes * head, q + row * head, dk + row * head, step, length, row);
    spread(scratch + bytes * head, dout + row * head, dv + row * head, step, length, row);
  }
}

/** rows[s] += weights[s] * x. */
function spread(weights: usize, x: usize, rows: usize, step: usize, length: i32, bytes: usize): void {
  const end = weights + ((<usize>length) << 2);
  let j: usize = 0;
  for (; j + 64 <= bytes; j += 64) {
    const a = v128.load(x + j), b = v128.load(x + j, 16), c = v128.load(x + j, 32), d = v128.load(x + j, 48);
    let to = rows + j;
    for (let at = weights; at < end; at += 4) {
      const w = v128.load32_splat(at);
      v128.store(to, multiplyAdd(w, a, v128.load(to)));
      v128.store(to, multiplyAdd(w, b, v128.load(to, 16)), 16);
      v128.store(to, multiplyAdd(w, c, v128.load(to, 32)), 32);
      v128.store(to, multiplyAdd(w, d, v128.load(to, 48)), 48);
      to += step;
    }
  }
  for (; j < bytes; j += 16) {
    const a = v128.load(x + j);
    let to = rows + j;
    for (let at = weights; at < end; at += 4) {
      v128.store(to, multiplyAdd(v128.load32_splat(at), a, v128.load(to)));
      to += step;
    }
  }
}
