import { words } from './host';

/** What a value is, and so how it is written. */
export type Unit = 'number' | 'signed' | 'share' | 'count' | 'seconds';

const minus = '\u2212';
const thin = '\u202f';
const digitsOf = (value: number): number => (Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2);

export function fill(template: string, ...values: (string | number)[]): string {
  return template.replace(/\{(\d)\}/g, (_, i: string) => String(values[Number(i)] ?? ''));
}

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

/** Ticks have no space before a percent sign. */
export function formatTick(value: number, unit: Unit): string {
  if (unit === 'share') return `${negative(String(Math.round(value * 1000) / 10))}%`;
  if (unit === 'signed') return `${value > 0 ? '+' : ''}${negative(trimmed(value))}`;
  if (unit === 'count' && Math.abs(value) >= 1000) return `${negative(trimmed(value / 1000))}k`;
  if (unit === 'seconds') return fill(words.seconds, negative(trimmed(value)));
  return negative(trimmed(value));
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

const trimmed = (value: number): string => {
  const size = Math.abs(value);
  return size !== 0 && size < 1e-4 ? value.toExponential(0) : String(Number(value.toPrecision(4)));
};
