import { describe, expect, test } from 'vitest';
import { type Purpose, purposeOf } from '../../../src/behaviour/purpose';
import { shapeOf, similarity } from '../../../src/behaviour/similarity';
import { mostCode, syntaxTree } from '../../../src/behaviour/syntaxTree';

describe('similarity of syntax trees', () => {
  const alike = (a: string, b: string) => similarity(shapeOf(syntaxTree(a)!), shapeOf(syntaxTree(b)!));

  test.each([
    ['print(1/0)', 'print(1/1)', 0.875],
    ['print(math.sqrt(16))', 'import math\nprint(math.sqrt(16))', 0.909],
    ['print(a+b)', 'a=3\nb=4\nprint(a+b)', 0.667],
    ['x = int("a")\nprint(x)', 'print(sum(range(10)))', 0.435],
    ['import numpy as np\nprint(np.roots([1,2]))', 'for i in range(10):\n    if i*i==49:\n        print(i)', 0.222],
    ['print(2)', '# two\nprint( 2 )', 1],
    ['', 'print(2)', 0],
  ])('of %j and %j is %d', (a, b, expected) => {
    expect(alike(a, b)).toBeCloseTo(expected, 3);
    expect(alike(b, a)).toBe(alike(a, b));
  });
});

describe('purpose', () => {
  const cases: readonly [Purpose, string][] = [
    ['plotting', 'import matplotlib.pyplot as plt\nplt.plot([1, 2])'],
    ['plotting', 'from sympy.plotting import plot'],
    ['plotting', 'from sympy import plotting'],
    ['verification', 'assert 3**2 + 4**2 == 5**2'],
    ['verification', 'x = 7\nprint(x**2 == 49)'],
    ['verification', 'x = 7\nx * 6 == 42'],
    ['verification', 'print(all(n % 7 for n in [3, 5]))'],
    ['verification', '# Verify the result\nprint(6 * 7)'],
    ['verification', 'print("Verification:", 6 * 7)'],
    ['simulation', 'import random\nprint(sum(random.random() < 0.5 for _ in range(100)))'],
    ['simulation', 'import numpy as np\nprint(np.random.rand(3).mean())'],
    ['simulation', 'from scipy import stats\nprint(stats.binom.pmf(1, 2, 0.5))'],
    ['geometry', 'from sympy import Point, Triangle\nprint(Triangle(Point(0, 0), Point(1, 0), Point(0, 1)).area)'],
    ['geometry', 'import math\nprint(math.hypot(3, 4))'],
    ['geometry', 'radius = 3\ncircleArea = 3.14 * radius ** 2\nprint(circleArea)'],
    ['symbolic', 'from sympy import symbols, solve\nx = symbols("x")\nprint(solve(x**2 - 4, x))'],
    ['symbolic', 'import sympy as sp\nprint(sp.factorint(360))'],
    ['enumeration', 'for n in range(100):\n    if n % 7 == 3:\n        print(n)'],
    ['enumeration', 'print(sum(1 for n in range(100) if n % 7 == 3))'],
    ['enumeration', 'from itertools import permutations as p\nprint(len(list(p(range(4)))))'],
    ['enumeration', 'n = 1\nwhile not is_prime(n):\n    n += 1\nprint(n)'],
    ['enumeration', 'for n in range(9):\n    print(n, n % 2 == 0 if n else 1)'],
    ['calculation', 'print(2 + 2)'],
    ['calculation', 'import math\nprint(math.factorial(5))'],
    ['calculation', 'a, b = 48, 18\nwhile b:\n    a, b = b, a % b\nprint(a)'],
    ['calculation', 'print(sum(i * i for i in range(10)))'],
    ['calculation', 'area = 3 * 4\nprint(area)'],
    ['other', 'print("the answer is six")'],
    ['other', 'The answer is 5, I think.'],
    ['other', ''],
    ['other', '# nothing'],
  ];
  test.each(cases)('%s: %j', (purpose, code) => {
    expect(purposeOf(syntaxTree(code))).toBe(purpose);
  });
});

describe('code that no one would write', () => {
  test.each([
    ['brackets', '('.repeat(mostCode)],
    ['noise', '$%^&*)(]['.repeat(2000)],
    ['nested blocks', Array.from({ length: 190 }, (_, depth) => `${' '.repeat(depth)}if x:`).join('\n')],
    ['calls of calls', `f${'()'.repeat(mostCode / 2 - 1)}`],
    ['conditions in conditions', 'x if('.repeat(mostCode / 5)],
    ['many arguments', `f(${'a,'.repeat(mostCode / 2 - 2)})`],
    ['expressions before comments', '1\n'.repeat(mostCode / 4) + '#\n'.repeat(mostCode / 4)],
    ['zeros', '\0'.repeat(mostCode)],
    ['half characters', '\ud800'.repeat(1000)],
    ['statements cut off', 'def def for in ( [ { :\n'.repeat(800)],
  ])('is read in bounded work: %s', (_, code) => {
    const tree = syntaxTree(code);
    expect(tree?.nodes.length ?? 0).toBeLessThan(4 * mostCode);
    expect(typeof purposeOf(tree)).toBe('string');
  });

  test.each([
    ['nests deeper than CPython takes', `${'['.repeat(201)}${']'.repeat(201)}`, false],
    ['nests as deep', `${'['.repeat(200)}${']'.repeat(200)}`, true],
    ['is long and no Python', 'so we see that '.repeat(600), false],
    ['is short and no Python', 'so we see that '.repeat(60), true],
    ['is long with a few errors', `${'x = 1\n'.repeat(20)}x = = 2\n`.repeat(60), true],
    ['is long', 'for i in range(9):\n    print(i * 2)\n'.repeat(500), true],
  ])('that %s is read or not', (_, code, isRead) => {
    expect(syntaxTree(code) !== undefined).toBe(isRead);
  });

  test('beyond the bound of its length is not read', () => {
    expect(syntaxTree('x'.repeat(mostCode + 1))).toBeUndefined();
    expect(purposeOf(undefined)).toBe('other');
  });
});
