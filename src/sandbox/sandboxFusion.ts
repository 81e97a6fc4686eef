import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import { gate } from '../lib/concurrency';
import { RetoolError } from '../lib/errors';
import type { Disposable } from '../lib/lifecycle';
import { lastLine } from '../lib/readableText';
import type { Sandbox } from '../rl/ports';
import type { ToolResult } from '../schema/trajectory';
import { boundedOutput } from './boundedOutput';
import { type CodeForm, runInForm, usualForm } from './codeForm';
import { infrastructureResult } from './toolResult';

/** What `POST /run_code` answers, as SandboxFusion documents it. */
const Answer = z.object({
  status: z.enum(['Success', 'Failed', 'SandboxError']),
  message: z.string().nullish(),
  run_result: z
    .object({
      status: z.enum(['Finished', 'Error', 'TimeLimitExceeded']),
      execution_time: z.number().nullish(),
      return_code: z.int().nullish(),
      stdout: z.string().nullish(),
      stderr: z.string().nullish(),
    })
    .nullish(),
});

const level = 'remote';
const tries = 3;

/** Seeds `random` and prints a last expression, as the sandbox of the product does. */
const program = (code: string, printsValue: boolean, seed: number) => `import ast, random, sys
random.seed(${seed % 2 ** 32})
tree = ast.parse(${JSON.stringify(code)}, "<code>")
shown = ${printsValue ? 'tree.body and isinstance(tree.body[-1], ast.Expr)' : 'False'}
last = ast.Expression(tree.body.pop().value) if shown else None
names = {"__name__": "__main__"}
exec(compile(tree, "<code>", "exec"), names)
value = last and eval(compile(last, "<code>", "eval"), names)
if value is not None: print(value)
`;

interface FusionLimits {
  readonly wallSeconds: number;
  readonly outputBytes: number;
  readonly concurrency: number;
}

/** Runs code on a SandboxFusion server. What keeps code apart there is up to that server. */
export class SandboxFusion implements Sandbox, Disposable {
  readonly level = level;
  private readonly url: string;
  private readonly limits: FusionLimits;
  private readonly enter: ReturnType<typeof gate>;
  private readonly ending = new AbortController();
  private readonly form: CodeForm;

  constructor(url: string, limits: FusionLimits, form: CodeForm = usualForm) {
    this.url = `${url.replace(/\/$/, '')}/run_code`;
    this.limits = limits;
    this.form = form;
    this.enter = gate(limits.concurrency || 32);
  }

  run(code: string, seed: number, signal: AbortSignal): Promise<ToolResult> {
    return runInForm(code, this.form, (text, printsValue) => this.runText(program(text, printsValue, seed), signal));
  }

  private runText(text: string, signal: AbortSignal): Promise<ToolResult> {
    const asked = performance.now();
    return this.enter(signal, async () => {
      const queueSeconds = (performance.now() - asked) / 1000;
      let reason = '';
      for (let n = 1; n <= tries; n++) {
        try {
          return { ...(await this.ask(text, signal)), queueSeconds };
        } catch (error) {
          signal.throwIfAborted();
          reason = reasonOf(error);
          if (n < tries) await delay(100 * 4 ** n, undefined, { signal });
        }
      }
      return infrastructureResult(`${this.url}: ${reason}`, level, queueSeconds);
    });
  }

  /** @throws RetoolError `python` when a small product does not come out right. */
  async probe(signal: AbortSignal = new AbortController().signal): Promise<void> {
    const { status, stdout, stderr } = await this.run('print(6 * 7)', 0, signal);
    if (status === 'ok' && stdout === '42\n') return;
    const instead = status === 'ok' ? `it printed "${stdout.trim().slice(0, 60)}"` : lastLine(stderr) || status;
    throw new RetoolError('python', `The sandbox server cannot run print(6 * 7): ${instead.replace(/\.$/, '')}.`, {
      hint: 'Check sandbox.fusionUrl in the experiment, and that the server runs.',
    });
  }

  dispose(): void {
    this.ending.abort();
  }

  private async ask(code: string, signal: AbortSignal): Promise<ToolResult> {
    const { wallSeconds, outputBytes } = this.limits;
    const backstop = AbortSignal.timeout((wallSeconds + 30) * 1000);
    const response = await fetch(this.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code, language: 'python', run_timeout: wallSeconds }),
      signal: AbortSignal.any([signal, this.ending.signal, backstop]),
    });
    if (!response.ok) throw new Error(`it answered ${response.status}`);
    const answer = Answer.safeParse(await response.json().catch(() => undefined));
    if (!answer.success) throw new Error('its answer is not that of SandboxFusion');
    const { status, message, run_result: run } = answer.data;
    if (status === 'SandboxError' || !run) throw new Error(message || 'the server failed');
    const cut = (text: string | null | undefined) => boundedText(text ?? '', outputBytes);
    const [stdout, stderr] = [cut(run.stdout), cut(run.stderr)];
    const timedOut = run.status === 'TimeLimitExceeded';
    return {
      status: timedOut ? 'timeout' : run.return_code === 0 ? 'ok' : 'error',
      stdout: stdout.text,
      stderr: stderr.text,
      exitCode: timedOut ? null : (run.return_code ?? null),
      signal: null,
      seconds: run.execution_time ?? 0,
      queueSeconds: 0,
      cpuSeconds: 0,
      peakMemoryBytes: 0,
      truncated: stdout.truncated || stderr.truncated,
      level,
    };
  }
}

/** `fetch failed` keeps its reason in its cause. */
function reasonOf(error: unknown): string {
  const { cause } = error as { readonly cause?: unknown };
  const known = cause instanceof Error ? cause : error;
  return known instanceof Error ? known.message || known.name : String(known);
}

function boundedText(text: string, limit: number) {
  const bytes = Buffer.from(text);
  if (bytes.length <= limit) return boundedOutput({ total: bytes.length, head: bytes, tail: Buffer.alloc(0) });
  const first = Math.floor(limit / 4);
  return boundedOutput({
    total: bytes.length,
    head: bytes.subarray(0, first),
    tail: bytes.subarray(bytes.length - limit + first),
  });
}
