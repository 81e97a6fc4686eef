import { Experiment } from '../schema/experiment';
import { factsOf } from './facts';
import type { Preset } from './presets';
import type { Setting } from './settings';

interface Group {
  readonly fields: Map<string, Setting | Group>;
}

const isGroup = (node: Setting | Group): node is Group => 'fields' in node;

/**
 * A preset as the text of an experiment file: every value with its source in a comment, unknown ones null, and below it
 * what the source says besides.
 */
export function presetText(preset: Preset, name: string): string {
  const root: Group = { fields: new Map() };
  for (const setting of preset.settings) {
    const keys = setting.path.split('.');
    let group = root;
    for (const key of keys.slice(0, -1)) {
      if (!group.fields.has(key)) group.fields.set(key, { fields: new Map() });
      group = group.fields.get(key) as Group;
    }
    group.fields.set(keys.at(-1)!, setting);
  }
  const order = Object.keys(Experiment.shape);
  const ordered: Group = { fields: new Map([...root.fields].sort(([a], [b]) => order.indexOf(a) - order.indexOf(b))) };
  const head = [
    `"$preset": ${JSON.stringify(preset.name)}`,
    `"name": ${JSON.stringify(name)}`,
    `"description": ${JSON.stringify(preset.description)}`,
  ].map((line) => `  ${line},`);
  return ['{', ...head, ...linesOf(ordered, '  '), '}', '', ...remainder(preset), ''].join('\n');
}

function linesOf({ fields }: Group, indent: string): string[] {
  const entries = [...fields];
  return entries.flatMap(([key, node], i) => {
    const comma = i < entries.length - 1 ? ',' : '';
    if (isGroup(node)) {
      return [`${indent}${JSON.stringify(key)}: {`, ...linesOf(node, `${indent}  `), `${indent}}${comma}`];
    }
    return [
      `${indent}${JSON.stringify(key)}: ${JSON.stringify(node.value)}${comma}${node.why ? ` // ${node.why}` : ''}`,
    ];
  });
}

/** Facts that no field stands on. */
function remainder({ system, settings }: Preset): string[] {
  const used = new Set(settings.flatMap(({ facts }) => facts));
  const left = [...factsOf(system)].filter(([name]) => !used.has(name));
  return [
    '// What the source says besides, and no field above stands on:',
    ...left.map(([name, { value, source }]) => `// ${name}: ${inWords(value)}${source === '' ? '' : ` (${source})`}`),
  ];
}

const inWords = (value: unknown): string =>
  value === null ? 'none' : typeof value === 'string' ? value.replaceAll('\n', '\\n') : JSON.stringify(value);
