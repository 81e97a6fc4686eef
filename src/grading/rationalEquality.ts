/** A number with a numerator and a positive denominator. They need not be in lowest terms. */
interface Rational {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** Longer texts are no answers, and big numbers take time. */
const longest = 400;

const plain = /^([+-]?)(\d+|[1-9]\d{0,2}(?:,\d{3})+)(?:\.(\d+))?$/;
const bare = /^([+-]?)\.(\d+)$/;
const fraction = /^([+-]?\d+)\/([+-]?\d+)$/;
const latexFraction = /^([+-]?)\\[dt]?frac\{([+-]?\d+)\}\{([+-]?\d+)\}$/;

/**
 * Whether two texts are the same rational number: `-3`, `+4`, `1,234`, `0.75`, `3/4`, `\frac{3}{4}`. Exact, without
 * rounding. Undefined when either is anything else, a quotient by zero too.
 */
export function equalRationals(left: string, right: string): boolean | undefined {
  const [a, b] = [parseRational(left), parseRational(right)];
  if (!a || !b) return undefined;
  return a.numerator * b.denominator === b.numerator * a.denominator;
}

function parseRational(text: string): Rational | undefined {
  if (text.length > longest) return undefined;
  const compact = text
    .trim()
    .replace(/^\$(.*)\$$/s, '$1')
    .replaceAll('\u2212', '-')
    .replaceAll(/\s+(?=\/)|(?<=\/)\s+/g, '')
    .trim();
  const number = plain.exec(compact);
  if (number) return decimal(number[1]!, number[2]!.replaceAll(',', ''), number[3] ?? '');
  const dot = bare.exec(compact);
  if (dot) return decimal(dot[1]!, '0', dot[2]!);
  const slash = fraction.exec(compact);
  if (slash) return quotient('', slash[1]!, slash[2]!);
  const latex = latexFraction.exec(compact);
  return latex ? quotient(latex[1]!, latex[2]!, latex[3]!) : undefined;
}

function decimal(sign: string, whole: string, digits: string): Rational {
  const value = BigInt(whole + digits);
  return { numerator: sign === '-' ? -value : value, denominator: 10n ** BigInt(digits.length) };
}

function quotient(sign: string, above: string, below: string): Rational | undefined {
  const numerator = BigInt(above.replace('+', ''));
  const denominator = BigInt(below.replace('+', ''));
  if (denominator === 0n) return undefined;
  const negative = (sign === '-') !== denominator < 0n;
  return { numerator: negative ? -numerator : numerator, denominator: denominator < 0n ? -denominator : denominator };
}
