// Matrix products on packed panels. Every element of C is one chain `c = c + a*b` in ascending k, whatever the number of
// rows, so a row's bits never depend on the rows beside it. Strides and sizes are in floats, pointers in bytes.
import { multiplyAdd } from './multiplyAdd';

/** Columns of a packed panel: B is stored panel by panel, each depth x 8, the last padded with zeros. */
const PANEL: i32 = 8;

/** Depth of one pass: a panel of B (16 KB) and five rows of A (10 KB) stay in the first-level cache. */
const DEPTH_BLOCK: i32 = 512;

/** Floats of A that are reused over all panels before the next rows are touched. */
const ROW_BLOCK_FLOATS: i32 = 8192;

/** Where the last, narrow panel of C is computed. */
const edge: usize = memory.data(4 * 8 * 4, 16);

/** Packs B (depth x columns). @param packed depth x ceil8(columns) floats. */
export function packColumns(b: usize, strideB: i32, packed: usize, depth: i32, columns: i32): void {
  let to = packed;
  for (let column = 0; column < columns; column += PANEL) {
    let from = b + ((<usize>column) << 2);
    const width = min(PANEL, columns - column);
    if (width == PANEL) {
      for (let k = 0; k < depth; k++) {
        v128.store(to, v128.load(from));
        v128.store(to, v128.load(from, 16), 16);
        to += 32;
        from += (<usize>strideB) << 2;
      }
    } else {
      for (let k = 0; k < depth; k++) {
        memory.fill(to, 0, 32);
        memory.copy(to, from, (<usize>width) << 2);
        to += 32;
        from += (<usize>strideB) << 2;
      }
    }
  }
}

/** Packs the transpose of `source` (columns x depth). @param packed depth x ceil8(columns) floats. */
export function packRows(source: usize, stride: i32, packed: usize, depth: i32, columns: i32): void {
  let to = packed;
  const step = (<usize>stride) << 2;
  for (let column = 0; column < columns; column += PANEL) {
    const width = min(PANEL, columns - column);
    if (width < PANEL) memory.fill(to, 0, ((<usize>depth) << 2) * PANEL);
    for (let j = 0; j < width; j++) {
      const from = source + step * (column + j);
      for (let k = 0; k < depth; k++) store<f32>(to + (((<usize>k) * PANEL + j) << 2), load<f32>(from + ((<usize>k) << 2)));
    }
    to += ((<usize>depth) << 2) * PANEL;
  }
}

/** target (columns x rows) = transpose of source (rows x columns). */
export function transpose(source: usize, stride: i32, target: usize, targetStride: i32, rows: i32, columns: i32): void {
  const step = (<usize>stride) << 2;
  const targetStep = (<usize>targetStride) << 2;
  let row = 0;
  for (; row + 4 <= rows; row += 4) {
    let from = source + step * row;
    let to = target + ((<usize>row) << 2);
    let column = 0;
    for (; column + 4 <= columns; column += 4) {
      const a = v128.load(from);
      const b = v128.load(from + step);
      const c = v128.load(from + step * 2);
      const d = v128.load(from + step * 3);
      const ab = v128.shuffle<f32>(a, b, 0, 4, 1, 5);
      const cd = v128.shuffle<f32>(c, d, 0, 4, 1, 5);
      const abHigh = v128.shuffle<f32>(a, b, 2, 6, 3, 7);
      const cdHigh = v128.shuffle<f32>(c, d, 2, 6, 3, 7);
      v128.store(to, v128.shuffle<f32>(ab, cd, 0, 1, 4, 5));
      v128.store(to + targetStep, v128.shuffle<f32>(ab, cd, 2, 3, 6, 7));
      v128.store(to + targetStep * 2, v128.shuffle<f32>(abHigh, cdHigh, 0, 1, 4, 5));
      v128.store(to + targetStep * 3, v128.shuffle<f32>(abHigh, cdHigh, 2, 3, 6, 7));
      from += 16;
      to += targetStep * 4;
    }
    for (; column < columns; column++) {
      for (let r: usize = 0; r < 4; r++) store<f32>(to + (r << 2), load<f32>(from + step * r));
      from += 4;
      to += targetStep;
    }
  }
  for (; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      store<f32>(target + targetStep * column + ((<usize>row) << 2), load<f32>(source + step * row + ((<usize>column) << 2)));
    }
  }
}

/**
 * C (rows x columns) = A (rows x depth) * B, or C += with `accumulate`.
 *
 * @param packed B in panels, by `packColumns` or `packRows`.
 */
export function multiply(
  a: usize, strideA: i32, packed: usize, c: usize, strideC: i32,
  rows: i32, depth: i32, columns: i32, accumulate: bool,
): void {
  for (let k = 0; k < depth; k += DEPTH_BLOCK) {
    const span = min(DEPTH_BLOCK, depth - k);
    const rowBlock = max(5, ROW_BLOCK_FLOATS / span / 5 * 5);
    const add = accumulate || k > 0;
    for (let row = 0; row < rows; row += rowBlock) {
      const end = min(rows, row + rowBlock);
      for (let column = 0; column < columns; column += PANEL) {
        const b = packed + (((<usize>column) * depth + (<usize>k) * PANEL) << 2);
        panel(a + ((<usize>k) << 2), strideA, b, c + ((<usize>column) << 2), strideC, row, end, span, columns - column, add);
      }
    }
  }
}

function panel(
  a: usize, strideA: i32, b: usize, c: usize, strideC: i32,
  start: i32, end: i32, depth: i32, width: i32, add: bool,
): void {
  const stepA = (<usize>strideA) << 2;
  const stepC = (<usize>strideC) << 2;
  let row = start;
  if (width >= PANEL) {
    // Fours until fives come out even: a single row is slow, and twelve or more rows need none.
    for (; (end - row) % 5 > 0 && row + 4 <= end; row += 4) tile4(a + stepA * row, stepA, b, c + stepC * row, stepC, depth, add);
    for (; row + 5 <= end; row += 5) tile5(a + stepA * row, stepA, b, c + stepC * row, stepC, depth, add);
    for (; row < end; row++) tile1(a + stepA * row, b, c + stepC * row, depth, add);
    return;
  }
  const bytes = (<usize>width) << 2;
  for (; row < end; row += 4) {
    const count = min(4, end - row);
    for (let r = 0; r < count; r++) memory.copy(edge + ((<usize>r) << 5), c + stepC * (row + r), bytes);
    if (count == 4) tile4(a + stepA * row, stepA, b, edge, 32, depth, add);
    else for (let r = 0; r < count; r++) tile1(a + stepA * (row + r), b, edge + ((<usize>r) << 5), depth, add);
    for (let r = 0; r < count; r++) memory.copy(c + stepC * (row + r), edge + ((<usize>r) << 5), bytes);
  }
}

function tile1(a: usize, b: usize, c: usize, depth: i32, add: bool): void {
  let low = f32x4.splat(0);
  let high = f32x4.splat(0);
  if (add) {
    low = v128.load(c);
    high = v128.load(c, 16);
  }
  for (let k = 0; k < depth; k++) {
    const x = v128.load32_splat(a);
    low = multiplyAdd(x, v128.load(b), low);
    high = multiplyAdd(x, v128.load(b, 16), high);
    a += 4;
    b += 32;
  }
  v128.store(c, low);
  v128.store(c, high, 16);
}

function tile4(a: usize, stepA: usize, b: usize, c: usize, stepC: usize, depth: i32, add: bool): void {
  let a1 = a + stepA;
  let a2 = a1 + stepA;
  let a3 = a2 + stepA;
  const c1 = c + stepC;
  const c2 = c1 + stepC;
  const c3 = c2 + stepC;
  let x0 = f32x4.splat(0), y0 = x0, x1 = x0, y1 = x0, x2 = x0, y2 = x0, x3 = x0, y3 = x0;
  if (add) {
    x0 = v128.load(c); y0 = v128.load(c, 16);
    x1 = v128.load(c1); y1 = v128.load(c1, 16);
    x2 = v128.load(c2); y2 = v128.load(c2, 16);
    x3 = v128.load(c3); y3 = v128.load(c3, 16);
  }
  for (const end = b + ((<usize>depth) << 5); b < end; b += 32) {
    const low = v128.load(b), high = v128.load(b, 16);
    let s = v128.load32_splat(a);
    x0 = multiplyAdd(s, low, x0); y0 = multiplyAdd(s, high, y0);
    s = v128.load32_splat(a1);
    x1 = multiplyAdd(s, low, x1); y1 = multiplyAdd(s, high, y1);
    s = v128.load32_splat(a2);
    x2 = multiplyAdd(s, low, x2); y2 = multiplyAdd(s, high, y2);
    s = v128.load32_splat(a3);
    x3 = multiplyAdd(s, low, x3); y3 = multiplyAdd(s, high, y3);
    a += 4; a1 += 4; a2 += 4; a3 += 4;
  }
  v128.store(c, x0); v128.store(c, y0, 16);
  v128.store(c1, x1); v128.store(c1, y1, 16);
  v128.store(c2, x2); v128.store(c2, y2, 16);
  v128.store(c3, x3); v128.store(c3, y3, 16);
}

/**
 * Ten sums, two vectors of B and one number of A: of the sixteen registers one stays free. Not unrolled, for V8 gathers
 * all loads of a block at its start, and more than these spill to the stack.
 */
function tile5(a: usize, stepA: usize, b: usize, c: usize, stepC: usize, depth: i32, add: bool): void {
  let a1 = a + stepA;
  let a2 = a1 + stepA;
  let a3 = a2 + stepA;
  let a4 = a3 + stepA;
  let x0 = f32x4.splat(0), y0 = x0, x1 = x0, y1 = x0, x2 = x0, y2 = x0, x3 = x0, y3 = x0, x4 = x0, y4 = x0;
  if (add) {
    let p = c;
    x0 = v128.load(p); y0 = v128.load(p, 16); p += stepC;
    x1 = v128.load(p); y1 = v128.load(p, 16); p += stepC;
    x2 = v128.load(p); y2 = v128.load(p, 16); p += stepC;
    x3 = v128.load(p); y3 = v128.load(p, 16); p += stepC;
    x4 = v128.load(p); y4 = v128.load(p, 16); p += stepC;
  }
  for (const end = b + ((<usize>depth) << 5); b < end; b += 32) {
    const low = v128.load(b), high = v128.load(b, 16);
    let s = v128.load32_splat(a);
    x0 = multiplyAdd(s, low, x0); y0 = multiplyAdd(s, high, y0);
    s = v128.load32_splat(a1);
    x1 = multiplyAdd(s, low, x1); y1 = multiplyAdd(s, high, y1);
    s = v128.load32_splat(a2);
    x2 = multiplyAdd(s, low, x2); y2 = multiplyAdd(s, high, y2);
    s = v128.load32_splat(a3);
    x3 = multiplyAdd(s, low, x3); y3 = multiplyAdd(s, high, y3);
    s = v128.load32_splat(a4);
    x4 = multiplyAdd(s, low, x4); y4 = multiplyAdd(s, high, y4);
    a += 4; a1 += 4; a2 += 4; a3 += 4; a4 += 4;
  }
  v128.store(c, x0); v128.store(c, y0, 16); c += stepC;
  v128.store(c, x1); v128.store(c, y1, 16); c += stepC;
  v128.store(c, x2); v128.store(c, y2, 16); c += stepC;
  v128.store(c, x3); v128.store(c, y3, 16); c += stepC;
  v128.store(c, x4); v128.store(c, y4, 16); c += stepC;
}
