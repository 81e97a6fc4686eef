import { RetoolError } from '../lib/errors';
import type { Gradable, RewardRule } from '../rl/ports';
import type { ToolStatus, Turn } from '../schema/trajectory';
import { createRule, type RewardSettings } from './createRule';
import { type GoldCase, goldCases } from './goldCases';

const tolerance = 1e-9;

/**
 * Runs the gold cases of the rule that an experiment names, and holds a right answer under its own settings against a
 * wrong one and none.
 *
 * @throws RetoolError `config` naming the first case that comes out wrong: such a run would be paid for the wrong thing.
 */
export function checkRule(settings: RewardSettings): void {
  checkCases(createRule({ rule: settings.rule, adjustments: [] }), goldCases[settings.rule]);
  checkOrder(settings);
}

/** Calls, and how the last of them ended, under which a right answer has to earn more than a wrong one. */
const histories: readonly (readonly ToolStatus[])[] = [
  [],
  ['ok'],
  ['error'],
  Array.from({ length: 16 }, () => 'ok' as const),
];

/** @throws RetoolError `config` where a wrong answer or none earns as much as a right one after the same calls. */
function checkOrder(settings: RewardSettings): void {
  const rule = createRule(settings);
  for (const calls of histories) {
    const rewardOf = (answer: string) => rule.grade(trajectoryOf({ gold: '5', answer, calls })).reward;
    const right = rewardOf('\\boxed{5}');
    for (const [other, what] of [
      ['\\boxed{6}', 'a wrong answer'],
      ['unknown', 'an answer without a box'],
    ] as const) {
      const reward = rewardOf(other);
      if (reward < right) continue;
      throw new RetoolError(
        'config',
        `The reward settings pay ${what} after ${calls.length} calls ${reward}, and a right one only ${right}.`,
        { hint: 'Change reward.correct, reward.incorrect or reward.adjustments.' },
      );
    }
  }
}

/** @throws RetoolError `config` */
export function checkCases(rule: RewardRule, cases: readonly GoldCase[]): void {
  for (const gold of cases) {
    const { verdict, reward, reason } = rule.grade(trajectoryOf(gold));
    if (verdict === gold.verdict && Math.abs(reward - gold.reward) < tolerance) continue;
    const shown = gold.answer.length > 60 ? `${gold.answer.slice(0, 59)}…` : gold.answer;
    throw new RetoolError(
      'config',
      `The reward rule ${rule.name} fails its own test: "${shown}" against ${gold.gold} is ${verdict}, ${reward}, and should be ${gold.verdict}, ${gold.reward} (${reason})`,
      { hint: 'Take another reward.rule, and report this one.' },
    );
  }
}

const turnOf = (text: string, tokens = 0): Turn => ({
  tokens: Array.from({ length: tokens }, () => 0),
  logprobs: [],
  text,
  added: [],
  seconds: 0,
});

function trajectoryOf({
  gold,
  answer,
  calls = [],
  stop = 'answered',
  tokens = 0,
}: Omit<GoldCase, 'verdict' | 'reward'>): Gradable {
  const called = calls.map(
    (status): Turn => ({
      ...turnOf('print(1)'),
      code: 'print(1)',
      result: {
        status,
        stdout: '1\n',
        stderr: '',
        exitCode: status === 'ok' ? 0 : 1,
        signal: null,
        seconds: 0,
        queueSeconds: 0,
        cpuSeconds: 0,
        peakMemoryBytes: 0,
        truncated: false,
        level: 'none',
      },
    }),
  );
  return { gold, turns: [...called, turnOf(answer, tokens)], stop };
}
