import type { RewardRuleName } from '../schema/reward';
import type { Grade, StopReason, ToolStatus } from '../schema/trajectory';

/** A trajectory in short, and what a rule must say of it at rewards of 1 and -1. */
export interface GoldCase {
  readonly gold: string;
  readonly answer: string;
  /** How each execution before the answer ended. */
  readonly calls?: readonly ToolStatus[];
  readonly stop?: StopReason;
  /** Tokens after the prompt. */
  readonly tokens?: number;
  readonly verdict: Grade['verdict'];
  readonly reward: number;
}

const filler = 'and so on '.repeat(40);
const calls = (count: number): readonly ToolStatus[] => Array.from({ length: count }, () => 'ok' as const);
const right = (answer: string, gold: string, reward = 1): GoldCase => ({ gold, answer, verdict: 'correct', reward });
const wrong = (answer: string, gold: string, reward = -1): GoldCase => ({ gold, answer, verdict: 'incorrect', reward });
const cut: GoldCase = { gold: '5', answer: '\\boxed{5}', stop: 'turnTokens', verdict: 'incorrect', reward: -1 };

/** What every comparison of mathematics must know. */
const mathematics: readonly GoldCase[] = [
  right('So \\boxed{\\frac{1}{2}}.', '0.5'),
  right('\\boxed{9{,}500}', '9500'),
  right('\\boxed{\\text{13}}', '13'),
  wrong('\\boxed{(0,1.5)}', '(0,1)'),
  wrong('\\boxed{\\frac{1}{2^{98}}}', '\\frac{1}{2^{99}}'),
  wrong('\\boxed{1:00}', '12:00'),
  right('\\boxed{5}, no: \\boxed{7}', '7'),
  wrong('maybe 3, maybe 7, maybe 12', '7'),
  wrong('Mark your solution with \\boxed ', '7'),
  wrong('<think>so \\boxed{7}', '7'),
  wrong('<interpreter>\\boxed{7}</interpreter>', '7'),
  { gold: '5', answer: '\\boxed{10^{10^{10^{10}}}}', verdict: 'unknown', reward: -1 },
  cut,
];

const strictBox: readonly GoldCase[] = [
  right('So \\boxed{5}', '5'),
  wrong('\\boxed{ 5 }', '5'),
  wrong('\\boxed{05}', '5'),
  wrong('\\boxed{5.0}', '5'),
  wrong(`\\boxed{5} ${filler.slice(0, 95)}`, '5'),
  wrong('\\fbox{5}', '5'),
  wrong('\\boxed{5} \\boxed{6', '5'),
  wrong('<think>so \\boxed{5}', '5'),
  cut,
];
const shaped = (count: number, reward: number): GoldCase => ({
  ...wrong('\\boxed{4}', '5', reward),
  calls: calls(count),
});

/** Shaping is for wrong answers alone. */
const rewarded: GoldCase = { ...right('\\boxed{5}', '5'), calls: calls(4) };

/** The self-tests: a rule that fails one does not start a run. */
export const goldCases: Readonly<Record<RewardRuleName, readonly GoldCase[]>> = {
  'boxed-rational': [
    right('\\boxed{4167}', '4167'),
    right('\\boxed{0.75}', '3/4'),
    wrong('\\boxed{4168}', '4167'),
    wrong('4167', '4167'),
    { gold: '5', answer: '\\boxed{2+3}', verdict: 'unknown', reward: -1 },
    cut,
  ],
  'last-box-math': [...mathematics, right(`\\boxed{7} ${filler}`, '7')],
  'box-300-math': [...mathematics, wrong(`\\boxed{7} ${filler}`, '7')],
  'dapo-strict-box-100-eq': strictBox,
  'retool-eval': [
    ...mathematics.filter(({ answer }) => !answer.startsWith('maybe')),
    right('so\nthe answer is 12', '12'),
    right('the answer is −12', '-12'),
    wrong('the answer is −12', '12'),
    wrong('12\nis it', '12'),
    wrong('<think>so 12', '12'),
    wrong('<interpreter>12</interpreter>', '12'),
  ],
  torl: [...mathematics, { ...right('\\boxed{5}', '5'), calls: ['error'] }],
  'torl-execution-penalty': [
    right('\\boxed{5}', '5', 0.5),
    { ...right('\\boxed{5}', '5'), calls: calls(1) },
    { ...right('\\boxed{5}', '5', 0.5), calls: ['ok', 'error'] },
    { ...right('\\boxed{5}', '5'), calls: ['error', 'ok'] },
    wrong('\\boxed{6}', '5', -1.5),
    { ...wrong('\\boxed{6}', '5'), calls: calls(1) },
  ],
  'torl-format': [right('\\boxed{5}', '5'), wrong('\\boxed{6}', '5', -0.5), wrong('6', '5', -1)],
  'verl-retool': [
    ...strictBox,
    rewarded,
    shaped(0, -1),
    shaped(2, -0.8),
    shaped(4, -0.6),
    shaped(6, -0.6),
    shaped(10, -0.6),
  ],
  'verl-retool-cap-0': [
    ...strictBox,
    rewarded,
    shaped(0, -1),
    shaped(2, -0.8),
    shaped(4, -0.6),
    shaped(6, -0.4),
    shaped(10, 0),
  ],
  'slime-retool': [
    right('\\boxed{5}', '5'),
    rewarded,
    shaped(0, -1.1),
    shaped(2, -1),
    shaped(4, -0.9),
    shaped(6, -0.8),
    shaped(10, -0.6),
  ],
  'dapo-overlong': [
    { ...right('\\boxed{5}', '5'), tokens: 16_384 },
    { ...right('\\boxed{5}', '5', 0.75), tokens: 17_408 },
    { ...right('\\boxed{5}', '5', 0.5), tokens: 18_432 },
    { ...right('\\boxed{5}', '5', 0), tokens: 20_480 },
    { ...wrong('\\boxed{6}', '5', -1.5), tokens: 18_432 },
  ],
  'tinker-format': [right('\\boxed{5}', '5'), wrong('\\boxed{6}', '5', 0), wrong('6', '5', -0.1)],
};
