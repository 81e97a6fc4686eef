import type { Gradable } from '../rl/ports';
import type { RewardAdjustment, RewardRuleName } from '../schema/experiment';
import { asMathematics, asRationals, asStrings, type Comparer } from './comparers';
import { type BoxRule, box300, dapoStrictBox100, findBox, lastBox } from './findBox';

/** What a rule is: how it finds an answer, how it compares it, and what it adds to the reward. */
export interface RuleDefinition {
  /** Where the rule comes from, in a sentence. */
  readonly about: string;
  /** The predicted answer in the model's last turn, or undefined. */
  readonly find: (text: string) => string | undefined;
  readonly compare: Comparer;
  readonly adjustments: readonly RewardAdjustment[];
  /** Rewards that belong to the rule, whatever the experiment says. */
  readonly rewards?: { readonly correct: number; readonly incorrect: number };
}

const boxIn = (rule: BoxRule) => (text: string) => findBox(text, rule);
const shaping = (count: 'verl' | 'slime', cap: number): RewardAdjustment => ({ kind: 'toolShaping', count, cap });

/** The last integer of the last line that is not blank. */
function lastInteger(text: string): string | undefined {
  const line = text.trimEnd().split('\n').at(-1) ?? '';
  return line.match(/-?\d+/g)?.at(-1);
}

/** The one table of truth of reward rules. */
export const rewardRules: Readonly<Record<RewardRuleName, RuleDefinition>> = {
  'boxed-rational': {
    about: 'The last box, compared as a number that is written out. Exact and fast.',
    find: boxIn(lastBox),
    compare: asRationals,
    adjustments: [],
  },
  'last-box-math': {
    about: 'The last box, compared as mathematics.',
    find: boxIn(lastBox),
    compare: asMathematics,
    adjustments: [],
  },
  'box-300-math': {
    about: "PyTRIO's reward: the last box of the last 300 characters, compared as mathematics.",
    find: boxIn(box300),
    compare: asMathematics,
    adjustments: [],
  },
  'dapo-strict-box-100-eq': {
    about: "verl's strict DAPO scorer: the last box of the last 100 characters, compared as strings.",
    find: boxIn(dapoStrictBox100),
    compare: asStrings,
    adjustments: [],
  },
  'retool-eval': {
    about: "ReTool's evaluator: the last box, or else the last integer of the last line, compared as mathematics.",
    find: (text) => findBox(text, lastBox) ?? lastInteger(text),
    compare: asMathematics,
    adjustments: [],
  },
  torl: {
    about: "ToRL's reward: the last box, compared as mathematics.",
    find: boxIn(lastBox),
    compare: asMathematics,
    adjustments: [],
  },
  'torl-execution-penalty': {
    about: 'ToRL with its execution penalty, which is due without any code too: a right answer without code earns 0.5.',
    find: boxIn(lastBox),
    compare: asMathematics,
    adjustments: [{ kind: 'executionPenalty', amount: 0.5, withoutCode: true }],
  },
  'torl-format': {
    about: 'ToRL with a format reward: a wrong answer in a box earns -0.5, no box -1.',
    find: boxIn(lastBox),
    compare: asMathematics,
    adjustments: [{ kind: 'format', boxed: 0.5, missing: 0 }],
  },
  'verl-retool': {
    about: "verl-recipe's ReTool: the strict DAPO box, and tool shaping up to -0.6.",
    find: boxIn(dapoStrictBox100),
    compare: asStrings,
    adjustments: [shaping('verl', -0.6)],
  },
  'verl-retool-cap-0': {
    about: "An older copy of verl-recipe's ReTool: tool shaping up to 0.",
    find: boxIn(dapoStrictBox100),
    compare: asStrings,
    adjustments: [shaping('verl', 0)],
  },
  'slime-retool': {
    about: "slime's ReTool example: the strict DAPO box, and tool shaping that counts calls as turns.",
    find: boxIn(dapoStrictBox100),
    compare: asStrings,
    adjustments: [shaping('slime', -0.6)],
  },
  'dapo-overlong': {
    about: 'The strict DAPO box with the overlong penalty of 20,480 tokens, buffer 4,096.',
    find: boxIn(dapoStrictBox100),
    compare: asStrings,
    adjustments: [{ kind: 'overlong', limit: 20_480, buffer: 4096, factor: 1 }],
  },
  'tinker-format': {
    about: "tinker-cookbook's reward: 1 for a right answer, else 0, less 0.1 without a box.",
    find: boxIn(lastBox),
    compare: asMathematics,
    adjustments: [{ kind: 'format', boxed: 0, missing: -0.1 }],
    rewards: { correct: 1, incorrect: 0 },
  },
};

/** What the model said last, without the control tokens that end a turn. */
export const lastWords = ({ turns }: Gradable): string =>
  (turns.at(-1)?.text ?? '').replace(/(?:<\|\w{1,40}\|>\s*){1,20}$/, '');
