import { boxRules, findBox, lastBox } from '../grading/findBox';
import { rewardRules } from '../grading/rewardRules';
import { RetoolError } from '../lib/errors';
import { ExtractCase } from '../schema/gradingCase';
import { RewardRuleName } from '../schema/reward';
import { readArguments } from './arguments';
import { readCases } from './caseFile';
import { CaseTally } from './caseTally';
import { commandHelp } from './help';
import { brief, counted, onOneLine } from './oneLine';
import { exitCode, type Output } from './output';

/** Finds the answer box in the texts of a file. */
export async function extractCommand(args: readonly string[], output: Output): Promise<number> {
  const { values, positionals } = readArguments(
    commandHelp.extract.usage,
    args,
    { least: 1, most: 1 },
    { json: { type: 'boolean' }, rule: { type: 'string' } },
  );
  const name = values.rule ?? lastBox.name;
  const reward = RewardRuleName.safeParse(name);
  const rule = reward.success ? rewardRules[reward.data].box : boxRules.find((candidate) => candidate.name === name);
  if (!rule) {
    throw new RetoolError('usage', `There is no box rule "${name}".`, {
      hint: `Rules: ${boxRules.map((known) => known.name).join(', ')}; or a reward rule, for its box.`,
    });
  }
  const expectedField = rule.form === 'strict' ? 'dapo_strict' : 'expected_boxed';
  const tally = new CaseTally();
  for (const line of await readCases(positionals[0]!, ExtractCase)) {
    const began = performance.now();
    const boxed = findBox(line.text, rule) ?? null;
    const milliseconds = performance.now() - began;
    const expected = line[expectedField];
    const known = expected !== undefined;
    const isRight = boxed === expected;
    // A box that should not be there, or another one, is a false positive; a missing one is a false negative.
    tally.add(known ? (isRight ? boxed !== null : boxed === null) : undefined, boxed !== null, false, milliseconds);
    output.record({ id: line.id, boxed, ...(known && { expected_boxed: expected, right: isRight }) });
    if (!known || !isRight) {
      output.say(`${onOneLine(line.id)}: ${boxText(boxed)}${known ? `, expected ${boxText(expected)}` : ''}`);
    }
  }
  const { summary } = tally;
  const asExpected = summary.expected === 0 ? '' : `, ${summary.right} of ${summary.expected} as expected`;
  output.say(
    `${counted(summary.n, 'text')}: ${summary.found} with a box${asExpected}; slowest ${summary.slowestMs} ms.`,
  );
  output.summary(summary);
  return exitCode.done;
}

const boxText = (boxed: string | null): string => (boxed === null ? 'no box' : `box ${brief(boxed)}`);
