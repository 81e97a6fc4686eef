import { describe, expect, it } from 'vitest';
import { keepCleanest, uncleanness } from '../../../src/rl/filters';
import { judgeGroup, noUpdateReason, phantomWarning, trainedOf } from '../../../src/rl/groups';
import type { ToolStatus, Trajectory, Turn } from '../../../src/schema/trajectory';
import { okResult } from '../../support/scriptedService';

const settings = {
  advantage: 'standardised',
  advantageEpsilon: 1e-6,
  outcomeGate: false,
  maskVoidTurns: false,
  resampleOnCorrect: undefined,
} as const;

const answer = (text = '\\boxed{1}'): Turn => ({ tokens: [1], logprobs: [-0.5], text, added: [], seconds: 0 });
const call = (status: ToolStatus = 'ok'): Turn => ({ ...answer('x'), code: 'x', result: { ...okResult(''), status } });

const member = (
  branch: number,
  reward: number,
  turns: Turn[] = [answer()],
  over: Partial<Trajectory> = {},
): Trajectory => ({
  step: 1,
  problemId: 'p',
  branch,
  question: 'q',
  gold: '1',
  prompt: [1],
  turns,
  stop: 'answered',
  grade: {
    reward,
    verdict: reward > 0 ? 'correct' : 'incorrect',
    formatted: true,
    predicted: null,
    reason: '',
  },
  advantage: 0,
  ...over,
});
const group = (...rewards: number[]) => rewards.map((reward, branch) => member(branch, reward));
const advantages = (trajectories: readonly Trajectory[]) => trajectories.map(({ advantage }) => advantage);

describe('a group of wrong answers that shaping tells apart', () => {
  const wrong = group(-0.6, -0.7, -0.8, -0.6);

  it('moves the policy, and a warning says how far', () => {
    const judged = judgeGroup(wrong, settings);
    expect(judged.dropped).toBeUndefined();
    expect(phantomWarning([judged])).toMatch(/^1 groups without a correct answer have advantages up to ±1.31,/);
  });

  it('is dropped by the outcome gate, and says so', () => {
    const judged = judgeGroup(wrong, { ...settings, outcomeGate: true });
    expect(judged.dropped).toBe('noCorrect');
    expect(advantages(judged.trajectories)).toEqual([0, 0, 0, 0]);
    expect(trainedOf(judged)).toEqual([]);
    expect(noUpdateReason([judged])).toBe('None of the 1 groups has a signal (1 without a correct answer): no update.');
  });

  it('is kept by the gate when one of it is right, though shaping pays it less than others', () => {
    const paid = [
      ...wrong,
      member(4, -0.9, [answer()], { grade: { ...wrong[0]!.grade, reward: -0.9, verdict: 'correct' } }),
    ];
    expect(judgeGroup(paid, { ...settings, outcomeGate: true }).dropped).toBeUndefined();
  });
});

describe('a group that lost rollouts to the sandbox', () => {
  it('takes its baseline from the others', () => {
    const judged = judgeGroup([...group(1, -1), member(2, -1, [], { stop: 'infrastructure' })], {
      ...settings,
      advantage: 'centred',
    });
    expect(advantages(judged.trajectories)).toEqual([1, -1, 0]);
    expect(trainedOf(judged)).toHaveLength(2);
  });

  it('has no baseline when a single one is left', () => {
    const judged = judgeGroup([member(0, 1), member(1, -1, [], { stop: 'infrastructure' })], settings);
    expect(judged.dropped).toBe('single');
    expect(advantages(judged.trajectories)).toEqual([0, 0]);
  });
});

describe('masking of void turns', () => {
  const masking = { ...settings, advantage: 'centred', maskVoidTurns: true } as const;

  it('trains on no trajectory with a turn of neither call nor box, but keeps it in the baseline', () => {
    const judged = judgeGroup(
      [member(0, 1, [call(), answer()]), member(1, -1, [answer('I do not know')]), member(2, -1), member(3, -1)],
      masking,
    );
    expect(judged.trajectories.map(({ leftOut }) => leftOut)).toEqual([undefined, 'voidTurn', undefined, undefined]);
    expect(advantages(judged.trajectories)).toEqual([1.5, 0, -0.5, -0.5]);
    expect(trainedOf(judged).map(({ branch }) => branch)).toEqual([0, 2, 3]);
  });

  it('drops a group of which nothing with a signal is left', () => {
    const all = [member(0, 1, [answer('1')]), member(1, -1, [answer('2')])];
    expect(judgeGroup(all, masking).dropped).toBe('masked');
  });
});

describe('resampling on correct', () => {
  const clean = [call(), answer()];
  const half = [call('error'), call(), answer()];
  const dirty = [call('error'), answer()];

  it('counts failed calls, half for none at all, and answers given again', () => {
    expect([clean, half, dirty, [answer()]].map((turns) => uncleanness(member(0, 1, turns)))).toEqual([0, 0.5, 1, 0.5]);
    expect(uncleanness(member(0, 1, [answer('\\boxed{1} \\boxed{2}'), answer()]))).toBe(0.5 + 1);
    expect(uncleanness(member(0, 1, [call()]))).toBe(0 + 1);
  });

  it('keeps the cleanest of the correct ones, the others by order, in their proportion', () => {
    const eight = [
      member(0, 1, dirty),
      member(1, -1),
      member(2, 1, half),
      member(3, -1),
      member(4, 1, clean),
      member(5, -1),
      member(6, 1, clean),
      member(7, -1),
    ];
    const judged = judgeGroup(eight, { ...settings, advantage: 'centred', resampleOnCorrect: 4 });
    expect(trainedOf(judged).map(({ branch }) => branch)).toEqual([1, 3, 4, 6]);
    expect(advantages(trainedOf(judged))).toEqual([-1, -1, 1, 1]);
    expect(judged.trajectories.filter(({ leftOut }) => leftOut === 'resampled')).toHaveLength(4);
  });

  it('keeps at least one of each, so that a group never loses its signal', () => {
    for (const rewards of [
      [1, -1, -1, -1, -1, -1, -1, -1],
      [1, 1, 1, 1, 1, 1, 1, -1],
    ]) {
      const kept = keepCleanest(group(...rewards), 2);
      expect(new Set(kept.map(({ grade }) => grade.verdict)).size).toBe(2);
      expect(kept).toHaveLength(2);
    }
    expect(keepCleanest(group(1, 1, 1), 2)).toHaveLength(2);
    expect(keepCleanest(group(-1, -1, -1), 2)).toHaveLength(2);
  });
});
