import { execa } from 'execa';
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
const memoryMegabytes = 2048;

/**
 * Tests a model's template and tokenizer in a process of its own: a loop in a template can take all memory, which ends
 * the process that it runs in.
 *
 * @param script the built `templateProcess.js`.
 * @throws RetoolError naming the file and what is wrong with it.
 */
export async function reportTemplate(
  script: string,
  request: TemplateRequest,
): Promise<{ readonly templatePath: string; readonly report: TemplateReport }> {
  const flags = [`--max-old-space-size=${memoryMegabytes}`, script];
  const { ipcOutput, timedOut } = await execa(process.execPath, flags, {
    ipcInput: { path: request.path, tokenizerPath: request.tokenizerPath },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'ignore',
    timeout: limit * 1000,
    forceKillAfterDelay: 500,
    reject: false,
  });
  const [reply] = ipcOutput as unknown as [TemplateReply | undefined];
  if (reply && !reply.error) return reply;
  const hint = 'Look for a loop that does not end, or that makes a very long text.';
  if (!reply) {
    const end = timedOut ? `is not rendered within ${limit} seconds` : 'takes more memory than a template needs';
    throw new RetoolError('config', `${request.path}: the chat template ${end}.`, { hint });
  }
  const { code, message, hint: advice } = reply.error;
  const line = message.replaceAll(/\s*\n\s*/g, ' ');
  const named = line.includes(request.path) ? line : `${request.path}: ${line}`;
  throw new RetoolError(code, named, advice === undefined ? {} : { hint: advice });
}
