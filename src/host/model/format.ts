import type { Strings } from '../strings';

const minus = '\u2212';
const thin = '\u202f';

/** `+0.13`, `−0.55`, `0.00`. */
export function signed(value: number, digits = 2): string {
  const text = Math.abs(value).toFixed(digits);
  if (Number(text) === 0) return text;
  return `${value < 0 ? minus : '+'}${text}`;
}

/** A reward with the digits that it has, three at most: `+1`, `−0.85`. */
export const reward = (value: number): string => signed(value, /\.?(\d*?)0*$/.exec(value.toFixed(3))?.[1]?.length ?? 0);

/** `56 %` of a share in 0..1. */
export const percent = (share: number, digits = 0): string => `${(share * 100).toFixed(digits)}${thin}%`;

/** `1,874`. */
export const count = (value: number): string => Math.round(value).toLocaleString('en-US');

/** The two largest units that matter: `0.4 s`, `9 m 21 s`, `9 h 50 m`. */
export function duration(seconds: number, strings: Strings['duration']): string {
  if (seconds < 59.95) return strings.seconds(seconds.toFixed(seconds < 0.1 ? 2 : seconds < 10 ? 1 : 0));
  const whole = Math.round(seconds);
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return strings.minutes(minutes, whole % 60);
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? strings.hours(hours, minutes % 60) : strings.days(Math.floor(hours / 24), hours % 24);
}

/** When a run began: `14:05` today, else `11-28 14:05`, in another year `2025-11-28 14:05`. */
export function startText(time: number | undefined, now = new Date()): string {
  if (time === undefined) return '';
  const at = new Date(time);
  const two = (value: number) => String(value).padStart(2, '0');
  const clock = `${two(at.getHours())}:${two(at.getMinutes())}`;
  if (at.toDateString() === now.toDateString()) return clock;
  const day = `${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return at.getFullYear() === now.getFullYear() ? `${day} ${clock}` : `${at.getFullYear()}-${day} ${clock}`;
}

/** `14:05:10`. */
export function timeText(time: number): string {
  const at = new Date(time);
  return [at.getHours(), at.getMinutes(), at.getSeconds()].map((value) => String(value).padStart(2, '0')).join(':');
}
