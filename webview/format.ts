import { fill } from '../src/figures/numbers';

export { fill };

import { words } from './host';

/** What a value is, and so how it is written. */
export type Unit = 'number' | 'signed' | 'share' | 'count' | 'seconds';

const minus = '\u2212';
const thin = '\u202f';
const digitsOf = (value: number): number => (Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2);

export function formatValue(value: number, unit: Unit): string {
  switch (unit) {
    case 'signed':
      return `${value > 0 && Number(value.toFixed(2)) !== 0 ? '+' : ''}${negative(value.toFixed(2))}`;
    case 'share':
      return `${negative((value * 100).toFixed(Math.abs(value) < 0.1 && value !== 0 ? 1 : 0))}${thin}%`;
    case 'count':
      return Math.round(value).toLocaleString('en-US');
    case 'seconds':
      return formatSeconds(value);
    default:
      return negative(small(value));
  }
}

/**
 * A tick of an axis. All ticks of one have as many decimals as their distance needs; there is no space before a percent
 * sign. @param spacing distance of two ticks.
 */
export function formatTick(value: number, unit: Unit, spacing: number): string {
  if (unit === 'share') return `${fixed(value * 100, spacing * 100)}%`;
  if (unit === 'signed') return `${value > spacing / 2 ? '+' : ''}${fixed(value, spacing)}`;
  if (unit === 'count' && spacing >= 100 && value !== 0) return `${fixed(value / 1000, spacing / 1000)}k`;
  if (unit === 'seconds') return fill(words.seconds, fixed(value, spacing));
  return fixed(value, spacing);
}

function fixed(value: number, spacing: number): string {
  if (Math.abs(value) < spacing / 1000) return '0';
  if (spacing < 1e-4) return negative(value.toExponential(0));
  const decimals = Math.max(0, -Math.floor(Math.log10(spacing) + 1e-9));
  // A distance of 0.25 needs one more than one of 0.2.
  const needs = Math.abs(Number(spacing.toFixed(decimals)) - spacing) > spacing / 1000 ? decimals + 1 : decimals;
  return negative(value.toFixed(needs));
}

export function formatSeconds(seconds: number): string {
  if (seconds === 0) return fill(words.seconds, 0);
  if (seconds < 59.95) return fill(words.seconds, seconds.toFixed(seconds < 10 ? 1 : 0));
  const whole = Math.round(seconds);
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return fill(words.minutes, minutes, whole % 60);
  return fill(words.hours, Math.floor(minutes / 60), minutes % 60);
}

const negative = (text: string): string => (/^-[0.]*$/.test(text) ? text.slice(1) : text.replace('-', minus));

function small(value: number): string {
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size < 1e-4) return value.toExponential(1);
  if (size < 0.1) return value.toPrecision(2);
  return value.toFixed(digitsOf(value));
}
