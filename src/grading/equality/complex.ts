/** A complex double and how far it may be off, absolutely. NaN where there is no value. */
export interface Complex {
  readonly re: number;
  readonly im: number;
  readonly err: number;
}

const epsilon = 2 ** -52;
export const undefinedValue: Complex = { re: Number.NaN, im: Number.NaN, err: 0 };
export const modulus = ({ re, im }: Complex): number => (im === 0 ? Math.abs(re) : Math.hypot(re, im));
export const real = (re: number, err = Math.abs(re) * epsilon): Complex => ({ re, im: 0, err });

/** Overflow has no value, nor has what underflows to nothing. */
function checked(re: number, im: number, err: number): Complex {
  return Number.isFinite(re) && Number.isFinite(im) && Number.isFinite(err) ? { re, im, err } : undefinedValue;
}

const rounding = (re: number, im: number) => (Math.abs(re) + Math.abs(im)) * epsilon;

/** A sum; without value where rounding would swallow one of its terms whole, as it would 10^-20 beside 1. */
export function plus(a: Complex, b: Complex): Complex {
  const [x, y] = [modulus(a), modulus(b)];
  const [small, err] = x < y ? [x, a.err] : [y, b.err];
  if (small > 64 * err && small !== 0 && small < 64 * epsilon * Math.max(x, y)) return undefinedValue;
  return settling(a, b);
}

/** A sum whose terms may vanish, as those of a series do. */
export function settling(a: Complex, b: Complex): Complex {
  const [re, im] = [a.re + b.re, a.im + b.im];
  return checked(re, im, a.err + b.err + rounding(re, im));
}

export const negative = (a: Complex): Complex => ({ re: -a.re, im: -a.im, err: a.err });

export function times(a: Complex, b: Complex): Complex {
  const re = a.re * b.re - a.im * b.im;
  const im = a.im === 0 && b.im === 0 ? 0 : a.re * b.im + a.im * b.re;
  const [sizeA, sizeB] = [modulus(a), modulus(b)];
  if (re === 0 && im === 0 && sizeA !== 0 && sizeB !== 0) return undefinedValue;
  return checked(re, im, sizeA * b.err + sizeB * a.err + 2 * sizeA * sizeB * epsilon);
}

export function over(a: Complex, b: Complex): Complex {
  const size = modulus(b);
  if (size === 0 || size <= b.err) return undefinedValue;
  const scale = size * size;
  const inverse = checked(b.re / scale, b.im === 0 ? 0 : -b.im / scale, (b.err / size + 2 * epsilon) / size);
  if (b.im === 0 && a.im === 0) return checked(a.re / b.re, 0, a.err / size + Math.abs(a.re) * inverse.err);
  return times(a, inverse);
}

/** Whether a value that is not 0 is so small that a function of it rounds to its value at 0, as cos(10^-9) does to 1. */
export const vanishes = (a: Complex, below: number): boolean => {
  const size = modulus(a);
  return size !== 0 && size < below && size > 64 * a.err;
};

export function exponential(a: Complex): Complex {
  const size = Math.exp(a.re);
  if (size === 0 || vanishes(a, 64 * epsilon)) return undefinedValue;
  const err = size * (a.err + (Math.abs(a.re) + Math.abs(a.im) + 1) * epsilon);
  return checked(size * Math.cos(a.im), a.im === 0 ? 0 : size * Math.sin(a.im), err);
}

export function logarithm(a: Complex): Complex {
  const size = modulus(a);
  if (size <= a.err) return undefinedValue;
  const re = Math.log(size);
  const im = a.im === 0 ? (a.re < 0 ? Math.PI : 0) : Math.atan2(a.im, a.re);
  return checked(re, im, a.err / size + rounding(re, im) + epsilon);
}

/** Principal value; a whole exponent keeps reals real. */
export function toThe(base: Complex, exponent: Complex): Complex {
  const size = modulus(base);
  if (size === 0) return exponent.re > 0 && exponent.im === 0 ? base : undefinedValue;
  if (base.im === 0 && exponent.im === 0 && (base.re > 0 || Number.isInteger(exponent.re))) {
    const re = base.re ** exponent.re;
    if (re === 0 || vanishes(exponent, 64 * epsilon)) return undefinedValue;
    const relative = (Math.abs(exponent.re) * base.err) / size + exponent.err * Math.abs(Math.log(size)) + 4 * epsilon;
    return checked(re, 0, Math.abs(re) * relative);
  }
  if (exponent.im === 0 && Number.isInteger(exponent.re) && Math.abs(exponent.re) <= 64) {
    let result: Complex = real(1, 0);
    for (let count = Math.abs(exponent.re); count > 0; count -= 1) result = times(result, base);
    return exponent.re < 0 ? over(real(1, 0), result) : result;
  }
  return exponential(times(exponent, logarithm(base)));
}

/** The real root of a negative number for an odd degree, else the principal one. */
export function rootOf(value: Complex, degree: number): Complex {
  if (value.im !== 0 || (value.re < 0 && degree % 2 === 0)) {
    if (degree === 2 && value.im === 0) return squareRoot(value);
    return toThe(value, over(real(1, 0), real(degree, 0)));
  }
  const size = Math.abs(value.re);
  const re = degree === 2 ? Math.sqrt(size) : degree === 3 ? Math.cbrt(size) : size ** (1 / degree);
  const err = size > value.err ? (re * value.err) / (degree * size) + 4 * re * epsilon : value.err ** (1 / degree);
  return checked(value.re < 0 ? -re : re, 0, err);
}

function squareRoot({ re, err }: Complex): Complex {
  const size = Math.sqrt(-re);
  return { re: 0, im: size, err: -re > err ? err / (2 * size) + size * epsilon : Math.sqrt(err) };
}

/**
 * Whether two values agree as far as their errors tell; undefined where the errors are too large to tell. Errors are first
 * order bounds, hence the allowance of 32.
 */
export function agree(a: Complex, b: Complex): boolean | undefined {
  const difference = Math.hypot(a.re - b.re, a.im - b.im);
  if (Number.isNaN(difference)) return undefined;
  const err = 32 * (a.err + b.err);
  if (difference > err) return false;
  return err > 1e-6 * Math.max(modulus(a), modulus(b), 1e-3) ? undefined : true;
}
