import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ChatTemplate, type Message } from '../../../src/tokens/chatTemplate';

const folder = join(import.meta.dirname, '../../../../shared/data/templates');
const missing = existsSync(folder) ? '' : ' (skipped: ../shared/data/templates is not beside the checkout)';

interface Rendering {
  readonly template: string;
  readonly case: string;
  readonly messages: readonly Message[];
  readonly tools: readonly unknown[] | null;
  readonly add_generation_prompt: boolean;
  readonly enable_thinking: boolean;
  readonly text?: string;
  readonly error?: string;
}

describe('a chat template', () => {
  it.skipIf(missing)(`renders as Jinja2 does in transformers, byte for byte${missing}`, () => {
    const read = (name: string) => readFileSync(join(folder, name), 'utf8');
    const renderings = read('renderings.jsonl')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Rendering);
    const templates = new Map<string, ChatTemplate>();
    const equal = renderings.filter(({ template: name, messages, tools, text, ...given }) => {
      const template = templates.get(name) ?? new ChatTemplate(read(`${name}.jinja`));
      templates.set(name, template);
      const options = {
        tools: tools ?? undefined,
        addGenerationPrompt: given.add_generation_prompt,
        enableThinking: given.enable_thinking,
      };
      if (text === undefined) {
        expect(() => template.render(messages, options)).toThrow(given.error);
        return true;
      }
      return template.render(messages, options) === text;
    });
    expect(renderings.length).toBeGreaterThanOrEqual(128);
    expect(equal).toHaveLength(renderings.length);
  });

  it.skipIf(missing)(`refuses in its own words what it cannot render${missing}`, () => {
    const template = new ChatTemplate(readFileSync(join(folder, 'qwen3.5-4b.jinja'), 'utf8'));
    expect(() => template.render([])).toThrow('No messages provided.');
    expect(() => template.render([{ role: 'assistant', content: 'a' }])).toThrow('No user query found in messages.');
  });

  it('says that a text is no template', () => {
    expect(() => new ChatTemplate('{% for %}')).toThrow(/The chat template cannot be read: /);
    const refusing = new ChatTemplate('{{ raise_exception("Only one question.") }}');
    expect(() => refusing.render([])).toThrow('The chat template refuses the conversation: Only one question.');
  });
});
