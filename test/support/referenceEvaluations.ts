import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deriveSeed, mulberry32, shuffled } from '../../src/lib/seed';

const problemCount = 30;
const samples = 12;

/**
 * The reference's published table: AIME25 by 12 samples, Qwen3.5-4B before training and five checkpoints. `correct`,
 * `formatted`, `calls` and `turns` are of 360 generations, `solved` of 30 problems; `published` is what the table prints.
 */
export const referenceTable = [
  row('base', 0, [85, 15, 93, 608, 968], ['23.61', '50.00', '25.83', '1.69', '2.69']),
  row('step20', 20, [116, 19, 132, 493, 853], ['32.22', '63.33', '36.67', '1.37', '2.37']),
  row('step50', 50, [148, 19, 190, 612, 972], ['41.11', '63.33', '52.78', '1.70', '2.70']),
  row('step100', 100, [161, 20, 208, 598, 958], ['44.72', '66.67', '57.78', '1.66', '2.66']),
  row('step150', 150, [166, 22, 255, 875, 1235], ['46.11', '73.33', '70.83', '2.43', '3.43']),
  row('step200', 200, [171, 19, 274, 713, 1073], ['47.50', '63.33', '76.11', '1.98', '2.98']),
] as const;

export type ReferenceRow = ReturnType<typeof row>;

function row(
  name: string,
  step: number,
  [correct, solved, formatted, calls, turns]: readonly [number, number, number, number, number],
  [average, pass, format, meanCalls, meanTurns]: readonly [string, string, string, string, string],
) {
  return {
    name,
    step,
    correct,
    solved,
    formatted,
    calls,
    turns,
    published: { average, pass, format, meanCalls, meanTurns },
  };
}

/** Writes the six files as the reference's eval.py names them. @returns their paths, base first. */
export async function writeReferenceEvaluations(folder: string): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  return Promise.all(
    referenceTable.map(async (each) => {
      const path = join(folder, `aime25-retool-${each.name}.jsonl`);
      await writeFile(path, referenceEvaluation(each));
      return path;
    }),
  );
}

/** One evaluation in the reference's format, 360 generations with exactly the counts of its row. The problems are our own. */
export function referenceEvaluation({ name, step, correct, solved, formatted, calls, turns }: ReferenceRow): string {
  const random = mulberry32(deriveSeed(2025, 'reference', step));
  const places = Array.from({ length: problemCount * samples }, (_, place) => place);
  const rights = placesOfRights(correct, solved, random);
  const boxed = new Set(rights);
  for (const place of shuffled(places, random)
    .filter((each) => !rights.has(each))
    .slice(0, formatted - correct)) {
    boxed.add(place);
  }
  const callCounts = spread(calls, places.length, () => 4, random);
  const problems = Array.from({ length: problemCount }, (_, index) => {
    const { question, answer } = problemAt(index);
    const generations = Array.from({ length: samples }, (_, sample) => {
      const place = index * samples + sample;
      const right = rights.has(place);
      const said = boxed.has(place) ? (right ? answer : answer + 1 + Math.floor(random() * 5)) : undefined;
      return generationOf(said, right, callCounts[place]!, random);
    });
    const right = generations.filter((generation) => generation.correct).length;
    return {
      type: 'problem',
      problem_id: index,
      problem: question,
      ground_truth: String(answer),
      val_n: samples,
      num_correct: right,
      pass_at_n: right > 0,
      generations,
    };
  });
  const summary = {
    type: 'summary',
    dataset: 'yentinglin/aime_2025',
    mode: 'retool',
    base_model: 'Qwen/Qwen3.5-4B',
    model_path: step === 0 ? null : `trio://retool-qwen35-4b-step200/sampler_weights/${name}`,
    temperature: 1,
    top_p: 0.7,
    top_k: -1,
    val_n: samples,
    problems: problemCount,
    generations: places.length,
    average_at_n: correct / places.length,
    pass_at_n: solved / problemCount,
    format_rate: formatted / places.length,
    mean_code_calls: calls / places.length,
    mean_turns: turns / places.length,
    correct_generations: correct,
    passed_problems: solved,
  };
  return `${[...problems, summary].map((line) => JSON.stringify(line)).join('\n')}\n`;
}

/** Easy problems come first in a fixed order; which of the harder ones are solved is each checkpoint's luck. */
function placesOfRights(correct: number, solved: number, random: () => number): Set<number> {
  const byEase = shuffled(
    Array.from({ length: problemCount }, (_, index) => index),
    mulberry32(7),
  );
  const sure = solved - 4;
  const chosen = [...byEase.slice(0, sure), ...shuffled(byEase.slice(sure), random).slice(0, 4)];
  const counts = spread(
    correct - solved,
    solved,
    () => samples - 1,
    random,
    (rank) => 1.2 - rank / solved,
  );
  return new Set(
    chosen.flatMap((index, rank) =>
      shuffled(
        Array.from({ length: samples }, (_, sample) => index * samples + sample),
        random,
      ).slice(0, counts[rank]! + 1),
    ),
  );
}

/** `total` units over `size` places, none over its limit, by weight. */
function spread(
  total: number,
  size: number,
  limit: (place: number) => number,
  random: () => number,
  weight: (place: number) => number = () => 1,
): number[] {
  const counts = new Array<number>(size).fill(0);
  for (let left = total; left > 0; ) {
    const place = Math.floor(random() * size);
    if (counts[place]! >= limit(place) || random() > weight(place)) continue;
    counts[place]! += 1;
    left -= 1;
  }
  return counts;
}

/** Problems with answers between 0 and 999, as AIME has them; none of them is AIME's. */
function problemAt(index: number): { question: string; answer: number } {
  const [divisor, count] = [7 + index, 25 + 31 * index];
  const limit = divisor * count + (index % divisor);
  return { question: `How many integers from 1 to ${limit} are divisible by ${divisor}?`, answer: count };
}

function generationOf(said: number | undefined, correct: boolean, calls: number, random: () => number) {
  const text =
    said === undefined
      ? 'The multiples form an arithmetic sequence. Counting them one by one, I get as far as'
      : `The multiples form an arithmetic sequence, and the quotient counts them: $\\boxed{${said}}$.`;
  return {
    predicted_answer: said === undefined ? null : String(said),
    boxed_answer: said === undefined ? null : String(said),
    correct,
    formatted: said !== undefined,
    code_calls: calls,
    turns: calls + 1,
    completion_tokens: (calls + 1) * (200 + Math.floor(random() * 800)),
    text,
  };
}
