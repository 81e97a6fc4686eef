import { checkRule } from '../grading/checkRule';
import { createRule } from '../grading/createRule';
import { equalAnswers } from '../grading/equalAnswers';
import { laboratory } from '../grading/laboratory';
import { RetoolError } from '../lib/errors';
import type { Gradable, RewardRule } from '../rl/ports';
import { GradeCase } from '../schema/gradingCase';
import { RewardRuleName } from '../schema/reward';
import type { Grade, Turn } from '../schema/trajectory';
import { readArguments } from './arguments';
import { type Case, readCases } from './caseFile';
import { CaseTally } from './caseTally';
import { commandHelp } from './help';
import { brief, counted, onOneLine } from './oneLine';
import { exitCode, type Output } from './output';

/** Compares the answers of a file with their gold answers, alone or under a reward rule. */
export async function gradeCommand(args: readonly string[], output: Output): Promise<number> {
  const { values, positionals } = readArguments(
    commandHelp.grade.usage,
    args,
    { least: 1, most: 1 },
    { json: { type: 'boolean' }, rule: { type: 'string' } },
  );
  const cases = await readCases(positionals[0]!, GradeCase);
  if (values.rule === 'all') return compareRules(cases, output);
  const rule = ruleNamed(values.rule ?? 'last-box-math');
  const tally = new CaseTally();
  for (const line of cases) {
    const began = performance.now();
    const graded = values.rule === undefined && isPair(line) ? gradePair(line) : gradeText(line, rule);
    const milliseconds = performance.now() - began;
    const expected = 'equal' in line && typeof line.equal === 'boolean' ? line.equal : undefined;
    tally.add(expected, graded.equal, graded.verdict === 'unknown', milliseconds);
    output.record({ id: line.id, ...graded });
    const isWrong = expected !== undefined && expected !== graded.equal;
    if (isWrong || expected === undefined) {
      const verdict = `${graded.verdict}${isWrong ? ', but should not be' : ''}`;
      output.say(`${onOneLine(line.id)}: ${verdict}. ${sidesText(graded)} ${graded.reason}`);
    }
  }
  const { summary } = tally;
  const { n, expected, found, right, falsePositives, falseNegatives, unknown, slowestMs } = summary;
  const counts = [
    `${found} correct`,
    `${unknown} not understood`,
    ...(expected === 0
      ? []
      : [
          `${right} of ${expected} as expected`,
          counted(falsePositives, 'false positive'),
          counted(falseNegatives, 'false negative'),
        ]),
  ];
  output.say(`${counted(n, 'case')}: ${counts.join(', ')}; slowest ${slowestMs} ms.`);
  output.summary(summary);
  return exitCode.done;
}

/** For example `Gold 1/3, prediction 0.33.` */
const sidesText = ({ gold, prediction }: Graded): string =>
  `Gold ${brief(gold)}, ${prediction === null ? 'no prediction' : `prediction ${brief(prediction)}`}.`;

interface Graded {
  readonly equal: boolean;
  readonly verdict: Grade['verdict'];
  readonly reason: string;
  readonly gold: string;
  readonly prediction: string | null;
  readonly read?: { readonly gold: string; readonly prediction: string };
  readonly reward?: number;
  readonly flags?: Grade['flags'];
}

interface Pair {
  readonly gold: string;
  readonly prediction: string;
}

const isPair = (line: GradeCase): line is GradeCase & Pair =>
  'prediction' in line && typeof line.prediction === 'string';

function gradePair({ gold, prediction }: Pair): Graded {
  const { verdict, reason, gold: goldRead, prediction: predictionRead } = equalAnswers(gold, prediction);
  const equal = verdict === 'equal';
  return {
    equal,
    verdict: equal ? 'correct' : verdict === 'unknown' ? 'unknown' : 'incorrect',
    reason,
    gold,
    prediction,
    read: { gold: goldRead, prediction: predictionRead },
  };
}

function gradeText(line: Case<GradeCase>, rule: RewardRule): Graded {
  const { verdict, reason, predicted, read, reward, flags } = rule.grade(gradable(line));
  return {
    equal: verdict === 'correct',
    verdict,
    reason,
    gold: line.gold,
    prediction: predicted,
    ...(read && { read: { gold: read.gold, prediction: read.predicted } }),
    reward,
    ...(flags && { flags }),
  };
}

const turnOf = (text: string): Turn => ({ tokens: [], logprobs: [], text, added: [], seconds: 0 });

function gradable(line: GradeCase): Gradable {
  if ('turns' in line) return line as Gradable;
  const text = 'text' in line && typeof line.text === 'string' ? line.text : `\\boxed{${String(line.prediction)}}`;
  return { gold: line.gold, turns: [turnOf(text)], stop: 'answered' };
}

function ruleNamed(name: string): RewardRule {
  const known = RewardRuleName.safeParse(name);
  if (!known.success) {
    throw new RetoolError('usage', `There is no reward rule "${name}".`, {
      hint: `Rules: ${RewardRuleName.options.join(', ')}; or all.`,
    });
  }
  const settings = { rule: known.data, adjustments: [] };
  checkRule(settings);
  return createRule(settings);
}

/** The reward laboratory: every rule on every line, and where they disagree. */
async function compareRules(cases: readonly Case<GradeCase>[], output: Output): Promise<number> {
  const rules = RewardRuleName.options.map(ruleNamed);
  const { disagreements, totals } = await laboratory(
    cases.map((line) => ({ ...gradable(line), id: line.id })),
    rules,
  );
  for (const { trajectory, grades } of disagreements) {
    const verdicts = Object.fromEntries(Object.entries(grades).map(([name, { verdict }]) => [name, verdict]));
    output.record({ kind: 'disagreement', id: trajectory.id, gold: trajectory.gold, verdicts });
    const sides = ['correct', 'incorrect', 'unknown'].map((verdict) => {
      const names = Object.entries(verdicts).filter(([, own]) => own === verdict);
      return names.length === 0 ? undefined : `${verdict} for ${names.map(([name]) => name).join(', ')}`;
    });
    const predictions = new Set(
      Object.values(grades).map(({ predicted }) => (predicted === null ? 'none' : brief(predicted))),
    );
    const read = `gold ${brief(trajectory.gold)}, prediction ${[...predictions].join(' or ')}`;
    output.say(`${onOneLine(trajectory.id)}: ${read}; ${sides.filter(Boolean).join('; ')}.`);
  }
  for (const [name, { correct, unknown, formatted, reward }] of Object.entries(totals)) {
    output.say(
      `${name}: ${correct} correct, ${unknown} unknown, ${formatted} in a box, mean reward ${reward.toFixed(3)}`,
    );
  }
  output.summary({ n: cases.length, disagreements: disagreements.length, rules: totals });
  return exitCode.done;
}
