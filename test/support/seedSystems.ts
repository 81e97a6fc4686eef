import { presetOf } from '../../src/presets/presets';
import type { Experiment } from '../../src/schema/experiment';
import type { ProtocolName } from '../../src/schema/rollout';

export interface SeedSystem {
  readonly protocol: ProtocolName;
  readonly observation: Partial<Experiment['observation']>;
}

/** How a preset has the model ask for code, and what it shows of the output. */
function seedSystem(preset: string): SeedSystem {
  const values = new Map(presetOf(preset).settings.map(({ path, value }) => [path, value]));
  const observation = [...values].flatMap(([path, value]) =>
    path.startsWith('observation.') ? [[path.slice('observation.'.length), value]] : [],
  );
  return { protocol: values.get('protocol') as ProtocolName, observation: Object.fromEntries(observation) };
}

export const seedSystems = {
  retool: seedSystem('retool-paper-32b'),
  pytrio: seedSystem('retool-pytrio-4b'),
  verl: seedSystem('retool-verl-32b-grpo'),
  torl: seedSystem('torl-7b'),
  slime: seedSystem('slime-qwen3-4b-grpo'),
};
