/** An exact fraction in lowest terms; the denominator is positive. */
export interface Rational {
  readonly n: bigint;
  readonly d: bigint;
}

/** Bits beyond which exact arithmetic gives up. */
const longestBits = 40_000;
/** Every integer within is surely short; only beyond is its length counted. */
const surelyShort = 1n << 512n;

export const rational = (n: bigint, d = 1n): Rational | undefined => {
  if (d === 0n || tooLong(n) || tooLong(d)) return undefined;
  if (d === 1n) return { n, d };
  if (d < 0n) return rational(-n, -d);
  const divisor = greatestDivisor(n, d);
  return divisor === 1n ? { n, d } : { n: n / divisor, d: d / divisor };
};

export const zero: Rational = { n: 0n, d: 1n };
export const one: Rational = { n: 1n, d: 1n };

function tooLong(value: bigint): boolean {
  if (value < surelyShort && value > -surelyShort) return false;
  return value.toString(16).length * 4 > longestBits;
}

export function greatestDivisor(a: bigint, b: bigint): bigint {
  let [x, y] = [a < 0n ? -a : a, b < 0n ? -b : b];
  while (y !== 0n) [x, y] = [y, x % y];
  return x;
}

export const add = (a: Rational, b: Rational) =>
  a.d === b.d ? rational(a.n + b.n, a.d) : rational(a.n * b.d + b.n * a.d, a.d * b.d);
export const multiply = (a: Rational, b: Rational) => rational(a.n * b.n, a.d * b.d);
export const divide = (a: Rational, b: Rational) => rational(a.n * b.d, a.d * b.n);
export const negate = (a: Rational): Rational => ({ n: -a.n, d: a.d });
export const equal = (a: Rational, b: Rational) => a.n === b.n && a.d === b.d;
export const compareRationals = (a: Rational, b: Rational) => {
  const difference = a.n * b.d - b.n * a.d;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
};

export function floor(a: Rational): Rational {
  const quotient = a.n / a.d;
  return { n: a.n < 0n && quotient * a.d !== a.n ? quotient - 1n : quotient, d: 1n };
}

const bits = (value: bigint) => (value < 0n ? -value : value).toString(16).length * 4;

/** Exact where the result is rational and short; 0 to the 0 is not. */
export function power(base: Rational, exponent: Rational): Rational | undefined {
  if (exponent.d !== 1n) {
    const root = rootOf(base, exponent.d);
    return root && power(root, { n: exponent.n, d: 1n });
  }
  if (base.n === 0n) return exponent.n > 0n ? base : undefined;
  if (base.d === 1n && (base.n === 1n || base.n === -1n)) return exponent.n % 2n === 0n ? one : base;
  const size = exponent.n < 0n ? -exponent.n : exponent.n;
  if (size > 100_000n || Number(size) * Math.max(bits(base.n) - 3, bits(base.d) - 3, 1) > longestBits) return undefined;
  const [n, d] = [base.n ** size, base.d ** size];
  if (exponent.n >= 0n) return { n, d };
  return n < 0n ? { n: -d, d: -n } : { n: d, d: n };
}

/** The real root of a degree, where it is rational. Of negative numbers, odd roots alone. */
function rootOf(value: Rational, degree: bigint): Rational | undefined {
  if (degree > 64n || (value.n < 0n && degree % 2n === 0n)) return undefined;
  const n = wholeRoot(value.n < 0n ? -value.n : value.n, degree);
  const d = wholeRoot(value.d, degree);
  return n === undefined || d === undefined ? undefined : { n: value.n < 0n ? -n : n, d };
}

function wholeRoot(value: bigint, degree: bigint): bigint | undefined {
  if (value < 2n) return value;
  if (value > surelyShort) return undefined;
  let low = 1n;
  let high = 1n << (BigInt(bits(value)) / degree + 1n);
  while (low < high) {
    const middle = (low + high + 1n) / 2n;
    if (middle ** degree <= value) low = middle;
    else high = middle - 1n;
  }
  return low ** degree === value ? low : undefined;
}

/** The nearest double; NaN where it has none. Long fractions are scaled first. */
export function toDouble({ n, d }: Rational): number {
  const [above, below] = [Number(n), Number(d)];
  if (Number.isFinite(above) && Number.isFinite(below)) {
    const value = above / below;
    return value === 0 && n !== 0n ? Number.NaN : value;
  }
  const shift = BigInt(bits(d) - bits(n) + 64);
  const scaled = shift >= 0n ? (n << shift) / d : n / (d << -shift);
  const value = Number(scaled) * 2 ** Number(-shift);
  return Number.isFinite(value) && value !== 0 ? value : Number.NaN;
}
