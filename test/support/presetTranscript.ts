import { createRule } from '../../src/grading/createRule';
import { deriveSeed } from '../../src/lib/seed';
import type { Preset } from '../../src/presets/presets';
import { presetText } from '../../src/presets/presetText';
import { protocolOf } from '../../src/protocols/protocols';
import type { Datum, Policy, SampleRequest } from '../../src/rl/ports';
import { trajectoryDatum } from '../../src/rl/reinforcement';
import { train } from '../../src/rl/train';
import { parseExperiment } from '../../src/run/experimentFile';
import type { Experiment } from '../../src/schema/experiment';
import type { Demonstration, Trajectory } from '../../src/schema/trajectory';
import { localVocabulary } from '../../src/trainer/vocabulary';
import { type ScriptedProblem, scriptsOf, tableSandbox } from './presetScripts';
import { MemoryLog, ScriptedService } from './scriptedService';

/** What a trainer was sent, and by which trajectories. */
export interface Transcript {
  readonly experiment: Experiment;
  readonly problems: readonly ScriptedProblem[];
  /** By problem, then branch; none of a cold start. */
  readonly trajectories: readonly Trajectory[];
  readonly service: ScriptedService;
  readonly log: MemoryLog;
  /** Trajectories of that row; more than one where they are the same. */
  namesOf(datum: Datum): string[];
}

export const demonstrations: readonly Demonstration[] = [
  { id: 'D1', question: 'What is 6*7?', answer: '42', code: 'print(6*7)' },
  { id: 'D2', question: 'What is 8*9?', answer: '72', code: 'print(8*9)' },
];

/**
 * The first step of a preset by the code that trains, against a model that writes fixed completions and a sandbox with
 * fixed results. Where the preset has no reinforcement it is the first step of its cold start, on four demonstrations.
 */
export async function play(preset: Preset): Promise<Transcript> {
  const written = parseExperiment(presetText(preset, preset.name)).experiment!;
  const { coldStart, ...rest } = written;
  const imitates = written.reinforcement.steps === 0;
  const experiment: Experiment = imitates ? { ...rest, coldStart: { ...coldStart!, batchSize: 4 } } : rest;
  const problems = scriptsOf(experiment.protocol);
  const service = new ScriptedService(actor(experiment, problems), (datums) => ({
    logprobs: datums.map(moved),
    metrics: { 'loss:sum': 0 },
  }));
  const log = new MemoryLog();
  await train(
    { experiment, problems, evaluation: [], demonstrations, resume: undefined, stop: AbortSignal.abort() },
    {
      service,
      sandbox: tableSandbox(experiment.observation),
      protocol: protocolOf(experiment.protocol, localVocabulary, experiment),
      tokenizer: localVocabulary,
      rule: createRule(experiment.reward),
      log,
      clock: () => 0,
      limits: { maxDatums: 1024, maxPaddedTokens: Number.POSITIVE_INFINITY },
    },
    new AbortController().signal,
  );
  const trajectories = [...(log.steps.get(1) ?? [])].sort(
    (a, b) => a.problemId.localeCompare(b.problemId) || a.branch - b.branch,
  );
  const rows = trajectories.map((each) => ({ name: nameOf(each), tokens: String(trajectoryDatum(each).tokens) }));
  return {
    experiment,
    problems,
    trajectories,
    service,
    log,
    namesOf: (datum) => rows.flatMap(({ name, tokens }) => (tokens === String(datum.tokens) ? name : [])),
  };
}

export const nameOf = ({ problemId, branch }: Trajectory): string => problemId + branch;

/** Plays the scripts: which one is asked for is told by the seed. It stops where a sampler would. */
function actor({ seed }: Experiment, problems: readonly ScriptedProblem[]): Policy {
  const turns = new Map(
    problems.flatMap(({ id, scripts }) =>
      scripts.flatMap((script, branch) =>
        script.turns.map((text, turn) => [deriveSeed(seed, 'sample', 1, id, branch, turn), text] as const),
      ),
    ),
  );
  return {
    async sample(request) {
      const text = turns.get(request.seed);
      if (text === undefined) throw new Error('No script goes on here.');
      const tokens = sampled(text, request);
      const stop = tokens.length === request.maxTokens ? 'length' : 'stop';
      return { tokens, logprobs: tokens.map((_, i) => (i === 3 ? -3 : -0.5)), stop };
    },
    release: async () => {},
  };
}

const controls = /(<\|im_end\|>|<\/?tool_call>)/;

function sampled(text: string, { stop, maxTokens }: SampleRequest): number[] {
  const wanted = stop.map((each) => (typeof each === 'number' ? localVocabulary.decode([each]) : each));
  const ends = wanted
    .map((each) => text.indexOf(each) + each.length)
    .filter((at, i) => text.includes(wanted[i]!) && at);
  const parts = text.slice(0, ends.length > 0 ? Math.min(...ends) : undefined).split(controls);
  return parts
    .flatMap((part, i) => (i % 2 === 1 ? [localVocabulary.control(part)] : localVocabulary.encode(part)))
    .slice(0, maxTokens);
}

/** Shifts of the trainer's log-probability at the first trained tokens: ratios 1, 1.35, 0.67 and, where -3, 14.9. */
const shifts = [0, 0.3, -0.4, 2.7];

function moved({ logprobs, mask }: Datum): number[] {
  let trained = 0;
  return logprobs.map((logprob, t) => {
    const shift = mask[t] ? (shifts[trained++] ?? 0) : 0;
    return logprob + (shift === 2.7 && logprob !== -3 ? 0 : shift);
  });
}
