import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { RetoolError } from '../lib/errors';
import { readUserText } from '../lib/userFile';

/** What a model says of its text. */
export interface ModelFiles {
  readonly template: string;
  /** Where the template stood. */
  readonly templatePath: string;
  readonly tokenizer: unknown;
  readonly config: unknown;
  /** `generation_config.json`; undefined where there is none. */
  readonly generation: unknown;
}

/**
 * Reads what a model folder, or a template alone, says of a model's text.
 *
 * @param path a folder with `tokenizer.json` and `chat_template.jinja` or `tokenizer_config.json`, or a template.
 * @param tokenizerPath of another `tokenizer.json`. A template alone has none: then `tokenizer` is undefined.
 * @throws RetoolError naming the file that is missing or wrong.
 */
export async function readModelFiles(path: string, tokenizerPath: string | undefined): Promise<ModelFiles> {
  const isFolder = (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
  const ownTokenizer = join(path, 'tokenizer.json');
  const from = tokenizerPath ?? (isFolder && (await exists(ownTokenizer)) ? ownTokenizer : undefined);
  const tokenizer = from === undefined ? undefined : await readJson(from);
  const beside = from === undefined ? undefined : join(dirname(from), 'tokenizer_config.json');
  const config = beside !== undefined && (await exists(beside)) ? await readJson(beside) : {};
  const settings = join(path, 'generation_config.json');
  const generation = isFolder && (await exists(settings)) ? await readJson(settings) : undefined;
  if (!isFolder) {
    const hint = 'Give a chat template (Jinja), or the folder of a model.';
    return {
      template: await readUserText(path, 'config', hint),
      templatePath: path,
      tokenizer,
      config,
      generation,
    };
  }
  const jinja = join(path, 'chat_template.jinja');
  if (await exists(jinja)) {
    return { template: await readUserText(jinja, 'config'), templatePath: jinja, tokenizer, config, generation };
  }
  const holder = join(path, 'tokenizer_config.json');
  const held = (await exists(holder)) ? templateIn(await readJson(holder)) : undefined;
  if (held !== undefined) return { template: held, templatePath: holder, tokenizer, config, generation };
  throw new RetoolError('config', `${path} has no chat template.`, {
    hint: 'Put chat_template.jinja there, or a tokenizer_config.json with "chat_template".',
  });
}

/** Some models have several templates: that for tools is the one that is asked for. */
function templateIn(config: unknown): string | undefined {
  const { chat_template: template } = (config ?? {}) as { chat_template?: unknown };
  if (typeof template === 'string') return template;
  if (!Array.isArray(template)) return undefined;
  const named = template as { name?: unknown; template?: unknown }[];
  const chosen = named.find(({ name }) => name === 'tool_use') ?? named.find(({ name }) => name === 'default');
  return typeof chosen?.template === 'string' ? chosen.template : undefined;
}

const exists = async (path: string): Promise<boolean> => (await stat(path).catch(() => undefined))?.isFile() ?? false;

async function readJson(path: string): Promise<unknown> {
  const text = await readUserText(path, 'config');
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new RetoolError('config', `${path} is not JSON: ${(error as Error).message}.`);
  }
}
