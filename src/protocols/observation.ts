import type { Tokenizer } from '../rl/ports';
import type { Experiment } from '../schema/experiment';
import type { ToolResult } from '../schema/trajectory';
import { type CutRule, cut, cutCharacters } from './cut';
import { type Form, forms } from './observe';

/** How a model is shown what its code printed. */
export interface Observation {
  /** The text of a result, before it is cut to its token budget. */
  observe(result: ToolResult): string;
  /** Ids of that text, at most `limit`. */
  shown(text: string, limit: number): number[];
}

/** @param own form of the protocol, which `settings` change. Without settings nothing is changed. */
export function observation(
  own: Form,
  tokenizer: Tokenizer,
  settings: Partial<Experiment['observation']> = {},
): Observation {
  const { errors, empty, timeout, characters, marker = '...', tokenMarker = '...' } = settings;
  const form = errors === undefined ? own : forms[errors];
  const keep = settings.keep ?? (characters === undefined ? undefined : 'headAndTail');
  const byTokens: CutRule | undefined = keep && { keep, marker: tokenMarker };
  return {
    observe(result) {
      if (timeout !== undefined && result.status === 'timeout') return timeout;
      const text = form(result, empty);
      return characters === undefined || !keep ? text : cutCharacters(text, characters, { keep, marker });
    },
    shown: (text, limit) => cut(tokenizer, text, limit, byTokens),
  };
}
