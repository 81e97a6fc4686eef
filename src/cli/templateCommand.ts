import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseModelName } from '../hub/hubName';
import { exists } from '../journal/runFolder';
import { RetoolError } from '../lib/errors';
import { readUserText } from '../lib/userFile';
import type { TemplateCheck } from '../tokens/samples';
import type { TemplateReport } from '../tokens/selfTest';
import { reportTemplate } from '../tokens/templateReport';
import { readArguments } from './arguments';
import { commandHelp } from './help';
import { hubAccess } from './hubAccess';
import { exitCode, type Output } from './output';

/** Tests the chat template and the tokenizer of a model. */
export async function templateCommand(args: readonly string[], dist: string, output: Output): Promise<number> {
  const { values, positionals } = readArguments(
    commandHelp.template.usage,
    args,
    { least: 1, most: 1 },
    {
      json: { type: 'boolean' },
      tokenizer: { type: 'string' },
      golden: { type: 'string' },
      'write-golden': { type: 'string' },
      hub: { type: 'string' },
    },
  );
  const path = await modelPath(positionals[0]!, values.hub, output);
  const request = { path, tokenizerPath: values.tokenizer };
  const { templatePath, report } = await reportTemplate(join(dist, 'templateProcess.js'), request);
  const { golden } = report;
  const checks = [...report.checks];
  if (values.golden !== undefined) checks.push(compareGolden(golden, await readGolden(values.golden)));
  output.say(templatePath);
  for (const check of checks) {
    output.say(`${check.ok === null ? '  ' : check.ok ? 'ok' : '!!'} ${check.name}: ${check.says}`);
    for (const remedy of check.remedies ?? []) output.say(`     ${remedy}`);
    output.record({ kind: 'check', ...check });
  }
  if (golden.ids === undefined)
    output.say('Tokens were not tested: there is no tokenizer.json; --tokenizer names one.');
  output.record({ kind: 'golden', ...golden });
  if (values['write-golden'] !== undefined) {
    await writeFile(values['write-golden'], `${JSON.stringify(golden)}\n`).catch((error: unknown) => {
      throw RetoolError.from('disk', `${values['write-golden']} cannot be written`, error);
    });
  }
  const failed = checks.filter(({ ok }) => ok === false).map(({ name }) => name);
  output.summary({ template: templatePath, checks: checks.length, failed, goldenTokens: golden.ids?.length ?? null });
  return failed.length === 0 ? exitCode.done : exitCode.failed;
}

/** The folder of a model of a hub, where there is no file or folder of the name. */
async function modelPath(name: string, hub: string | undefined, output: Output): Promise<string> {
  const model = (await exists(name)) ? undefined : parseModelName(name);
  if (!model) return name;
  const { hub: source, onFetch } = hubAccess(hub, output);
  return (await source.getModel(model, { onFetch })).folder;
}

async function readGolden(path: string): Promise<TemplateReport['golden']> {
  const text = await readUserText(path, 'data');
  const hint = 'Give a file that --write-golden has written, or {"text", "ids"} from another library.';
  try {
    const value = JSON.parse(text) as { text?: unknown; ids?: unknown };
    if (
      typeof value.text === 'string' &&
      (value.ids === undefined || (Array.isArray(value.ids) && value.ids.every(Number.isInteger)))
    ) {
      return value as TemplateReport['golden'];
    }
  } catch {
    // Told below, as any other file that is none.
  }
  throw new RetoolError('data', `${path} holds no golden conversation.`, { hint });
}

function compareGolden(own: TemplateReport['golden'], other: TemplateReport['golden']): TemplateCheck {
  const name = 'golden tokens';
  if (own.text !== other.text) {
    const differs = Array.from(own.text).findIndex((_, i) => own.text[i] !== other.text[i]);
    const at = differs < 0 ? own.text.length : differs;
    return { name, ok: false, says: `The text departs from the golden one at character ${at}.` };
  }
  if (!own.ids || !other.ids) return { name, ok: true, says: 'The text is the golden one; ids were not compared.' };
  const [ours, theirs] = [own.ids, other.ids];
  const at =
    ours.length === theirs.length ? ours.findIndex((id, i) => id !== theirs[i]) : Math.min(ours.length, theirs.length);
  if (at < 0) return { name, ok: true, says: `All ${ours.length} tokens are the golden ones.` };
  const first = ours.findIndex((id, i) => id !== theirs[i]);
  const where = first < 0 ? at : first;
  return {
    name,
    ok: false,
    says: `Token ${where} is ${ours[where] ?? 'missing'}, the golden one ${theirs[where] ?? 'missing'}.`,
  };
}
