import { isAbort } from '../lib/errors';
import { deriveSeed } from '../lib/seed';
import type { Experiment } from '../schema/experiment';
import type { Grade, Irregularity, Problem, StopReason, ToolResult, Trajectory, Turn } from '../schema/trajectory';
import { checkLogprobs } from './datum';
import type { Clock, Policy, RewardRule, Sample, SampleRequest, Sandbox, Tokenizer, ToolProtocol } from './ports';

/** How tokens are drawn. */
export type Sampling = Pick<SampleRequest, 'temperature' | 'topP' | 'topK'>;

/** What a rollout needs of the world, the same for every trajectory of a step. */
export interface RolloutParts {
  readonly policy: Policy;
  readonly sandbox: Sandbox;
  readonly protocol: ToolProtocol;
  readonly tokenizer: Tokenizer;
  readonly rule: RewardRule;
  readonly budgets: Experiment['budgets'];
  readonly malformedCalls: Experiment['malformedCalls'];
  readonly sampling: Sampling;
  readonly clock: Clock;
}

/** Which trajectory it is. Seeds derive from `path`, so that they are the same wherever and whenever it runs. */
export interface RolloutAddress {
  readonly step: number;
  readonly branch: number;
  readonly seed: number;
  /** For example `['sample', step, problem, branch]`. */
  readonly path: readonly (string | number)[];
}

const sandboxTries = 3;

/**
 * Solves one problem once: text and code execution alternate until the model answers or a budget ends it.
 *
 * What the model does wrong is a stop reason. A service or sandbox that fails is the stop reason `infrastructure`.
 * Rejects on abort only. The advantage is 0 until its group is known.
 */
export async function rollout(
  problem: Problem,
  address: RolloutAddress,
  parts: RolloutParts,
  signal: AbortSignal,
): Promise<Trajectory> {
  const prompt = parts.protocol.prompt(problem);
  return attempt(problem, address, { ...parts, prompt }, signal, (turns) => run(prompt, turns, address, parts, signal));
}

/** Solves a problem with whatever `run` does of turns: its failures and its grade are those of any rollout. */
export async function attempt(
  problem: Problem,
  address: RolloutAddress,
  parts: Pick<RolloutParts, 'rule' | 'malformedCalls'> & { readonly prompt: number[] },
  signal: AbortSignal,
  run: (turns: Turn[]) => Promise<StopReason>,
): Promise<Trajectory> {
  const turns: Turn[] = [];
  let stop: StopReason;
  let failure: string | undefined;
  try {
    stop = await run(turns);
  } catch (error) {
    signal.throwIfAborted();
    if (isAbort(error)) throw error;
    stop = 'infrastructure';
    failure = error instanceof Error ? error.message : String(error);
  }
  return {
    step: address.step,
    problemId: problem.id,
    branch: address.branch,
    ...(problem.kind === undefined ? {} : { kind: problem.kind }),
    question: problem.question,
    gold: problem.answer,
    prompt: parts.prompt,
    turns,
    stop,
    ...(failure === undefined ? {} : { failure }),
    grade: penalised(parts.rule.grade({ gold: problem.answer, turns, stop }), stop, parts.malformedCalls),
    advantage: 0,
  };
}

async function run(
  prompt: readonly number[],
  turns: Turn[],
  address: RolloutAddress,
  parts: RolloutParts,
  signal: AbortSignal,
): Promise<StopReason> {
  const { policy, protocol, tokenizer, budgets, malformedCalls, clock } = parts;
  const sequence = [...prompt];
  for (let calls = 0, told = 0; ; ) {
    const room = budgets.trajectoryTokens - sequence.length;
    if (room <= 0) return 'trajectoryTokens';
    const textOnly = calls >= budgets.calls && budgets.beyondCalls === 'continueInText';
    const began = clock();
    const sample = await policy.sample(
      {
        prompt: [...sequence],
        maxTokens: Math.min(budgets.turnTokens, room),
        stop: textOnly ? protocol.endOfTurn : protocol.stop,
        ...parts.sampling,
        seed: deriveSeed(address.seed, ...address.path, turns.length),
      },
      signal,
    );
    checkLogprobs(sample.tokens, sample.logprobs, `Turn ${turns.length + 1}`);
    const turn = toTurn(sample, tokenizer, clock() - began);
    turns.push(turn);
    sequence.push(...turn.tokens);

    if (sample.stop === 'length') return room > budgets.turnTokens ? 'turnTokens' : 'trajectoryTokens';
    const reading = protocol.read(turn.tokens);
    for (const irregularity of reading.irregular ?? []) mark(turn, irregularity);
    if (reading.kind === 'call') turn.code = reading.code;
    if (textOnly && reading.kind !== 'answer') mark(turn, 'beyondBudget');
    if (textOnly || reading.kind === 'answer') return 'answered';
    if (reading.kind === 'malformed') {
      const { policy: response, retries, message } = malformedCalls;
      if (response === 'asAnswer') {
        mark(turn, 'malformed');
        return 'answered';
      }
      if (response === 'maskTurn') turn.masked = true;
      const goesOn = response === 'feedBack' || response === 'maskTurn';
      if (!goesOn || told >= retries || turns.length >= budgets.turns) return 'malformedCall';
      told += 1;
      mark(turn, 'malformed');
      turn.observation = message ?? reading.reason;
    } else {
      if (calls >= budgets.calls) return 'callLimit';
      if (turns.length >= budgets.turns) return 'turnLimit';
      calls += 1;
      turn.result = await execute(reading.code, address, turns.length, parts.sandbox, signal);
      if (turn.result.status === 'infrastructure') throw new Error(turn.result.stderr || 'The sandbox failed.');
      turn.observation = protocol.observe(turn.result);
    }
    const added = protocol.continuation(turn.tokens, turn.observation, budgets.observationTokens);
    // Output that leaves no room for an answer is not shown: the trajectory ends as cut.
    if (sequence.length + added.length >= budgets.trajectoryTokens) return 'trajectoryTokens';
    turn.added = added;
    sequence.push(...added);
  }
}

export function mark(turn: Turn, irregularity: Irregularity): void {
  turn.irregular = [...(turn.irregular ?? []), irregularity];
}

function penalised(grade: Grade, stop: StopReason, { policy, penalty }: RolloutParts['malformedCalls']): Grade {
  if (policy !== 'penalise' || stop !== 'malformedCall' || penalty === 0) return grade;
  const parts = grade.parts ?? [{ name: 'answer', reward: grade.reward }];
  return { ...grade, reward: grade.reward - penalty, parts: [...parts, { name: 'malformedCall', reward: -penalty }] };
}

function toTurn(sample: Sample, tokenizer: Tokenizer, seconds: number): Turn {
  const tokens = [...sample.tokens];
  return { tokens, logprobs: [...sample.logprobs], text: tokenizer.decode(tokens), added: [], seconds };
}

/** Runs a call, again where the sandbox failed. @param turn names its seed. */
export async function execute(
  code: string,
  address: RolloutAddress,
  turn: number,
  sandbox: Sandbox,
  signal: AbortSignal,
): Promise<ToolResult> {
  const seed = deriveSeed(address.seed, 'sandbox', ...address.path, turn);
  for (let tries = 1; ; tries++) {
    const result = await sandbox.run(code, seed, signal);
    if (result.status !== 'infrastructure' || tries === sandboxTries) return result;
  }
}
