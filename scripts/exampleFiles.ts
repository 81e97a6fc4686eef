import { type ArithmeticTask, arithmeticSets } from '../src/datasets/arithmetic';

const sizes = { train: 4096, evaluation: 1024, demonstrations: 6144 };
const examples: readonly (readonly [name: string, task: ArithmeticTask, prefix: string])[] = [
  ['arithmetic', 'base', 'a'],
  ['when-to-use-the-tool', 'mixed', 'w'],
];

/** Texts of the problem files in `examples/`, by file name. */
export function exampleFiles(): Record<string, string> {
  const files: Record<string, string> = {};
  for (const [name, task, prefix] of examples) {
    for (const [part, problems] of Object.entries(arithmeticSets({ task, seed: 1, sizes, prefix }))) {
      files[`${name}.${part}.jsonl`] = problems.map((problem: object) => `${JSON.stringify(problem)}\n`).join('');
    }
  }
  return files;
}
