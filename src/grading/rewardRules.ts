import type { Gradable } from '../rl/ports';
import type { RewardAdjustment, RewardRuleName } from '../schema/reward';
import { asMathematics, asRationals, asStrings, type Comparer } from './comparers';
import { type BoxRule, box300, dapoStrictBox100, lastBox } from './findBox';
import { finishedText, modelText } from './modelText';

/** What a rule is: how it finds an answer, how it compares it, and what it adds to the reward. */
export interface RuleDefinition {
  /** Where the rule comes from, in a sentence. */
  readonly about: string;
  /** Where the answer's box is looked for in the model's last turn. */
  readonly box: BoxRule;
  /** What counts as the answer where there is no box. */
  readonly unboxed?: (text: string) => string | undefined;
  readonly compare: Comparer;
  readonly adjustments: readonly RewardAdjustment[];
  /** Rewards of an answer where the experiment names none; 1 and -1 where the rule names none either. */
  readonly rewards?: { readonly correct: number; readonly incorrect: number };
}

const shaping = (count: 'verl' | 'slime', cap: number): RewardAdjustment => ({ kind: 'toolShaping', count, cap });

/** The last integer of the last line that is not blank, with its sign, be it a hyphen or the minus of typesetting. */
function lastInteger(text: string): string | undefined {
  const line = modelText(text).trimEnd().split('\n').at(-1) ?? '';
  return line.match(/[-−－]?\d+/g)?.at(-1);
}

/** The one table of truth of reward rules. */
export const rewardRules: Readonly<Record<RewardRuleName, RuleDefinition>> = {
  'boxed-rational': {
    about: 'The last box, compared as a number that is written out. Exact and fast.',
    box: lastBox,
    compare: asRationals,
    adjustments: [],
  },
  'last-box-math': {
    about: 'The last box, compared as mathematics.',
    box: lastBox,
    compare: asMathematics,
    adjustments: [],
  },
  'box-300-math': {
    about: "PyTRIO's reward: the last box of the last 300 characters, compared as mathematics.",
    box: box300,
    compare: asMathematics,
    adjustments: [],
  },
  'dapo-strict-box-100-eq': {
    about: "verl's strict DAPO scorer: the last box of the last 100 characters, compared as strings.",
    box: dapoStrictBox100,
    compare: asStrings,
    adjustments: [],
  },
  'retool-eval': {
    about: "ReTool's evaluator: the last box, or else the last integer of the last line, compared as mathematics.",
    box: lastBox,
    unboxed: lastInteger,
    compare: asMathematics,
    adjustments: [],
  },
  torl: {
    about: "ToRL's reward: the last box, compared as mathematics.",
    box: lastBox,
    compare: asMathematics,
    adjustments: [],
  },
  'torl-execution-penalty': {
    about: 'ToRL with its execution penalty, which is due without any code too: a right answer without code earns 0.5.',
    box: lastBox,
    compare: asMathematics,
    adjustments: [{ kind: 'executionPenalty', amount: 0.5, withoutCode: true }],
  },
  'torl-format': {
    about: 'ToRL with a format reward: a wrong answer in a box earns -0.5, no box -1.',
    box: lastBox,
    compare: asMathematics,
    adjustments: [{ kind: 'format', boxed: 0.5, missing: 0 }],
  },
  'verl-retool': {
    about: "verl-recipe's ReTool: the strict DAPO box, and tool shaping up to -0.6.",
    box: dapoStrictBox100,
    compare: asStrings,
    adjustments: [shaping('verl', -0.6)],
  },
  'verl-retool-cap-0': {
    about: "An older copy of verl-recipe's ReTool: tool shaping up to 0.",
    box: dapoStrictBox100,
    compare: asStrings,
    adjustments: [shaping('verl', 0)],
  },
  'slime-retool': {
    about: "slime's ReTool example: the strict DAPO box, and tool shaping that counts calls as turns.",
    box: dapoStrictBox100,
    compare: asStrings,
    adjustments: [shaping('slime', -0.6)],
  },
  'dapo-overlong': {
    about: 'The strict DAPO box with the overlong penalty of 20,480 tokens, buffer 4,096.',
    box: dapoStrictBox100,
    compare: asStrings,
    adjustments: [{ kind: 'overlong', limit: 20_480, buffer: 4096, factor: 1 }],
  },
  'tinker-format': {
    about: "tinker-cookbook's reward: 1 for a right answer, else 0, less 0.1 without a box.",
    box: lastBox,
    compare: asMathematics,
    adjustments: [{ kind: 'format', boxed: 0, missing: -0.1 }],
    rewards: { correct: 1, incorrect: 0 },
  },
};

/** What the model said last, without a thought that does not end and the control tokens that end a turn. */
export const lastWords = ({ turns }: Gradable): string =>
  finishedText(turns.at(-1)?.text ?? '').replace(/(?:<\|\w{1,40}\|>\s*){1,20}$/, '');
