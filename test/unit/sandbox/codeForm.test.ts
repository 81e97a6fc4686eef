import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../../src/rl/ports';
import { type CodeForm, usualForm } from '../../../src/sandbox/codeForm';
import { type Interpreter, resolveInterpreter } from '../../../src/sandbox/interpreter';
import { PythonSandbox } from '../../../src/sandbox/pythonSandbox';
import { SandboxFusion } from '../../../src/sandbox/sandboxFusion';

const { signal } = new AbortController();
const limits = { wallSeconds: 8, cpuSeconds: 4, outputBytes: 4096, concurrency: 2 };
const own: PythonSandbox[] = [];
let interpreter: Interpreter;
let server: Server;
let url: string;
let runs = 0;

// A server of SandboxFusion's documented form, which runs the program for real.
beforeAll(async () => {
  interpreter = await resolveInterpreter();
  server = createServer(async (request, response) => {
    const { code } = JSON.parse(await text(request)) as { code: string };
    runs += 1;
    const run = await execa(interpreter.path, ['-c', code], { reject: false, stripFinalNewline: false });
    const result = { status: 'Finished', return_code: run.exitCode ?? null, stdout: run.stdout, stderr: run.stderr };
    response.end(JSON.stringify({ status: 'Success', message: '', run_result: result }));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  for (const sandbox of own) sandbox.dispose();
  await new Promise((done) => server.close(done));
});

const made = new Map<string, Sandbox>();
function sandboxOf(where: 'here' | 'on a server', change: Partial<CodeForm>): Sandbox {
  const form = { ...usualForm, ...change };
  const key = where + JSON.stringify(form);
  const found = made.get(key);
  if (found) return found;
  if (where === 'on a server') return new SandboxFusion(url, limits, form);
  const sandbox = new PythonSandbox(interpreter, limits, undefined, form);
  own.push(sandbox);
  made.set(key, sandbox);
  return sandbox;
}

const fence = '```python\n6 * 7\n```';
const cases: [string, Partial<CodeForm>, string, string | RegExp][] = [
  ['a last expression is not printed', { lastExpression: 'off' }, '6 * 7', ''],
  ['what is printed is printed', { lastExpression: 'off' }, 'print("漢字", 1)\n2', '漢字 1\n'],
  ['a last line is put into print()', { lastExpression: 'printLastLine' }, 'x = 6\nx * 7\n\n', '42\n'],
  ['a last line that prints is left', { lastExpression: 'printLastLine' }, 'print(1)', '1\n'],
  ['an assignment breaks by it', { lastExpression: 'printLastLine' }, 'x = 1', /TypeError: .*keyword argument/],
  ['a loop breaks by it', { lastExpression: 'printLastLine' }, 'for i in [1]:\n    print(i)', /IndentationError/],
  ['a closing bracket breaks by it', { lastExpression: 'printLastLine' }, 'f = (\n1\n)', /SyntaxError/],
  ['a comment breaks by it', { lastExpression: 'printLastLine' }, 'print(1)\n# done', /SyntaxError/],
  ['an import breaks by it', { lastExpression: 'printLastLine' }, 'import math', /SyntaxError/],
  ['a semicolon breaks by it', { lastExpression: 'printLastLine' }, 'x=5; print(x)', /SyntaxError/],
  ['code that printed is left', { lastExpression: 'whenSilent' }, 'print(1)\n6 * 7', '1\n'],
  ['silent code has its last line evaluated', { lastExpression: 'whenSilent' }, 'x = 6\nx * 7\n', '42\n'],
  ['its value may be None', { lastExpression: 'whenSilent' }, 'x = []\nx.append("\\u2028")', 'None\n'],
  ['a last line that is no expression is an error', { lastExpression: 'whenSilent' }, 'x = 5', /SyntaxError: /],
  ['an error is not run again', { lastExpression: 'whenSilent' }, '1 / 0\n6 * 7', /ZeroDivisionError/],
  ['a fence around it is taken off', {}, fence, '42\n'],
  ['the first block of Python is taken out', { unfence: 'firstPython' }, `So:\n${fence}\n${fence}`, '42\n'],
  ['code without one is left', { unfence: 'firstPython' }, '6 * 7', '42\n'],
  ['a fence is left', { unfence: 'off' }, fence, /SyntaxError/],
];

describe.each(['here', 'on a server'] as const)('code that runs %s', (where) => {
  it.each(cases)('%s: %j', async (_, form, code, expected) => {
    const { status, stdout, stderr } = await sandboxOf(where, form).run(code, 1, signal);
    if (typeof expected === 'string')
      expect({ status, stdout, stderr }).toEqual({ status: 'ok', stdout: expected, stderr: '' });
    else
      expect({ status, said: stderr.trim().split('\n').at(-1) }).toEqual({
        status: 'error',
        said: expect.stringMatching(expected),
      });
  });
});

it('runs twice only what printed nothing and did not fail', async () => {
  const sandbox = sandboxOf('on a server', { lastExpression: 'whenSilent' });
  const count = async (code: string) => {
    const before = runs;
    await sandbox.run(code, 1, signal);
    return runs - before;
  };
  expect([await count('1'), await count('print(1)'), await count('1 / 0')]).toEqual([2, 1, 1]);
});

it('gives the random numbers of its seed in every form', async () => {
  const code = 'import random\nrandom.random()';
  const values = ['value', 'printLastLine', 'whenSilent'] as const;
  const drawn = await Promise.all(
    values.map((lastExpression) => sandboxOf('here', { lastExpression }).run(code, 7, signal)),
  );
  expect(new Set(drawn.map(({ stdout }) => stdout)).size).toBe(1);
});
