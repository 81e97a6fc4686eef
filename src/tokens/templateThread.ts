import { parentPort, workerData } from 'node:worker_threads';
import { RetoolError } from '../lib/errors';
import { ChatTemplate } from './chatTemplate';
import { readModelFiles } from './modelFolder';
import { ModelTokenizer } from './modelTokenizer';
import { testTemplate } from './selfTest';
import type { TemplateReply, TemplateRequest } from './templateReport';

/** Parsing a vocabulary takes seconds and a template may never end: both are done here, off the caller's loop. */
async function answer({ path, tokenizerPath }: TemplateRequest): Promise<TemplateReply> {
  try {
    const { template, templatePath, tokenizer, config } = await readModelFiles(path, tokenizerPath);
    const end = (config as { eos_token?: unknown }).eos_token;
    const endToken = typeof end === 'object' && end !== null ? (end as { content?: unknown }).content : end;
    const report = testTemplate(
      new ChatTemplate(template),
      tokenizer === undefined ? undefined : new ModelTokenizer(tokenizer, config),
      typeof endToken === 'string' ? endToken : undefined,
    );
    return { templatePath, report };
  } catch (error) {
    const { code, message, hint } = RetoolError.from('bug', 'The template could not be tested', error);
    return { error: { code, message, hint } };
  }
}

void answer(workerData as TemplateRequest).then((reply) => parentPort!.postMessage(reply));
