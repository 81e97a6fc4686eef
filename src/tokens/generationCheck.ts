import type { Conversation } from './conversation';
import type { ModelTokenizer } from './modelTokenizer';
import { question, type TemplateCheck } from './samples';

/** What the makers of a model say of sampling it: `generation_config.json`, as far as it is read. */
interface GenerationConfig {
  readonly temperature?: unknown;
  readonly top_p?: unknown;
  readonly top_k?: unknown;
  readonly eos_token_id?: unknown;
}

/** Tells a model's generation settings, and whether its turns end where they say. */
export function generationCheck(
  conversation: Conversation,
  tokenizer: ModelTokenizer | undefined,
  config: GenerationConfig,
): TemplateCheck {
  const name = 'generation settings';
  const settings = (['temperature', 'top_p', 'top_k'] as const)
    .filter((key) => typeof config[key] === 'number')
    .map((key) => `${key} ${config[key] as number}`);
  const sampled = settings.length === 0 ? 'They name no temperature' : `The model is sampled at ${settings.join(', ')}`;
  const ends = [config.eos_token_id].flat().filter((id): id is number => Number.isInteger(id));
  if (ends.length === 0) return { name, ok: null, says: `${sampled}; no end token.` };
  if (!tokenizer) return { name, ok: null, says: `${sampled}; it ends at ${ends.join(', ')}.` };
  const listed = ends.map((id) => `${tokenizer.decode([id])} (${id})`).join(', ');
  const [end] = tokenizer.encodeMarkup(conversation.closing([question]));
  if (end !== undefined && ends.includes(end)) return { name, ok: true, says: `${sampled}; it ends at ${listed}.` };
  const says = `${sampled}; it ends at ${listed}, none of which ends a turn of the template.`;
  return { name, ok: false, says, remedies: ['Give the token that ends a turn to the sampler as a stop.'] };
}
