import { addedIn, type GradeFlag, sampledIn, type Trajectory, type Turn } from '../schema/trajectory';

const verdicts = { correct: 'correct', incorrect: 'incorrect', unknown: 'not understood' };
const flags: Readonly<Record<GradeFlag, string>> = {
  severalBoxes: 'several different boxes in the last turn',
  copiedBox: 'the code printed the box that the answer repeats',
  unsupported: 'the answer appears nowhere but in its box',
};

const leftOutWords: Readonly<Record<NonNullable<Trajectory['leftOut']>, string>> = {
  voidTurn: 'a turn has neither call nor box',
  resampled: 'others of its group were kept',
};

/** A trajectory as plain text, for terminals and for pasting. */
export function trajectoryText(trajectory: Trajectory, evaluation?: string): string {
  const { step, problemId, branch, question, gold, grade, leftOut, turns, imported } = trajectory;
  return [
    `${evaluation === undefined ? `Step ${step}` : `Evaluation ${evaluation}`}, problem ${problemId}, branch ${branch}`,
    `Question: ${question}`,
    `Gold ${gold} · predicted ${grade.predicted ?? 'nothing'} · ${verdicts[grade.verdict]}: ${grade.reason}`,
    ...(grade.flags?.length ? [`Warning signs: ${grade.flags.map((flag) => flags[flag]).join('; ')}`] : []),
    ...(imported
      ? [
          `${imported.turns} turns, ${imported.calls} calls. The file holds the last text alone: no other turn, no code, no output.`,
        ]
      : [rewardText(trajectory, evaluation)]),
    ...(leftOut ? [`Not trained on: ${leftOutWords[leftOut]}`] : []),
    ...(imported ? ['', ...turns.map(({ text }) => text)] : turns.map(turnText)),
  ].join('\n');
}

const rewardText = ({ grade, advantage, stop, failure }: Trajectory, evaluation?: string): string =>
  `Reward ${grade.reward}${evaluation === undefined ? ` · advantage ${advantage.toFixed(3)}` : ''} · ended by ${stop}${failure ? ` (${failure})` : ''}`;

function turnText(turn: Turn, index: number): string {
  const { logprobs, code, text } = turn;
  const mean = logprobs.reduce((sum, logprob) => sum + logprob, 0) / logprobs.length;
  const likely = logprobs.length > 0 ? ` · mean log-probability ${mean.toFixed(3)}` : '';
  const lines = [
    '',
    turn.continues ? 'Another call of the same message' : `Turn ${index + 1} · ${sampledIn(turn)} tokens${likely}`,
    ...(text === '' ? [] : [text]),
    // A call that is no part of the text, as an API has it.
    ...(code !== undefined && !text.includes(code) ? [code] : []),
    ...(turn.irregular
      ? [`Call: ${turn.irregular.join(', ')}${turn.masked ? '; the turn is not trained on' : ''}`]
      : []),
  ];
  if (!turn.result && turn.observation !== undefined) lines.push('The model was told', turn.observation);
  if (turn.result) {
    lines.push(
      `Output · ${turn.result.status} · ${turn.result.seconds.toFixed(2)} s · ${addedIn(turn)} tokens, not trained on`,
      turn.observation ?? turn.result.stdout,
    );
  }
  return lines.join('\n');
}
