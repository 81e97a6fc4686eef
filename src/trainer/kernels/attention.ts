// Causal attention of one row at a time over blocks of keys and values, so that a row computed in a batch, alone or in
// training has the same bits. A block holds 16 positions; per layer and head it has the keys transposed (size x 16),
// then the values (16 x size). Sizes are in floats, `size` is a multiple of 4, pointers and `offset` are in bytes.
import { exponential, laneMax, laneSum, lanesBelow } from './exponential';

const BLOCK: i32 = 16;

/**
 * Writes one row's keys and values into its sequence's blocks.
 *
 * @param table pointers (u32) to the blocks of the sequence.
 * @param offset of the layer inside a block.
 */
export function remember(
  keys: usize, values: usize, table: usize, offset: usize, position: i32, heads: i32, size: i32,
): void {
  let block = <usize>load<u32>(table + ((<usize>(position >> 4)) << 2)) + offset;
  const slot = <usize>(position & 15);
  for (let head = 0; head < heads; head++) {
    let to = block + (slot << 2);
    for (let i = 0; i < size; i++) {
      store<f32>(to, load<f32>(keys));
      keys += 4;
      to += BLOCK * 4;
    }
    const row = (<usize>size) << 2;
    memory.copy(block + row * BLOCK + row * slot, values, row);
    values += row;
    block += row * BLOCK * 2;
  }
}

/**
 * out = softmax(q K^T / sqrt(size)) V for each head of one row, over the first `length` positions.
 *
 * @param scratch room for `length` rounded up to 16 floats.
 */
export function attend(
  q: usize, table: usize, offset: usize, length: i32, heads: i32, size: i32, out: usize, scratch: usize,
): void {
  const row = (<usize>size) << 2;
  for (let head = 0; head < heads; head++) {
    const sum = weigh(q, table, offset, length, size, scratch);
    const values = offset + row * BLOCK;
    for (let j = 0; j < size; ) j += mix(scratch, table, values, length, size, j, out, 1 / sum);
    q += row;
    out += row;
    offset += row * BLOCK * 2;
  }
}

/** weights = exp(scores - max), zero up to the end of the last block. @returns their sum. */
function weigh(q: usize, table: usize, offset: usize, length: i32, size: i32, weights: usize): f32 {
  score(q, table, offset, length, size, weights, 1 / sqrt<f32>(<f32>size));
  const end = (length + BLOCK - 1) & ~(BLOCK - 1);
  let highs = f32x4.splat(-f32.MAX_VALUE);
  for (let s = 0; s < length; s += 4) {
    const v = v128.load(weights + ((<usize>s) << 2));
    highs = f32x4.max(highs, s + 4 <= length ? v : v128.bitselect(v, highs, lanesBelow(s, length)));
  }
  const shift = f32x4.splat(laneMax(highs));
  let sums = f32x4.splat(0);
  for (let s = 0; s < end; s += 4) {
    const at = weights + ((<usize>s) << 2);
    let w = exponential(f32x4.sub(v128.load(at), shift));
    if (s + 4 > length) w = v128.and(w, lanesBelow(s, length));
    v128.store(at, w);
    sums = f32x4.add(sums, w);
  }
  return laneSum(sums);
}

/** scores[s] = scale * (x . transposed[:, s]) for whole blocks. */
function score(x: usize, table: usize, offset: usize, length: i32, size: i32, scores: usize, scale: f32): void {
  const factor = f32x4.splat(scale);
  const xEnd = x + ((<usize>size) << 2);
  for (let s = 0; s < length; s += BLOCK) {
    let from = <usize>load<u32>(table) + offset;
    table += 4;
    let a = f32x4.splat(0), b = a, c = a, d = a;
    for (let at = x; at < xEnd; at += 4) {
      const v = v128.load32_splat(at);
      a = f32x4.add(a, f32x4.mul(v, v128.load(from)));
      b = f32x4.add(b, f32x4.mul(v, v128.load(from, 16)));
      c = f32x4.add(c, f32x4.mul(v, v128.load(from, 32)));
      d = f32x4.add(d, f32x4.mul(v, v128.load(from, 48)));
      from += BLOCK * 4;
    }
    v128.store(scores, f32x4.mul(a, factor));
    v128.store(scores, f32x4.mul(b, factor), 16);
    v128.store(scores, f32x4.mul(c, factor), 32);
    v128.store(scores, f32x4.mul(d, factor), 48);
    scores += BLOCK * 4;
  }
}

/** out[j..] = scale * sum over s of weights[s] * rows[s][j..]. @returns how many columns were done: 16 or 4. */
function mix(
  weights: usize, table: usize, offset: usize, length: i32, size: i32, column: i32, out: usize, scale: f32,
): i32 {
  const row = (<usize>size) << 2;
  const start = offset + ((<usize>column) << 2);
  const factor = f32x4.splat(scale);
  const to = out + ((<usize>column) << 2);
  let a = f32x4.splat(0);
  if (size - column >= 16) {
    let b = a, c = a, d = a;
    for (let s = 0; s < length; s += BLOCK) {
      let from = <usize>load<u32>(table) + start;
      table += 4;
      const last = weights + ((<usize>min(BLOCK, length - s)) << 2);
      for (let at = weights; at < last; at += 4) {
        const w = v128.load32_splat(at);
        a = f32x4.add(a, f32x4.mul(w, v128.load(from)));
        b = f32x4.add(b, f32x4.mul(w, v128.load(from, 16)));
        c = f32x4.add(c, f32x4.mul(w, v128.load(from, 32)));
        d = f32x4.add(d, f32x4.mul(w, v128.load(from, 48)));
        from += row;
      }
      weights += BLOCK * 4;
    }
    v128.store(to, f32x4.mul(a, factor));
    v128.store(to, f32x4.mul(b, factor), 16);
    v128.store(to, f32x4.mul(c, factor), 32);
    v128.store(to, f32x4.mul(d, factor), 48);
    return 16;
  }
  for (let s = 0; s < length; s += BLOCK) {
    let from = <usize>load<u32>(table) + start;
    table += 4;
    const last = weights + ((<usize>min(BLOCK, length - s)) << 2);
    for (let at = weights; at < last; at += 4) {
      a = f32x4.add(a, f32x4.mul(v128.load32_splat(at), v128.load(from)));
      from += row;
    }
    weights += BLOCK * 4;
  }
  v128.store(to, f32x4.mul(a, factor));
  return 4;
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
  const end = (length + BLOCK - 1) & ~(BLOCK - 1);
  const slopes = scratch + ((<usize>end) << 2);
  const scale: f32 = 1 / sqrt<f32>(<f32>size);
  let offset: usize = 0;
  for (let head = 0; head < heads; head++) {
    const share = f32x4.splat(1 / weigh(q, table, offset, length, size, scratch));
    score(dout, swapped, offset, length, size, slopes, 1);
    let dots = f32x4.splat(0);
    for (let s: usize = 0; s < (<usize>end) << 2; s += 16) {
      const p = f32x4.mul(v128.load(scratch + s), share);
      v128.store(scratch + s, p);
      // Slots past the end hold anything, NaN too: weight 0 alone would not silence them.
      const known = lanesBelow(<i32>(s >> 2), length);
      dots = f32x4.add(dots, v128.and(f32x4.mul(p, v128.load(slopes + s)), known));
    }
    const mean = f32x4.splat(laneSum(dots));
    const scales = f32x4.splat(scale);
    for (let s: usize = 0; s < (<usize>end) << 2; s += 16) {
      const d = f32x4.mul(v128.load(scratch + s), f32x4.sub(v128.load(slopes + s), mean));
      v128.store(slopes + s, f32x4.mul(d, scales));
    }
    for (let j = 0; j < size; ) j += mix(slopes, swapped, offset + row * BLOCK, length, size, j, dq, 1);
    spread(slopes, q, dk, step, length, row);
    spread(scratch, dout, dv, step, length, row);
    q += row;
    dout += row;
    dq += row;
    dk += row;
    dv += row;
    offset += row * BLOCK * 2;
  }
}

/** rows[s] += weights[s] * x. */
function spread(weights: usize, x: usize, rows: usize, step: usize, length: i32, bytes: usize): void {
  for (let s = 0; s < length; s++) {
    const w = v128.load32_splat(weights);
    for (let j: usize = 0; j < bytes; j += 16) {
      v128.store(rows + j, f32x4.add(v128.load(rows + j), f32x4.mul(w, v128.load(x + j))));
    }
    weights += 4;
    rows += step;
  }
}
