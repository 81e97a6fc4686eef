import { RetoolError } from '../lib/errors';
import { ChatTemplate } from './chatTemplate';
import { readModelFiles } from './modelFolder';
import { ModelTokenizer } from './modelTokenizer';
import { testTemplate } from './selfTest';
import type { TemplateReply, TemplateRequest } from './templateReport';

/** Parsing a vocabulary takes seconds, and a template may never end or take all memory: both are done here, apart. */
async function answer({ path, tokenizerPath }: TemplateRequest): Promise<TemplateReply> {
  try {
    const { template, templatePath, tokenizer, config, generation } = await readModelFiles(path, tokenizerPath);
    const end = (config as { eos_token?: unknown }).eos_token;
    const endToken = typeof end === 'object' && end !== null ? (end as { content?: unknown }).content : end;
    const report = testTemplate(
      new ChatTemplate(template),
      tokenizer === undefined ? undefined : new ModelTokenizer(tokenizer, config),
      typeof endToken === 'string' ? endToken : undefined,
      generation,
    );
    return { templatePath, report };
  } catch (error) {
    const { code, message, hint } = RetoolError.from('bug', 'The template could not be tested', error);
    return { error: { code, message, hint } };
  }
}

process.once('message', (request) => {
  void answer(request as TemplateRequest).then((reply) =>
    process.send!(reply, undefined, undefined, () => process.disconnect()),
  );
});
