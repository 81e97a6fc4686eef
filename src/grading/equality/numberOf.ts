import { Unread } from './effort';
import { rational } from './rational';
import type { Token } from './tokenize';
import type { NumberTree } from './tree';

/** Digits beyond which a number is not read. */
const longest = 12_000;

const shortWhole = /^(?:0|[1-9]\d*)$/;

export function numberOf({ text, repeating }: Token): NumberTree {
  if (text.length < 16 && repeating === undefined && shortWhole.test(text)) {
    return { kind: 'number', value: { n: BigInt(text), d: 1n }, digits: text.length };
  }
  if (text.length > longest) throw new Unread('a number is too long');
  if (/^0[xbo]/.test(text)) return { kind: 'number', value: { n: BigInt(text), d: 1n }, digits: text.length };
  const [mantissa, exponentText] = text.split('e') as [string, string | undefined];
  const [wholeDigits, fraction = ''] = mantissa.split('.') as [string, string | undefined];
  const exponent = Number(exponentText ?? 0);
  if (Math.abs(exponent) > 10_000) throw new Unread('the power of ten is too large');
  let n = BigInt(wholeDigits + fraction || '0');
  let d = 10n ** BigInt(fraction.length);
  if (repeating !== undefined) {
    const nines = 10n ** BigInt(repeating.length) - 1n;
    n = n * nines + BigInt(repeating);
    d *= nines;
  }
  if (exponent > 0) n *= 10n ** BigInt(exponent);
  else if (exponent < 0) d *= 10n ** BigInt(-exponent);
  const value = rational(n, d);
  if (!value) throw new Unread('a number is too long');
  const digits = (wholeDigits + fraction).replace(/^0+/, '').length;
  const places = mantissa.includes('.') && repeating === undefined ? fraction.length - exponent : undefined;
  return { kind: 'number', value, digits, ...(places !== undefined && { places }) };
}
