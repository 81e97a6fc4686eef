import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { tinyTokenizer } from '../../support/tinyTokenizer';

const cli = join(process.cwd(), 'dist', 'cli.js');

/** Turns as Qwen3's. @param between what stands where a turn ends. */
const template = (end: string) => `
{%- if tools %}{{ '<|im_start|>system\\n' + (tools | tojson) + '${end}\\n' }}{% endif %}
{%- for message in messages %}
  {{- '<|im_start|>' + message.role + '\\n' + message.content }}
  {%- for call in message.tool_calls or [] %}
    {{- '\\n<tool_call>\\n' + (call.function | tojson) + '\\n</tool_call>' }}
  {%- endfor %}
  {{- '${end}\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}`;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'retool-template-'));
  await mkdir(join(folder, 'model'));
  await writeFile(join(folder, 'model', 'tokenizer.json'), JSON.stringify(tinyTokenizer()));
  const config = { eos_token: { content: '<|im_end|>' }, chat_template: template('<|im_end|>') };
  await writeFile(join(folder, 'model', 'tokenizer_config.json'), JSON.stringify(config));
  await writeFile(join(folder, 'other.jinja'), template('</s>'));
  await mkdir(join(folder, 'empty'));
  await writeFile(join(folder, 'torn.jinja'), '{% for a in %}');
  await writeFile(join(folder, 'open.jinja'), '{% for a in messages %}x');
  await writeFile(join(folder, 'endless.jinja'), '{% for i in range(100000000000) %}x{% endfor %}');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function retool(name: string, ...options: string[]) {
  const args = [cli, 'template', join(folder, name), '--json', ...options];
  const { stdout, stderr, exitCode } = await execa('node', args, { reject: false });
  const records = stdout.split('\n').filter(Boolean);
  return { records: records.map((line) => JSON.parse(line) as Record<string, unknown>), stderr, exitCode };
}

const check = (records: Record<string, unknown>[], name: string) => records.find((record) => record.name === name);

it('tests the template and the tokenizer of a model folder', async () => {
  const { records, exitCode } = await retool('model');
  expect(exitCode).toBe(0);
  expect(check(records, 'end of turn')).toMatchObject({ ok: true, says: expect.stringMatching(/^Trained: .*im_end/) });
  expect(check(records, 'calls')).toMatchObject({ says: 'The protocol qwen3-json reads the calls that it writes.' });
  for (const name of ['tools', 'output', 'prefix after a result', 'tokens', 'control tokens']) {
    expect(check(records, name), name).toMatchObject({ ok: true });
  }
  expect(records.at(-1)).toMatchObject({ kind: 'summary', failed: [], goldenTokens: expect.any(Number) });
});

it.each([
  [
    { temperature: 0.6, top_p: 0.95, top_k: 20, eos_token_id: [261, 260] },
    'temperature 0.6, top_p 0.95, top_k 20',
    true,
  ],
  [{ eos_token_id: 5 }, 'They name no temperature; it ends at .* none of which ends a turn', false],
  [{ temperature: 1 }, 'sampled at temperature 1; no end token', null],
])('tells the generation settings %j', async (settings, says, ok) => {
  const path = join(folder, 'model', 'generation_config.json');
  await writeFile(path, JSON.stringify(settings));
  const { records } = await retool('model');
  await rm(path);
  expect(check(records, 'generation settings')).toMatchObject({ ok, says: expect.stringMatching(says) });
});

it('writes the golden tokens and finds where others depart from them', async () => {
  const golden = join(folder, 'golden.json');
  expect((await retool('model', '--write-golden', golden)).exitCode).toBe(0);
  const same = await retool('model', '--golden', golden);
  expect(check(same.records, 'golden tokens')).toMatchObject({ ok: true });
  const told = JSON.parse(await readFile(golden, 'utf8')) as { ids: number[] };
  told.ids[9] = 1;
  await writeFile(golden, JSON.stringify(told));
  const other = await retool('model', '--golden', golden);
  expect(other.exitCode).toBe(1);
  expect(check(other.records, 'golden tokens')?.says).toMatch(/^Token 9 is \d+, the golden one 1\.$/);
});

it('says where the text departs from a golden one that is longer', async () => {
  const path = join(folder, 'golden.json');
  await retool('other.jinja', '--write-golden', path);
  const golden = JSON.parse(await readFile(path, 'utf8')) as { text: string };
  await writeFile(path, JSON.stringify({ ...golden, text: `${golden.text}TAIL` }));
  const { records } = await retool('other.jinja', '--golden', path);
  expect(check(records, 'golden tokens')?.says).toBe(
    `The text departs from the golden one at character ${golden.text.length}.`,
  );
});

it('says that the end of a turn is not trained where it is no token of its own', async () => {
  const { records, exitCode } = await retool('other.jinja', '--tokenizer', join(folder, 'model', 'tokenizer.json'));
  expect(exitCode).toBe(1);
  expect(check(records, 'end of turn')).toMatchObject({ ok: false, says: expect.stringMatching(/not trained/) });
});

it.each([
  ['empty', /has no chat template\. Put chat_template\.jinja there/],
  ['nowhere', /There is no file .*nowhere\. Give a chat template/],
  ['torn.jinja', /torn\.jinja: The chat template cannot be read: /],
  ['open.jinja', /open\.jinja: The chat template cannot be read: a block or an expression in it does not end\. It has/],
  ['endless.jinja', /endless\.jinja: the chat template takes more memory .* Look for a loop/],
])('says in a sentence what is wrong with %s', async (name, message) => {
  const { stderr, exitCode } = await retool(name);
  expect(stderr).toMatch(message);
  expect(stderr.trim().split('\n')).toHaveLength(1);
  expect(exitCode).toBe(2);
});
