import * as vscode from 'vscode';
import { totalSteps } from '../journal/forecast';
import type { RunStore } from '../journal/runStore';
import { RetoolError } from '../lib/errors';
import type { RunState } from '../schema/runState';
import { startText } from './model/format';
import { statusIcons } from './model/treeRow';
import { type Choose, chooseOne } from './quickPick';
import type { Strings } from './strings';

interface Ask {
  readonly title: string;
  /** Said when no run fits. */
  readonly none: string;
  readonly fits?: (run: RunState) => boolean;
}

/**
 * Finds the run that a command is about: the one it was given, the one a person works in, the only one that fits, or the
 * one that is chosen.
 */
export class RunPicker {
  private readonly store: RunStore;
  private readonly strings: Strings;

  private readonly current: () => string | undefined;

  constructor(store: RunStore, strings: Strings, current: () => string | undefined) {
    this.store = store;
    this.strings = strings;
    this.current = current;
  }

  /** @param subject a tree node, a run's id, or nothing. */
  async pick(subject: unknown, ask: Ask, choose: Choose = chooseOne): Promise<RunState> {
    const id = runIdOf(subject);
    if (id !== undefined) {
      const run = this.store.get(id);
      if (!run) throw new RetoolError('run', this.strings.errors.runGone);
      return run;
    }
    const ids = this.store.ids();
    if (ids.length === 0) throw new RetoolError('run', this.strings.training.noRun);
    const fitting = ids.flatMap((candidate) => this.store.get(candidate) ?? []).filter(ask.fits ?? (() => true));
    const [only] = fitting;
    if (!only) throw new RetoolError('run', ask.none);
    if (fitting.length === 1) return only;
    const current = this.current();
    const open = fitting.find(({ id }) => id === current);
    if (open) return open;
    const items = fitting.map((run) => ({
      run,
      label: run.name,
      description: `${startText(run.startedAt)} · ${run.step}/${totalSteps(run)} · ${this.strings.status[run.status]}`,
      detail: run.id,
      iconPath: new vscode.ThemeIcon(statusIcons[run.status].icon),
    }));
    return (await choose(ask.title, items)).run;
  }
}

function runIdOf(subject: unknown): string | undefined {
  if (typeof subject === 'string') return subject;
  if (typeof subject === 'object' && subject !== null && 'runId' in subject) return String(subject.runId);
  return undefined;
}
