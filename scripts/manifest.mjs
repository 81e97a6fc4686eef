import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import * as esbuild from 'esbuild';

/**
 * Writes what `package.json` and its translations owe to `src/schema/`: settings, commands and the schema of experiment
 * files. With `--check` writes nothing and fails when something is stale.
 */

const root = fileURLToPath(new URL('..', import.meta.url));
const schemaFile = 'media/experiment.schema.json';
const generatedKey = /^(command|setting)\./;

/** The zod schemas and the command table, with the zod that made them. */
async function vocabulary() {
  const folder = await mkdtemp(`${root}/node_modules/.manifest-`);
  try {
    const outfile = `${folder}/schema.mjs`;
    await esbuild.build({
      stdin: {
        contents: `export { toJSONSchema } from 'zod';
          export { commands } from './src/schema/commands';
          export { Experiment } from './src/schema/experiment';
          export { Settings } from './src/schema/settings';`,
        resolveDir: root,
      },
      outfile,
      bundle: true,
      format: 'esm',
      platform: 'node',
      logLevel: 'warning',
    });
    return await import(pathToFileURL(outfile).href);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Drops the bound that zod writes on every integer. */
const withoutIntegerBounds = (schema) =>
  JSON.parse(
    JSON.stringify(schema, (key, value) =>
      Math.abs(value) === Number.MAX_SAFE_INTEGER && /imum$/.test(key) ? undefined : value,
    ),
  );

const unions = { oneOf: 'anyOf', anyOf: 'anyOf' };

/**
 * What an editor needs to complete and explain: names, defaults, values and bounds in words. It refuses nothing, for the
 * extension and `retool` say in their own words what is wrong, and a person should be told once.
 */
function explaining(schema) {
  const { type, description, default: preset, properties, items, $schema } = schema;
  const values = schema.enum ?? ('const' in schema ? [schema.const] : type === 'boolean' ? [true, false] : undefined);
  const union = Object.entries(unions).flatMap(([from, to]) =>
    schema[from] ? [[to, schema[from].map(explaining)]] : [],
  );
  const text = [description, boundsOf(schema)].filter(Boolean).join(' ');
  return Object.fromEntries(
    Object.entries({
      $schema,
      description: text || undefined,
      default: preset,
      examples: values,
      properties:
        properties && Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, explaining(value)])),
      items: items && explaining(items),
      ...Object.fromEntries(union),
    }).filter(([, value]) => value !== undefined),
  );
}

function boundsOf({ minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf }) {
  const parts = [
    minimum !== undefined && `at least ${minimum}`,
    exclusiveMinimum !== undefined && `above ${exclusiveMinimum}`,
    maximum !== undefined && `at most ${maximum}`,
    exclusiveMaximum !== undefined && `below ${exclusiveMaximum}`,
    multipleOf !== undefined && `a multiple of ${multipleOf}`,
  ].filter(Boolean);
  return parts.length > 0 ? `(${parts.join(', ')})` : '';
}

function commandEntries(commands) {
  return Object.entries(commands).map(([command, { icon }]) => ({
    command,
    title: `%command.${shortName(command)}%`,
    category: 'ReTool',
    icon: `$(${icon})`,
  }));
}

function configuration(settings) {
  const entries = Object.entries(settings.properties).map(([key, { description, ...schema }]) => [
    `retool.${key}`,
    { ...schema, description: `%setting.${key}%` },
  ]);
  return { title: 'ReTool', properties: Object.fromEntries(entries) };
}

function generatedTexts(commands, settings) {
  return Object.fromEntries([
    ...Object.entries(commands).map(([command, { title }]) => [`command.${shortName(command)}`, title]),
    ...Object.entries(settings.properties).map(([key, { description }]) => [`setting.${key}`, description]),
  ]);
}

const shortName = (command) => command.replace(/^retool\./, '');
const readJson = async (file) => JSON.parse(await readFile(`${root}/${file}`, 'utf8').catch(() => '{}'));

async function generate() {
  const { toJSONSchema, commands, Experiment, Settings } = await vocabulary();
  const jsonSchema = (schema) => withoutIntegerBounds(toJSONSchema(schema, { io: 'input', target: 'draft-7' }));
  const settings = jsonSchema(Settings);
  const manifest = await readJson('package.json');
  const texts = Object.entries(await readJson('package.nls.json')).filter(([key]) => !generatedKey.test(key));
  return {
    'package.json': {
      ...manifest,
      contributes: {
        ...manifest.contributes,
        commands: commandEntries(commands),
        configuration: configuration(settings),
        jsonValidation: [{ fileMatch: '*.retool.json', url: `./${schemaFile}` }],
      },
    },
    'package.nls.json': { ...Object.fromEntries(texts), ...generatedTexts(commands, settings) },
    [schemaFile]: explaining(jsonSchema(Experiment)),
  };
}

async function staleFiles(files) {
  const known = await Promise.all(Object.keys(files).map(readJson));
  return Object.keys(files).filter((file, index) => !isDeepStrictEqual(files[file], known[index]));
}

/** @returns what keeps the manifest from being read in every language it offers. */
async function untranslated(files) {
  const placeholders = [...JSON.stringify(files['package.json']).matchAll(/"%([\w.-]+)%"/g)].map(([, key]) => key);
  const english = files['package.nls.json'];
  const chinese = await readJson('package.nls.zh-cn.json');
  return [
    ...placeholders.filter((key) => !(key in english)).map((key) => `package.nls.json has no text for %${key}%.`),
    ...Object.keys(english)
      .filter((key) => !(key in chinese))
      .map((key) => `package.nls.zh-cn.json has no translation of ${key}.`),
    ...Object.keys(chinese)
      .filter((key) => !(key in english))
      .map((key) => `package.nls.zh-cn.json translates ${key}, which nothing uses.`),
  ];
}

async function main() {
  const files = await generate();
  const stale = await staleFiles(files);
  const problems = await untranslated(files);
  if (process.argv.includes('--check')) {
    problems.unshift(...stale.map((file) => `${file} is stale: run node scripts/manifest.mjs`));
  } else {
    for (const file of stale) await writeFile(`${root}/${file}`, `${JSON.stringify(files[file], null, 2)}\n`);
    if (stale.length > 0) execFileSync('npx', ['biome', 'format', '--write', ...stale], { cwd: root, stdio: 'pipe' });
    console.log(stale.length > 0 ? `Wrote ${stale.join(', ')}.` : 'Nothing to write.');
  }
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
}

await main();
