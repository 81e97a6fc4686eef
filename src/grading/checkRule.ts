import { RetoolError } from '../lib/errors';
import type { Gradable, RewardRule } from '../rl/ports';
import type { Turn } from '../schema/trajectory';
import { createRule, type RewardSettings } from './createRule';
import { type GoldCase, goldCases } from './goldCases';

const tolerance = 1e-9;

/**
 * Runs the gold cases of the rule that an experiment names.
 *
 * @throws RetoolError `config` naming the first case that comes out wrong: such a run would be paid for the wrong thing.
 */
export function checkRule({ rule: name }: Pick<RewardSettings, 'rule'>): void {
  checkCases(createRule({ rule: name, correct: 1, incorrect: -1, adjustments: [] }), goldCases[name]);
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

function trajectoryOf({ gold, answer, calls = [], stop = 'answered', tokens = 0 }: GoldCase): Gradable {
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
