import { RetoolError } from '../lib/errors';
import { nearest } from '../lib/nearest';
import type { SystemName } from './facts';
import { pytrio, pytrioCorrected } from './pytrio';
import { reduced } from './reduced';
import { retoolPaper } from './retoolPaper';
import type { Setting } from './settings';
import { slime } from './slime';
import { torl7b, torl15b } from './torl';
import { verl7bGrpo, verl32bGrpo, verl32bPpo, verlSft } from './verl';

/** A published system as an experiment. */
export interface Preset {
  /** As `$preset` names it. */
  readonly name: string;
  /** For people. */
  readonly title: string;
  /** What the experiment says of itself. */
  readonly description: string;
  /** Whose facts it stands on. */
  readonly system: SystemName;
  readonly settings: readonly Setting[];
}

const published: readonly Preset[] = [
  {
    name: 'retool-paper-32b',
    title: 'ReTool (paper)',
    description: 'ReTool on Qwen2.5-32B with PPO, as the paper has it.',
    system: 'retool-paper-32b',
    settings: retoolPaper,
  },
  {
    name: 'retool-pytrio-4b',
    title: 'PyTRIO reproduction, as published',
    description: 'ReTool on Qwen3.5-4B with LoRA on PyTRIO, faults of its code included.',
    system: 'retool-pytrio-4b',
    settings: pytrio,
  },
  {
    name: 'retool-pytrio-4b-corrected',
    title: 'PyTRIO reproduction, corrected',
    description: 'ReTool on Qwen3.5-4B with LoRA on PyTRIO, without the faults of its code.',
    system: 'retool-pytrio-4b',
    settings: pytrioCorrected,
  },
  {
    name: 'retool-verl-32b-ppo',
    title: 'verl recipe, 32B PPO',
    description: "verl's recipe of ReTool on Qwen2.5-32B with a critic.",
    system: 'retool-verl-32b-ppo',
    settings: verl32bPpo,
  },
  {
    name: 'retool-verl-32b-grpo',
    title: 'verl recipe, 32B GRPO',
    description: "verl's recipe of ReTool on Qwen2.5-32B with group advantages.",
    system: 'retool-verl-32b-grpo',
    settings: verl32bGrpo,
  },
  {
    name: 'retool-verl-7b-grpo',
    title: 'verl recipe, 7B GRPO',
    description: "verl's recipe of ReTool on Qwen2.5-7B with group advantages.",
    system: 'retool-verl-7b-grpo',
    settings: verl7bGrpo,
  },
  {
    name: 'retool-verl-sft',
    title: 'verl recipe, cold start',
    description: "The supervised cold start of verl's recipe.",
    system: 'retool-verl-sft',
    settings: verlSft,
  },
  {
    name: 'torl-1.5b',
    title: 'ToRL 1.5B',
    description: 'ToRL from the base model Qwen2.5-Math-1.5B, without a cold start.',
    system: 'torl-1.5b',
    settings: torl15b,
  },
  {
    name: 'torl-7b',
    title: 'ToRL 7B',
    description: 'ToRL from the base model Qwen2.5-Math-7B, without a cold start.',
    system: 'torl-7b',
    settings: torl7b,
  },
  {
    name: 'slime-qwen3-4b-grpo',
    title: "slime's Qwen3-4B control run",
    description: 'The GRPO control run on Qwen3-4B-Instruct-2507 with slime.',
    system: 'slime-qwen3-4b-grpo',
    settings: slime,
  },
];

const reducedMark = '-reduced';

/** Name of the form of a published system that runs on the local trainer. */
export const reducedName = ({ name }: Pick<Preset, 'name'>): string => `${name}${reducedMark}`;

export const isReduced = ({ name }: Pick<Preset, 'name'>): boolean => name.endsWith(reducedMark);

/** Every published system, then each of them at the size of the local trainer. */
export const presets: readonly Preset[] = [
  ...published,
  ...published.map((preset) => ({
    ...preset,
    name: reducedName(preset),
    description: `The rules of ${preset.title.replace(/,/g, '')} on the local trainer, with arithmetic and a cold start.`,
    settings: reduced(preset.settings),
  })),
];

/** @throws RetoolError `usage` where there is none of that name. */
export function presetOf(name: string): Preset {
  const found = presets.find((preset) => preset.name === name);
  if (found) return found;
  const meant = nearest(
    name,
    presets.map((preset) => preset.name),
  );
  throw new RetoolError(
    'usage',
    `There is no preset "${name}"${meant === undefined ? '' : ` (did you mean "${meant}"?)`}.`,
    {
      hint: '`retool preset list` names them.',
    },
  );
}
