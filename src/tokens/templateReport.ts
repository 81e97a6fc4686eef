import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type ErrorCode, RetoolError } from '../lib/errors';
import type { TemplateReport } from './selfTest';

export interface TemplateRequest {
  /** A template, or the folder of a model. */
  readonly path: string;
  readonly tokenizerPath: string | undefined;
}

export type TemplateReply =
  | { readonly templatePath: string; readonly report: TemplateReport; readonly error?: undefined }
  | { readonly error: { readonly code: ErrorCode; readonly message: string; readonly hint: string | undefined } };

/** Seconds after which a template is taken for one that never ends. */
const limit = 120;

/**
 * Tests a model's template and tokenizer in a thread of its own.
 *
 * @param script the built `templateThread.js`.
 * @throws RetoolError naming what is wrong with the files.
 */
export async function reportTemplate(
  script: string,
  request: TemplateRequest,
): Promise<{ readonly templatePath: string; readonly report: TemplateReport }> {
  const worker = new Worker(script, { workerData: request, resourceLimits: { maxOldGenerationSizeMb: 2048 } });
  try {
    const [reply] = (await once(worker, 'message', { signal: AbortSignal.timeout(limit * 1000) })) as [TemplateReply];
    if (!reply.error) return reply;
    const { code, message, hint } = reply.error;
    throw new RetoolError(code, message, hint === undefined ? {} : { hint });
  } catch (error) {
    if (error instanceof RetoolError) throw error;
    if (error instanceof Error && error.name === 'AbortError') {
      throw new RetoolError('config', `The chat template was not rendered within ${limit} seconds.`);
    }
    throw RetoolError.from('config', 'The template could not be tested', error);
  } finally {
    await worker.terminate();
  }
}
