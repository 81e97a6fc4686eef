import { RetoolError } from '../lib/errors';
import { typeable } from './invocation';

/** Text as a terminal may show it: what would steer the terminal is made visible. */
export const printable = (text: string): string =>
  text.replaceAll(/(?![\n\t])[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, (control) => {
    const code = control.charCodeAt(0);
    return code < 32 ? String.fromCharCode(0x2400 + code) : '\ufffd';
  });

/** What a command says and how: sentences on a terminal, JSON lines where `--json` was given. */
export class Output {
  readonly json: boolean;
  private transient = false;

  constructor(json: boolean) {
    this.json = json;
  }

  /** A JSON line on stdout; nothing without `--json`. */
  record(value: object): void {
    if (this.json) process.stdout.write(`${JSON.stringify(value)}\n`);
  }

  /** A line for people; nothing with `--json`. */
  say(text: string): void {
    if (this.json) return;
    this.clear();
    process.stdout.write(`${printable(text)}\n`);
  }

  /** A line that names commands as `retool …`: they are said as they can be typed here. */
  advise(text: string): void {
    this.say(typeable(text));
  }

  /** A line that the next one replaces on a terminal. Elsewhere it is a line like any other. */
  progress(text: string): void {
    if (this.json) return;
    if (!process.stdout.isTTY) {
      process.stdout.write(`${printable(text)}\n`);
      return;
    }
    process.stdout.write(`\r\u001b[2K${printable(text).slice(0, (process.stdout.columns || 80) - 1)}`);
    this.transient = true;
  }

  /** The last word of a command. */
  summary(value: object): void {
    this.record({ kind: 'summary', ...value });
  }

  /** One sentence on stderr, and with `--json` a record on stdout. */
  error(error: unknown): void {
    const known = RetoolError.from('bug', 'ReTool failed', error);
    this.clear();
    const [message, hint] = [known.message, known.hint].map((text) => text && typeable(text));
    process.stderr.write(`${printable([message, hint].filter(Boolean).join(' '))}\n`);
    if (known.code === 'bug' && process.env.RETOOL_DEBUG) process.stderr.write(`${known.stack}\n`);
    this.record({ kind: 'error', message, ...(hint ? { hint } : {}) });
  }

  private clear(): void {
    if (!this.transient) return;
    process.stdout.write('\r\u001b[2K');
    this.transient = false;
  }
}

export const exitCode = { done: 0, failed: 1, usage: 2, interrupted: 130 } as const;

export function exitCodeOf(error: unknown): number {
  if (!(error instanceof RetoolError)) return exitCode.failed;
  if (error.code === 'cancelled') return exitCode.interrupted;
  return error.code === 'usage' || error.code === 'config' ? exitCode.usage : exitCode.failed;
}
