/** What a plan complains of, a sentence each; numbers and names in `{0}`. The field stands before it. */
export const planProblemWords = {
  typicalTooLong:
    'A typical trajectory takes {0} tokens (prompt {1}, {2} sampled, {3} added by calls), but may have {4}: it would be cut.',
  mostTooLong:
    '{0} turns of {1} tokens, {2} outputs of {3} and a prompt of {4} come to {5} tokens, but a trajectory may have {6}: one that uses up its budgets is cut.',
  noRoomForAnswer:
    '{0} of {1} problems leave no room for a call of {2} tokens, its output of {3} and an answer of {4} in the {5} tokens of a trajectory.',
  callsUnanswered: 'is {0}, but with {1} turns only {2} can be run: a call in the last turn is not.',
  uneven: 'is {0}, which does not divide {1} groups: updates differ in size.',
  degenerate:
    '{0} % of groups of {1} are expected to be all right or all wrong at an accuracy of {2}, and teach nothing; {3} would halve that.',
  degenerateForGood:
    '{0} % of groups of {1} are expected to be all right or all wrong at an accuracy of {2}, and teach nothing; no size of group up to 1,024 would halve that.',
  tooManyBatches:
    'is {0}, but {1} batches are needed on average to replace the {2} % of groups without a signal: steps would train on {3} of {4} groups.',
  tooFewProblems: 'A step would need {0} different problems to find {1} groups with a signal, but there are {2}.',
  evaluationLonger: 'The evaluations take {0} trajectories, all steps of the training {1}.',
  greedySamples: 'is {0}, but at temperature 0 all samples of a problem are the same: one tells as much.',
  keepsNothing: 'is {0}: of {1} steps only the last {2} keep their checkpoint.',
  notHere:
    'is {0}, to which nothing connects yet: this can be planned and not be started here. Prompts and outputs are counted in bytes, which are more than the tokens of its model.',
  noCritic:
    'is gae, whose critic no service here trains: it can be planned and not be started, and the critic is not counted.',
  neverWarm: 'is {0}, but there are {1} steps: the learning rate never comes to its peak.',
  bufferBeyondLimit: 'is {0}, more than the limit of {1}: every answer is penalised, the shortest one too.',
  neverOverlong: 'The penalty of long answers begins at {0} tokens, but a trajectory may have {1}: it is never due.',
  windowBeyondTurn: 'looks for the box in the last {0} characters, but a turn has at most {1}: all of it is looked at.',
  moreCallsThanRun: 'is {0}, but the budgets let {1} be run.',
  moreThanSampled: 'is {0}, but the budgets let {1} tokens be sampled.',
  capExceeded: 'is {0} {1}, but the plan comes to {2}, at most {3}: a run is refused.',
  capMayBeExceeded: 'is {0} {1}; the plan comes to {2}, but at most to {3}.',
} as const;

/** The words of the plan's report. */
export const planWords = {
  title: 'Plan of {0}',
  basis: 'What it rests on',
  accuracy: 'share of right answers',
  prompt: 'tokens of a prompt ({0} to {1}): computed from {2} problems',
  response: 'tokens sampled per trajectory',
  calls: 'code executions per trajectory',
  added: 'tokens added per execution',
  source: '{0}: {1}',
  plan: "the experiment's plan",
  run: 'mean of the run {0}',
  demonstrations: 'mean of the demonstrations',
  assumption: 'an assumption, for neither plan nor an earlier run says',
  step: 'A step: typical, and at most',
  whole: 'The whole run: typical, and at most',
  evaluation: 'All evaluations: typical, and at most',
  coldStart: 'The cold start: typical, and at most',
  trajectories: 'trajectories',
  modelCalls: 'turns of the model',
  toolCalls: 'code executions',
  prefill: 'prompt tokens, new to the service',
  cachedPrefill: 'prompt tokens, cached',
  sampled: 'sampled tokens',
  trained: 'trained tokens, prompts and output included',
  computed:
    'Computed: typical from what it rests on, the cache holding every prefix; at most from the budgets, with no cache.',
  updates: 'Updates: {0} at most.',
  group:
    'Groups of {0} that are all right or all wrong, and teach nothing: {1} %, computed as p^G + (1-p)^G; where problems differ in difficulty there are more.',
  halved: 'A group size of {0} would halve that.',
  measured: 'In the run {0} it was {1} %.',
  batches: 'Batches of problems per step: {0} on average.',
  money: '{0} {1}, at most {2}: {3}',
  moneyStep: 'money per step',
  moneyRun: 'money for the whole run',
  prices: 'By the prices of the experiment, per million tokens: prefill {0}, cached {1}, sample {2}, train {3}.',
  noPrices: 'Money: plan.prices says what tokens cost; there are none.',
  cap: 'The cap is {0} {1}.',
  secondsStep: 'Time per step: {0}, by the pace of the run {1}.',
  secondsRun: 'Time for the whole run: {0}, by the same.',
  noTime: 'Time: no earlier run of this experiment tells.',
  problems: 'Problems',
  error: 'Error',
  warning: 'Warning',
  info: 'Note',
  nothing: 'Nothing to complain of.',
} as const;

/** Every sentence of both tables. */
export const planSentences: readonly string[] = [...Object.values(planProblemWords), ...Object.values(planWords)];
