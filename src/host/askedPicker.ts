import type { RunStore } from '../journal/runStore';
import { RetoolError } from '../lib/errors';
import type { AskedEvaluation, RunState } from '../schema/runState';
import { nameIn } from './model/askedName';
import { progressWords } from './model/askedRow';
import type { NodeOf } from './model/treeNode';
import { chooseOne } from './quickPick';
import type { Strings } from './strings';

interface Wanted {
  readonly fits: (asked: AskedEvaluation) => boolean;
  readonly title: string;
  /** Said where none fits. */
  readonly none: string;
}

/**
 * The evaluation that a row is about, else the only one that fits, else one that is chosen.
 *
 * @throws RetoolError `run` where none fits, `cancelled`.
 */
export async function pickAsked(
  store: RunStore,
  subject: unknown,
  { fits, title, none }: Wanted,
  strings: Strings,
): Promise<{ readonly run: RunState; readonly asked: AskedEvaluation }> {
  const { runId, id } = (subject ?? {}) as Partial<NodeOf<'evaluation'>>;
  const all = [...store.ids(), ...store.shelfIds()].flatMap((each) => {
    const run = store.get(each);
    return run ? run.asked.map((asked) => ({ run, asked })) : [];
  });
  const fitting = all.filter(({ asked }) => fits(asked)).sort((a, b) => turnOf(a.asked) - turnOf(b.asked));
  const found = id === undefined ? undefined : fitting.find(({ run, asked }) => run.id === runId && asked.id === id);
  if (found) return found;
  const [only, another] = fitting;
  if (!only || id !== undefined) throw new RetoolError('run', none);
  if (!another) return only;
  return chooseOne(
    title,
    fitting.map((each) => ({
      ...each,
      label: nameIn(each.run, each.asked, strings),
      description: progressWords(each.asked, strings),
      detail: each.run.name,
    })),
  );
}

/** Those under way come first, then the queue, what others make last. */
function turnOf({ status, place = 0 }: AskedEvaluation): number {
  if (status === 'running' || status === 'stopping') return -2;
  if (status === 'waiting') return -1;
  return status === 'elsewhere' ? Number.MAX_SAFE_INTEGER : place;
}
