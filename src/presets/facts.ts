import facts from './facts.json' with { type: 'json' };

/** A published system. Facts of one that extends another stand before the other's. */
export type SystemName = keyof typeof facts;

/** What a system does, as its own files, paper or authors say it. */
export interface Fact {
  /** Null where the system has none of it; a text that begins with UNKNOWN where nobody has said. */
  readonly value: unknown;
  /** File and line, section or address. */
  readonly source: string;
}

export const isUnknown = ({ value }: Fact): boolean => typeof value === 'string' && value.startsWith('UNKNOWN');

/** Every fact of a system by its name, for example `sandbox.timeoutS`. */
export function factsOf(system: SystemName): ReadonlyMap<string, Fact> {
  const own: Record<string, unknown> = facts[system];
  const inherited = own._extends === undefined ? [] : factsOf(own._extends as SystemName);
  return new Map([...inherited, ...flattened(own, '')]);
}

function flattened(node: Record<string, unknown>, prefix: string): [string, Fact][] {
  return Object.entries(node).flatMap(([key, child]): [string, Fact][] => {
    if (typeof child !== 'object' || child === null) return [];
    const name = `${prefix}${key}`;
    if ('source' in child) return [[name, child as Fact]];
    return flattened(child as Record<string, unknown>, `${name}.`);
  });
}
