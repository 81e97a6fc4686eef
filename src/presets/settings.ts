import { type Fact, factsOf, isUnknown, type SystemName } from './facts';

export type SettingValue = string | number | boolean | null;

/** One field of an experiment, and why it has its value. */
export interface Setting {
  /** For example `reinforcement.groupSize`. */
  readonly path: string;
  /** Null is not known, and has to be chosen. */
  readonly value: SettingValue;
  /** Where the value comes from, in a few words. */
  readonly why: string;
  /** Names of the facts that it stands on. */
  readonly facts: readonly string[];
}

/** Makes settings from the facts of one system. */
export function settingsFrom(system: SystemName) {
  const known = factsOf(system);
  const fact = (name: string): Fact => {
    const found = known.get(name);
    if (!found) throw new Error(`${system} has no fact ${name}.`);
    return found;
  };
  const sourceOf = (name: string) => fact(name).source || 'no source says it';

  return {
    /** The value as the source has it. */
    as(path: string, name: string): Setting {
      return { path, value: fact(name).value as SettingValue, why: fact(name).source, facts: [name] };
    },
    /** A value that the product writes in another form than the source. */
    set(path: string, value: SettingValue, names: string | readonly string[], how?: string): Setting {
      const all = [names].flat();
      return {
        path,
        value,
        why: [...(how === undefined ? [] : [how]), ...together(all.map(sourceOf))].join('; '),
        facts: all,
      };
    },
    /** A value that nobody has said. */
    unknown(path: string, name: string): Setting {
      const { value, source } = fact(name);
      const said = isUnknown(fact(name)) ? /\((.*)\)/.exec(String(value))?.[1] : undefined;
      return { path, value: null, why: ['NOT KNOWN', said, source].filter(Boolean).join('; '), facts: [name] };
    },
    /** A value that is ours, with the reason. */
    ours(path: string, value: SettingValue, why: string): Setting {
      return { path, value, why, facts: [] };
    },
  };
}

/** Each source once; lines of one file after its name. */
function together(sources: readonly string[]): string[] {
  const lines = new Map<string, string[]>();
  for (const source of new Set(sources)) {
    const [, file = source, line] = /^(\S+):([\d,-]+)$/.exec(source) ?? [];
    lines.set(file, [...(lines.get(file) ?? []), ...(line === undefined ? [] : [line])]);
  }
  return [...lines].map(([file, found]) => (found.length > 0 ? `${file}:${found.join(',')}` : file));
}

/** The settings with some replaced, in the place of the old ones, and new ones at the end. */
export function withSettings(base: readonly Setting[], changes: readonly Setting[]): Setting[] {
  const changed = new Map(changes.map((setting) => [setting.path, setting]));
  const kept = base.map((setting) => {
    const change = changed.get(setting.path);
    changed.delete(setting.path);
    return change ?? setting;
  });
  return [...kept, ...changed.values()];
}

export const without = (base: readonly Setting[], paths: RegExp): Setting[] =>
  base.filter(({ path }) => !paths.test(path));
