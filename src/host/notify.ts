import * as vscode from 'vscode';
import { type ErrorCode, RetoolError } from '../lib/errors';
import type { Log } from './log';
import type { Strings } from './strings';

interface Remedy {
  readonly label: keyof Strings['errors'];
  readonly command: string;
  readonly args?: readonly unknown[];
}

const remedies: { readonly [Code in ErrorCode]?: Remedy } = {
  python: { label: 'openSettings', command: 'workbench.action.openSettings', args: ['retool.sandbox.python'] },
  config: { label: 'openExperiment', command: 'retool.openExperiment' },
  data: { label: 'openExperiment', command: 'retool.openExperiment' },
  key: { label: 'setServiceKey', command: 'retool.setServiceKey' },
};

/** A button of a message, with what it does. */
export interface Choice {
  readonly label: string;
  /** It stands in the place of what an error of this kind is usually mended by. */
  readonly isRemedy?: boolean;
  act(): unknown;
}

/** Shows a message with buttons and does what is chosen. Resolves at once: nobody waits for a person. */
export function offer(
  show: (message: string, ...labels: string[]) => Thenable<string | undefined>,
  message: string,
  ...choices: readonly Choice[]
): void {
  void show(message, ...choices.map(({ label }) => label)).then((chosen) =>
    choices.find(({ label }) => label === chosen)?.act(),
  );
}

/** The one place where an error becomes a toast. A cancellation is silent: the person asked for it. */
export class Notifier {
  private readonly log: Log;
  private readonly strings: Strings;

  constructor(log: Log, strings: Strings) {
    this.log = log;
    this.strings = strings;
  }

  /** @param subject what the failed command was about, handed on to the remedy; `more` stands behind the remedy. */
  error(what: string, cause: unknown, subject?: unknown, ...more: readonly Choice[]): void {
    const error = RetoolError.from('bug', what, cause);
    if (error.code === 'cancelled') return;
    const sentence = [error.message, error.hint].filter(Boolean).join(' ');
    // Where it was thrown helps with our own faults alone.
    this.log.error(error.code === 'bug' ? (error.stack ?? sentence) : sentence);
    const { errors } = this.strings;
    const remedy = remedies[error.code];
    const message = errors.prefix(sentence);
    const choices: Choice[] = [...more, { label: errors.showLog, act: () => this.log.show() }];
    if (remedy && !more.some(({ isRemedy }) => isRemedy)) {
      const args = remedy.args ?? ['url' in error ? error.url : subject];
      choices.unshift({
        label: errors[remedy.label] as string,
        act: () => vscode.commands.executeCommand(remedy.command, ...args),
      });
    }
    offer(vscode.window.showErrorMessage, message, ...choices);
  }

  info(message: string, ...choices: readonly Choice[]): void {
    offer(vscode.window.showInformationMessage, message, ...choices);
  }

  warn(message: string, ...choices: readonly Choice[]): void {
    offer(vscode.window.showWarningMessage, message, ...choices);
  }
}
