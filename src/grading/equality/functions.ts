import {
  type Complex,
  exponential,
  logarithm,
  modulus,
  negative,
  over,
  plus,
  real,
  rootOf,
  times,
  toThe,
  undefinedValue,
  vanishes,
} from './complex';

const one = real(1, 0);
const i: Complex = { re: 0, im: 1, err: 0 };
const half = real(0.5, 0);

/** A function of one argument from a smooth real one: the error is how far the value moves within the argument's. */
function smooth(f: (x: number) => number): (a: Complex) => Complex {
  return (a) => {
    if (a.im !== 0) return undefinedValue;
    const re = f(a.re);
    if (!Number.isFinite(re)) return undefinedValue;
    const moved = Math.max(Math.abs(f(a.re + a.err) - re) || 0, Math.abs(f(a.re - a.err) - re) || 0);
    return { re, im: 0, err: moved + 4 * Math.abs(re) * 2 ** -52 + (re === 0 ? 2 ** -1060 : 0) };
  };
}

/** The real function on reals, the complex one elsewhere. */
const extended = (f: (x: number) => number, complex: (a: Complex) => Complex) => {
  const onReals = smooth(f);
  return (a: Complex): Complex => {
    if (a.im !== 0) return complex(a);
    const value = onReals(a);
    return Number.isNaN(value.re) ? complex(a) : value;
  };
};

const turned = (a: Complex): Complex => ({ re: -a.im, im: a.re, err: a.err });
const sine = (a: Complex) =>
  over(plus(exponential(turned(a)), negative(exponential(negative(turned(a))))), times(i, real(2, 0)));
const cosine = (a: Complex) => times(half, plus(exponential(turned(a)), exponential(negative(turned(a)))));

/** Without value where the argument is lost in rounding: the function is flat at 0. */
const flat = (f: (a: Complex) => Complex, below: number) => (a: Complex) =>
  vanishes(a, below) ? undefinedValue : f(a);
/** Below its square root, the square of a value is lost beside 1. */
const lostSquare = 2 ** -23;
const lost = 2 ** -46;

const sin = extended(Math.sin, sine);
const cos = flat(extended(Math.cos, cosine), lostSquare);
const tan = (a: Complex) => over(sin(a), cos(a));
const sinh = extended(Math.sinh, (a) => times(half, plus(exponential(a), negative(exponential(negative(a))))));
const cosh = flat(
  extended(Math.cosh, (a) => times(half, plus(exponential(a), exponential(negative(a))))),
  lostSquare,
);
const arcsin = extended(Math.asin, (a) =>
  negative(turned(logarithm(plus(turned(a), rootOf(plus(one, negative(times(a, a))), 2))))),
);
const arccos = flat(
  extended(Math.acos, (a) => plus(real(Math.PI / 2), negative(arcsin(a)))),
  lost,
);
const atan = extended(Math.atan, () => undefinedValue);
const arctan = (a: Complex) => (modulus(a) > 1 / lost ? undefinedValue : atan(a));
const inverse = (f: (a: Complex) => Complex) => (a: Complex) => f(over(one, a));
const reciprocal = (f: (a: Complex) => Complex) => (a: Complex) => over(one, f(a));

/** A step function: where the argument's error reaches a step there is no value, unless it is a whole number by its making. */
const stepped =
  (f: (x: number) => number) =>
  (a: Complex): Complex => {
    if (a.im !== 0) return undefinedValue;
    const near = Math.round(a.re);
    const x = Math.abs(a.re - near) <= 32 * a.err ? near : a.re;
    return real(f(x), 0);
  };

export const functions: Readonly<Record<string, (a: Complex) => Complex>> = {
  sin,
  cos,
  tan,
  sinh,
  cosh,
  arcsin,
  arccos,
  arctan,
  cot: (a) => over(cos(a), sin(a)),
  sec: reciprocal(cos),
  csc: reciprocal(sin),
  tanh: (a) => (Math.abs(a.re) > 16 ? undefinedValue : over(sinh(a), cosh(a))),
  coth: (a) => over(cosh(a), sinh(a)),
  arcsec: inverse(arccos),
  arccsc: inverse(arcsin),
  arccot: (a) => plus(real(Math.PI / 2), negative(arctan(a))),
  arsinh: smooth(Math.asinh),
  arcosh: smooth(Math.acosh),
  artanh: smooth(Math.atanh),
  exp: exponential,
  ln: logarithm,
  cis: (a) => exponential(turned(a)),
  absolute: (a) => ({ re: modulus(a), im: 0, err: a.err + modulus(a) * 2 ** -52 }),
  abs: (a) => ({ re: modulus(a), im: 0, err: a.err + modulus(a) * 2 ** -52 }),
  floor: stepped(Math.floor),
  ceil: stepped(Math.ceil),
  sgn: stepped(Math.sign),
  sign: stepped(Math.sign),
  conjugate: ({ re, im, err }) => ({ re, im: -im, err }),
  cbrt: (a) => rootOf(a, 3),
  Re: ({ re, err }) => ({ re, im: 0, err }),
  Im: ({ im, err }) => ({ re: im, im: 0, err }),
  arg: (a) =>
    modulus(a) <= a.err ? undefinedValue : { re: Math.atan2(a.im, a.re), im: 0, err: a.err / modulus(a) + 2 ** -51 },
  deg: (a) => a,
  factorial: (a) => gamma(plus(a, one)),
  doubleFactorial: (a) => doubleFactorial(a),
  gamma: (a) => gamma(a),
};

/** Lanczos, g = 7, nine terms: about 15 digits. @see Numerical Recipes, 3rd ed., section 6.1. */
const lanczos = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
];

function gamma(a: Complex): Complex {
  if (a.im !== 0 || (a.re <= 0 && Number.isInteger(a.re)) || Math.abs(a.re) > 170) return undefinedValue;
  if (Number.isInteger(a.re) && a.err < 1e-9) {
    let product = 1;
    for (let factor = 2; factor < a.re; factor += 1) product *= factor;
    return real(product, a.err === 0 ? product * a.re * 2 ** -53 : product * (a.err * 6 + a.re * 2 ** -53));
  }
  if (a.re < 0.5) {
    const value = Math.PI / (Math.sin(Math.PI * a.re) * gamma(real(1 - a.re)).re);
    return real(value, Math.abs(value) * 1e-12);
  }
  const x = a.re - 1;
  const t = x + 7.5;
  const sum = lanczos.slice(1).reduce((total, term, index) => total + term / (x + index + 1), lanczos[0]!);
  const value = Math.sqrt(2 * Math.PI) * t ** (x + 0.5) * Math.exp(-t) * sum;
  return real(value, Math.abs(value) * (1e-13 + a.err * 6));
}

function doubleFactorial(a: Complex): Complex {
  if (a.im !== 0 || !Number.isInteger(a.re) || a.re < 0 || a.re > 300) return undefinedValue;
  let product = 1;
  for (let factor = a.re; factor > 1; factor -= 2) product *= factor;
  return Number.isFinite(product) ? real(product, product * 1e-14) : undefinedValue;
}

export function binomial(n: Complex, k: Complex): Complex {
  if (n.im !== 0 || k.im !== 0) return undefinedValue;
  if (Number.isInteger(k.re) && k.err === 0) {
    if (k.re < 0) return real(0, 0);
    if (k.re > 1000) return undefinedValue;
    let product: Complex = one;
    for (let index = 0; index < k.re; index += 1) {
      product = times(product, over(plus(n, real(-index, 0)), real(index + 1, 0)));
      if (product.re === 0 || Number.isNaN(product.re)) break;
    }
    return product;
  }
  const below = times(gamma(plus(k, one)), gamma(plus(plus(n, negative(k)), one)));
  return over(gamma(plus(n, one)), below);
}

export function moduloOf(a: Complex, b: Complex): Complex {
  const quotient = functions.floor!(over(a, b));
  return plus(a, negative(times(b, quotient)));
}

export const logarithmTo = (a: Complex, base: Complex) => over(logarithm(a), logarithm(base));
export const raise = toThe;
