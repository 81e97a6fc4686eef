import { existsSync, readFileSync } from 'node:fs';
import { parse } from 'jsonc-parser';
import { describe, expect, it } from 'vitest';
import { differencesFrom, presetNameIn } from '../../../src/presets/differences';
import { factsOf, isUnknown, type SystemName } from '../../../src/presets/facts';
import { isReduced, presetOf, presets, reducedName } from '../../../src/presets/presets';
import { presetText } from '../../../src/presets/presetText';
import { issueSentence, parseExperiment } from '../../../src/run/experimentFile';

const published = presets.filter((preset) => !isReduced(preset));
const small = presets.filter(isReduced);
const named = (list: typeof presets) => list.map((preset) => [preset.name, preset] as const);

const shared = '../shared/spec/presets.json';

describe('the facts of the published systems', () => {
  it.skipIf(!existsSync(shared))(
    'are all there, with value and source, and what is unknown stays so (needs ../shared)',
    () => {
      type Node = { v?: unknown; src?: string } & Record<string, unknown>;
      const specified = JSON.parse(readFileSync(shared, 'utf8')) as Record<string, Node>;
      const leaves = (node: Node, prefix = ''): [string, Node][] =>
        Object.entries(node).flatMap(([key, child]) => {
          if (typeof child !== 'object' || child === null) return [];
          return 'src' in child ? [[prefix + key, child as Node]] : leaves(child as Node, `${prefix}${key}.`);
        });
      let count = 0;
      for (const [system, node] of Object.entries(specified)) {
        const facts = factsOf(system as SystemName);
        for (const [name, { v, src }] of leaves(node)) {
          const fact = facts.get(name)!;
          expect([system, name, fact?.value]).toEqual([system, name, v]);
          expect(isUnknown(fact)).toBe(String(v).startsWith('UNKNOWN'));
          for (const lines of src!.match(/:\d[\d,-]*/g) ?? []) expect(fact.source).toContain(lines);
          expect(fact.source === '').toBe(src === '');
          count += 1;
        }
      }
      expect(count).toBeGreaterThan(200);
    },
  );
});

describe('a preset as an experiment file', () => {
  it.each(named(presets))(
    '%s says of each value where it comes from, and what the source says besides',
    (_, preset) => {
      const text = presetText(preset, 'mine');
      const values = text.split('\n').filter((line) => /^ +"(?!\$preset|name|description)[^"]+": [^{]/.test(line));
      expect(values).toHaveLength(preset.settings.length);
      for (const line of values) expect(line).toMatch(/ \/\/ \S/);
      for (const [name, { source }] of factsOf(preset.system)) {
        const stands = preset.settings.some(({ facts }) => facts.includes(name));
        if (stands || isReduced(preset)) continue;
        expect(text).toContain(`// ${name}: `);
        expect(text).toContain(source);
      }
      expect(parse(text)).toMatchObject({ $preset: preset.name, name: 'mine' });
    },
  );

  it.each(named(published))(
    '%s is refused by name where nothing can compute it, and asks for what nobody has said',
    (name, preset) => {
      const text = presetText(preset, preset.name);
      const { issues } = parseExperiment(text);
      const unknown = issues.filter((issue) => issue.unknown).map(({ path }) => path.join('.'));
      expect(unknown).toEqual(preset.settings.filter(({ value }) => value === null).map(({ path }) => path));
      const refused = issues.filter((issue) => !issue.unknown).map((issue) => issueSentence(text, issue));
      expect(refused[0]).toMatch(/^service\.kind \(line \d+\) is \w+, to which nothing connects yet/);
      const critic = ['retool-paper-32b', 'retool-verl-32b-ppo'].includes(name);
      expect(refused.slice(1)).toEqual(
        critic ? [expect.stringMatching(/^reinforcement\.advantage \(line \d+\) is gae, which needs a critic/)] : [],
      );
    },
  );

  it.each(named(small))('%s is an experiment that can be started', (_, preset) => {
    const text = presetText(preset, preset.name);
    expect(parseExperiment(text).issues.map((issue) => issueSentence(text, issue))).toEqual([]);
  });

  it('keeps the rules of the system where it is reduced', () => {
    const rules = /^(protocol|observation|calls|malformedCalls|reward|reinforcement\.(loss|advantage))/;
    for (const preset of published) {
      const reduced = new Map(presetOf(reducedName(preset)).settings.map(({ path, value }) => [path, value]));
      for (const { path, value } of preset.settings) {
        if (!rules.test(path) || value === null || value === 'gae') continue;
        expect([preset.name, path, reduced.get(path)]).toEqual([preset.name, path, value]);
      }
    }
  });
});

describe('the comparison with a preset', () => {
  const preset = presetOf('torl-1.5b-reduced');
  const text = presetText(preset, 'mine');

  it('finds nothing in what has only another name', () => {
    expect(presetNameIn(text)).toBe('torl-1.5b-reduced');
    expect(differencesFrom('torl-1.5b-reduced', text)).toEqual([]);
  });

  it('finds what was changed, left out and added, wherever the file is broken besides', () => {
    const changed = text
      .replace('"groupSize": 8', '"groupSize": 4')
      .replace(/ *"calls": 1,.*\n/, '')
      .replace('"seed": 1,', '"seed": 1, "evaluation2": { "n": 3 },');
    const found = differencesFrom('torl-1.5b-reduced', `${changed} }`);
    expect(found).toEqual([
      {
        path: 'budgets.calls',
        value: undefined,
        preset: 1,
        why: expect.stringContaining('torl_1.5b.sh:12'),
        end: undefined,
      },
      {
        path: 'reinforcement.groupSize',
        value: 4,
        preset: 8,
        why: expect.stringContaining('16 in the source'),
        end: changed.indexOf('"groupSize": 4') + 14,
      },
      { path: 'evaluation2.n', value: 3, preset: undefined, why: '', end: changed.indexOf('{ "n": 3') + 8 },
    ]);
  });

  it('finds pins, which hold a file to data that its preset does not name', () => {
    const pinned = text.replace('"seed": 1,', '"seed": 1, "pins": { "hub:a/b/c.jsonl": "00" },');
    expect(differencesFrom('torl-1.5b-reduced', pinned)).toMatchObject([
      { path: 'pins.hub:a/b/c.jsonl', value: '00', preset: undefined },
    ]);
  });

  it('knows no preset of another name, and says which was meant', () => {
    expect(() => differencesFrom('torl-1.5', text)).toThrow(
      'There is no preset "torl-1.5" (did you mean "torl-1.5b"?).',
    );
    expect(presetNameIn('{"$preset": 3}')).toBeUndefined();
    expect(presetNameIn('[')).toBeUndefined();
  });
});
