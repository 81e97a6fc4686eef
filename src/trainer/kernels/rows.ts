// Kernels that work on each row alone. Sizes are in floats; widths are multiples of 4.
import { laneSum } from './exponential';
import { multiplyAdd } from './multiplyAdd';

const EPSILON: f32 = 1e-5;

/** y = x / rms(x). @param inverse receives 1 / rms of each row. */
export function normalize(x: usize, y: usize, inverse: usize, rows: i32, width: i32): void {
  const bytes = (<usize>width) << 2;
  for (let row = 0; row < rows; row++) {
    let squares = f32x4.splat(0);
    for (let j: usize = 0; j < bytes; j += 16) {
      const v = v128.load(x + j);
      squares = multiplyAdd(v, v, squares);
    }
    const scale: f32 = 1 / sqrt<f32>(laneSum(squares) / <f32>width + EPSILON);
    const scales = f32x4.splat(scale);
    for (let j: usize = 0; j < bytes; j += 16) v128.store(y + j, f32x4.mul(v128.load(x + j), scales));
    store<f32>(inverse, scale);
    inverse += 4;
    x += bytes;
    y += bytes;
  }
}

/** dx += gradient of `normalize`, from its output y. */
export function normalizeBackward(y: usize, inverse: usize, dy: usize, dx: usize, rows: i32, width: i32): void {
  const bytes = (<usize>width) << 2;
  for (let row = 0; row < rows; row++) {
    let dot = f32x4.splat(0);
    for (let j: usize = 0; j < bytes; j += 16) dot = multiplyAdd(v128.load(y + j), v128.load(dy + j), dot);
    const mean = f32x4.splat(laneSum(dot) / <f32>width);
    const scale = v128.load32_splat(inverse);
    for (let j: usize = 0; j < bytes; j += 16) {
      const d = f32x4.sub(v128.load(dy + j), f32x4.mul(v128.load(y + j), mean));
      v128.store(dx + j, multiplyAdd(d, scale, v128.load(dx + j)));
    }
    inverse += 4;
    y += bytes;
    dy += bytes;
    dx += bytes;
  }
}

/** y = max(x, 0)^2 over `count` floats, a multiple of 4. */
export function squaredRelu(x: usize, y: usize, count: i32): void {
  const zero = f32x4.splat(0);
  for (let end = x + ((<usize>count) << 2); x < end; x += 16, y += 16) {
    const v = f32x4.max(v128.load(x), zero);
    v128.store(y, f32x4.mul(v, v));
  }
}

/** dy becomes dx = 2 max(x, 0) dy. */
export function squaredReluBackward(x: usize, dy: usize, count: i32): void {
  const zero = f32x4.splat(0);
  for (let end = x + ((<usize>count) << 2); x < end; x += 16, dy += 16) {
    const v = f32x4.max(v128.load(x), zero);
    v128.store(dy, f32x4.mul(f32x4.add(v, v), v128.load(dy)));
  }
}

/**
 * Rotates the first `heads` heads of each row by the angles of its position; neighbours are a pair.
 *
 * @param angles per position `size` cosines, each doubled, then `size` sines as (-sin, sin).
 * @param sign 1, or -1 to rotate back.
 */
export function rotate(
  x: usize, stride: i32, positions: usize, angles: usize, rows: i32, heads: i32, size: i32, sign: f32,
): void {
  const bytes = (<usize>size) << 2;
  const signs = f32x4.splat(sign);
  for (let row = 0; row < rows; row++) {
    const cosines = angles + <usize>load<i32>(positions + ((<usize>row) << 2)) * bytes * 2;
    const sines = cosines + bytes;
    let at = x + (((<usize>row) * stride) << 2);
    for (let head = 0; head < heads; head++) {
      for (let j: usize = 0; j < bytes; j += 16) {
        const v = v128.load(at + j);
        const swapped = v128.shuffle<f32>(v, v, 1, 0, 3, 2);
        const turned = f32x4.mul(swapped, f32x4.mul(v128.load(sines + j), signs));
        v128.store(at + j, multiplyAdd(v, v128.load(cosines + j), turned));
      }
      at += bytes;
    }
  }
}

/** x = current[t0] + previous[t1] + before[t2]. @param tokens three ids per row, -1 where the row begins. */
export function embed(
  tokens: usize, current: usize, previous: usize, before: usize, x: usize, rows: i32, width: i32,
): void {
  const bytes = (<usize>width) << 2;
  for (let row = 0; row < rows; row++) {
    memory.copy(x, current + bytes * load<i32>(tokens), bytes);
    const t1 = load<i32>(tokens, 4);
    const t2 = load<i32>(tokens, 8);
    if (t1 >= 0) addTo(previous + bytes * t1, x, width);
    if (t2 >= 0) addTo(before + bytes * t2, x, width);
    tokens += 12;
    x += bytes;
  }
}

/** Adds each row of dx to the gradients of the tables it came from. */
export function embedBackward(
  tokens: usize, current: usize, previous: usize, before: usize, dx: usize, rows: i32, width: i32,
): void {
  const bytes = (<usize>width) << 2;
  for (let row = 0; row < rows; row++) {
    const t1 = load<i32>(tokens, 4);
    const t2 = load<i32>(tokens, 8);
    addTo(dx, current + bytes * load<i32>(tokens), width);
    if (t1 >= 0) addTo(dx, previous + bytes * t1, width);
    if (t2 >= 0) addTo(dx, before + bytes * t2, width);
    tokens += 12;
    dx += bytes;
  }
}

/** to += from over `count` floats, a multiple of 4. */
export function addTo(from: usize, to: usize, count: i32): void {
  const bytes = (<usize>count) << 2;
  for (let j: usize = 0; j < bytes; j += 16) v128.store(to + j, f32x4.add(v128.load(to + j), v128.load(from + j)));
}
