import { describe, expect, test } from 'vitest';
import { valuesOf } from '../../../src/behaviour/measures';
import type { Trajectory } from '../../../src/schema/trajectory';
import { behaviourOf, measured, trajectoryOf, wrong } from './support';

const answer = { text: 'So it is \\boxed{42}.' };
const ok = (code: string, out = '') => ({ code, status: 'ok', out }) as const;
const failed = (code: string) => ({ code, status: 'error' }) as const;

describe('what a measure says', () => {
  const rows: readonly [name: string, expected: number | null, trajectories: readonly Trajectory[], why: string][] = [
    [
      'response_tokens',
      15,
      [trajectoryOf([{ tokens: 10, added: 7 }, { tokens: 20 }]), trajectoryOf([{ tokens: 0 }])],
      'sampled tokens alone',
    ],
    [
      'response_tokens_with_output',
      37,
      [trajectoryOf([{ tokens: 10, added: 7 }, { tokens: 20 }])],
      'what was added counts, the prompt does not',
    ],
    [
      'code_ratio',
      0.5,
      [trajectoryOf([{ code: 'x' }]), trajectoryOf([answer])],
      'a call counts although it did not run',
    ],
    ['calls', 1.5, [trajectoryOf([ok('1'), ok('2'), ok('3'), answer]), trajectoryOf([answer])], 'per trajectory'],
    [
      'code_lines',
      4,
      [trajectoryOf([ok('a = 1\n\n# why\nprint(a)\n\n')])],
      'blank lines inside count, those at the end do not',
    ],
    [
      'code_lines_stripped',
      2,
      [trajectoryOf([ok('a = "# no comment"  # a\n\n  # why\nprint(a)\n')])],
      'no blanks, no comments',
    ],
    ['code_lines_stripped', 4, [trajectoryOf([ok('"""\nof\n# a string\n"""')])], 'a string of several lines is code'],
    ['code_lines', 1, [trajectoryOf([ok('```python\nprint(1)\n```')])], 'without the fence'],
    ['successful_calls', 1, [trajectoryOf([ok('1'), failed('x'), ok('2')]), trajectoryOf([answer])], 'per trajectory'],
    [
      'pass_rate',
      0.75,
      [trajectoryOf([ok('1'), failed('x'), ok('2')]), trajectoryOf([ok('3'), { code: 'y' }])],
      'of executed calls',
    ],
    ['pass_rate', 0, [trajectoryOf([{ code: 'x', status: 'timeout' }])], 'a time-out is a failure'],
    ['pass_rate', null, [trajectoryOf([answer])], 'nothing ran'],
    ['executed_ratio', 0.5, [trajectoryOf([ok('1'), { code: '2' }])], 'a call beyond the budget did not run'],
    [
      'before_answer_ratio',
      0.5,
      [trajectoryOf([ok('1'), { text: 'It is \\boxed{42}, look: <code>2</code>', code: '2', status: 'ok' }, answer])],
      'a call in the turn of the answer is not before it',
    ],
    [
      'before_answer_ratio',
      null,
      [trajectoryOf([ok('1')], { grade: { ...wrong.grade, predicted: null } })],
      'no answer',
    ],
    [
      'first_call',
      0.4,
      [trajectoryOf([{ tokens: 4 }, { text: '    x', code: 'x', tokens: 5 }, { tokens: 11 }]), trajectoryOf([answer])],
      'tokens before its turn, and its part of the turn',
    ],
    [
      'first_call',
      0.1,
      [trajectoryOf([{ text: '{"code": "a\\nb"}', code: 'a\nb', tokens: 16 }, { tokens: 84 }])],
      'found as JSON spells it',
    ],
    ['void_turns', 0.25, [trajectoryOf([ok('1'), { text: 'hm' }, ok('2'), answer])], 'neither call nor box'],
    ['with_void_turn', 0.5, [trajectoryOf([{ text: 'hm' }, answer]), trajectoryOf([answer])], 'by trajectory'],
    [
      'repeated_code',
      0.5,
      [trajectoryOf([ok('print(1)'), ok('# again\nprint(1)  \n'), ok('print( 1)'), ok('print(1)')])],
      'comments and ends of lines do not matter',
    ],
    ['repeated_code', 0, [trajectoryOf([ok('print(1)')]), trajectoryOf([ok('print(1)')])], 'within a trajectory'],
    ['answer_from_output', 1, [trajectoryOf([ok('print(6*7)', '42\n'), answer])], 'the output has it first'],
    [
      'answer_from_output',
      0,
      [trajectoryOf([{ text: 'Is it 42? <code>', code: '6*7', status: 'ok', out: '42' }, answer])],
      'said before',
    ],
    ['answer_from_output', 0, [trajectoryOf([ok('print(42)', '42'), answer])], 'its code has it'],
    ['answer_from_output', 0, [trajectoryOf([ok('print(2)', '142 42.5 -42'), answer])], 'no part of another number'],
    ['answer_from_output', 1, [trajectoryOf([ok('print(84/2)', '42.0'), answer])], 'as a float'],
    [
      'answer_from_output',
      1,
      [
        trajectoryOf([ok('f()', '3/4'), { text: '\\boxed{\\frac{3}{4}}' }], {
          grade: { ...wrong.grade, predicted: '\\frac{3}{4}' },
        }),
      ],
      'as Python writes a fraction',
    ],
    ['answer_from_output', null, [trajectoryOf([answer])], 'there was no output'],
    ['purpose/other', 1, [trajectoryOf([ok('print("so")')])], 'of calls'],
  ];
  test.each(rows)('%s is %s', (name, expected, trajectories, why) => {
    const value = measured(...trajectories)[name];
    if (expected === null) expect(value, why).toBeNull();
    else expect(value, why).toBeCloseTo(expected, 9);
  });
});

test('measures are told for right and for wrong answers, and an unknown verdict is neither', () => {
  const unknown = { grade: { ...wrong.grade, verdict: 'unknown' as const } };
  const { all, correct, incorrect } = behaviourOf(
    trajectoryOf([ok('1'), answer]),
    trajectoryOf([ok('1'), failed('x')], wrong),
    trajectoryOf([failed('x')], unknown),
  );
  expect([all, correct, incorrect].map((sums) => valuesOf(sums).pass_rate)).toEqual([0.5, 1, 0.5]);
  expect([all, correct, incorrect].map(({ trajectories }) => trajectories)).toEqual([3, 1, 1]);
});

test('trajectories that sandbox or service failed are counted and left out', () => {
  const { all, infrastructure } = behaviourOf(
    trajectoryOf([ok('1'), answer]),
    trajectoryOf([{ code: 'x', status: 'infrastructure' }], { stop: 'infrastructure' }),
  );
  expect([all.trajectories, all.calls, infrastructure]).toEqual([1, 1, 1]);
});

describe('self-correction', () => {
  const broken = 'total = 0\nfor i in range(1, 101):\n    totl += i\nprint(total)';
  const mended = broken.replace('totl', 'total');

  test('is a failed call and the first later similar one that works, with its turns', () => {
    const { all, corrections } = behaviourOf(
      trajectoryOf([failed(broken), ok('import sympy\nprint(sympy.pi)'), ok(mended), ok(mended), answer], {
        branch: 3,
      }),
    );
    expect([all.failed, all.corrected, all.withFailure, all.withCorrection]).toEqual([1, 1, 1, 1]);
    expect(corrections).toHaveLength(1);
    expect(corrections[0]).toMatchObject({ branch: 3, failedTurn: 1, correctedTurn: 3, failure: 'NameError: x' });
    expect(corrections[0]!.similarity).toBeCloseTo(0.952, 3);
  });

  test('may mend several failed calls at once', () => {
    const { all } = behaviourOf(trajectoryOf([failed(broken), failed(`${broken})`), ok(mended)]));
    expect([all.failed, all.corrected, all.withCorrection]).toEqual([2, 2, 1]);
  });

  test.each([
    ['the same code that works by itself', [failed(mended), ok(`${mended}  # again`)]],
    [
      'another way',
      [
        failed('import numpy as np\nprint(np.roots([1,2]))'),
        ok('for i in range(10):\n    if i*i==49:\n        print(i)'),
      ],
    ],
    ['one that fails again', [failed(broken), failed(mended)]],
    ['one that was not run', [failed(broken), { code: mended }]],
    ['one that came before', [ok(mended), failed(broken)]],
  ])('is not %s', (_, turns) => {
    expect(behaviourOf(trajectoryOf(turns)).all.corrected).toBe(0);
  });
});
