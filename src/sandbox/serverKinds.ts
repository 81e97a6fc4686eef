import type { Interpreter } from './interpreter';

/** A sort of fork server: what is loaded before it forks. The size of its process is the price of every call. */
export interface ServerKind {
  readonly name: string;
  readonly modules: readonly string[];
  /** Code that fills caches which every call would fill again. */
  readonly warmUp: string;
}

const standard =
  'bisect collections contextlib copy datetime decimal enum fractions functools heapq itertools json math numbers ' +
  'operator random re statistics string textwrap threading time typing';

const warmLight = `
import io, sys
try:
    exec(compile("print(sum([i * i for i in range(9)]), '%d' % 7, f'{1/3:.3f}', 10**40, file=out)", "<code>", "exec"), {"out": io.StringIO()})
    exec(compile("def f(x):\\n  return {x: [x]}[x + 1]\\nf(0)", "<code>", "exec"), {})
except Exception as error:
    sink, sys.stderr = sys.stderr, io.StringIO()
    sys.__excepthook__(type(error), error, error.__traceback__)
    sys.stderr = sink
`;

const warmMath = `
try:
    import numpy as np
    np.linalg.solve(np.eye(3) + 1, np.ones(3)); np.random.seed(0); np.random.rand(2); repr(np.arange(3) / 7)
except ImportError:
    pass
import sympy as sp
x, y = sp.symbols("x y")
sp.solve(x**2 - 5*x + 6, x); sp.solve([x + y - 3, x - y - 1], [x, y]); sp.integrate(x**2 * sp.sin(x), (x, 0, sp.pi))
sp.simplify((x**2 - 1) / (x - 1)); sp.factor(x**3 - 1); sp.expand((x + y)**3); sp.Rational(1, 3) + sp.sqrt(8)
str(sp.sqrt(8)); sp.latex(sp.sqrt(2) / 2); sp.N(sp.pi, 20); sp.factorint(360); sp.nsimplify("0.5"); sp.diff(sp.log(x) * x, x)
sp.Matrix([[1, 2], [3, 4]]).det(); sp.limit(sp.sin(x) / x, x, 0); sp.summation(x, (x, 1, 10))
`;

/** The kinds of servers that an interpreter gets; the light one is first. */
export function serverKinds({ packages }: Interpreter): readonly ServerKind[] {
  const light = { name: 'light', modules: [], warmUp: warmLight };
  const modules = standard.split(' ');
  const mathematical = ['numpy', 'sympy'].filter((name) => Object.hasOwn(packages, name));
  return [
    light,
    { name: 'standard', modules, warmUp: warmLight },
    ...(mathematical.length > 0
      ? [{ name: 'mathematics', modules: [...modules, ...mathematical], warmUp: warmLight + warmMath }]
      : []),
  ];
}

const imports = /^[ \t]*(?:import|from)[ \t].*/gm;
const mathematics = /\b(?:numpy|sympy|scipy|mpmath|pandas|networkx)\b/;

/** Which of the kinds is right for `code`, by what it imports. */
export function serverFor(code: string, kinds: readonly ServerKind[]): number {
  if (!code.includes('import')) return 0;
  const lines = code.match(imports) ?? code.split('\n').filter((line) => line.includes('import'));
  return kinds.length > 2 && lines.some((line) => mathematics.test(line)) ? 2 : 1;
}
