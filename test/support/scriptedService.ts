import type {
  AdamParameters,
  Datum,
  Loss,
  LossOffers,
  LossResult,
  Policy,
  RunLog,
  SampleRequest,
  Sandbox,
  Tokenizer,
  ToolProtocol,
  Trainer,
  TrainingService,
} from '../../src/rl/ports';
import type { JournalEntry } from '../../src/schema/journal';
import type { ToolResult, Trajectory } from '../../src/schema/trajectory';

/** Characters are tokens; `[` and `]` stand for control tokens 1 and 2 that plain text can not reach. */
export const letters: Tokenizer = {
  encode: (text) => Array.from(text, (character) => character.charCodeAt(0)),
  decode: (ids) => String.fromCharCode(...ids.map((id) => (id === 1 ? 91 : id === 2 ? 93 : id))),
  control: (name) => (name === 'call' ? 1 : 2),
  vocabularySize: 128,
};

/** `q` question, then turns: a code between 1 and 2 is a call, anything that ends with `.` an answer. */
export const letterProtocol: ToolProtocol = {
  name: 'letters',
  stop: [2, 46],
  endOfTurn: [46],
  prompt: ({ question }) => letters.encode(`q${question}`),
  read: (tokens) => {
    if (tokens.at(-1) === 46) return { kind: 'answer' };
    if (tokens[0] !== 1) return { kind: 'malformed', reason: 'no call' };
    return { kind: 'call', code: letters.decode(tokens.slice(1, -1)) };
  },
  observe: ({ stdout }) => stdout,
  continuation: (_tokens, observation, limit) => letters.encode(`>${observation.slice(0, limit)}<`),
  call: (code) => [1, ...letters.encode(code), 2],
  answer: (text) => letters.encode(`${text}.`),
};

export const okResult = (stdout: string, seconds = 0.01): ToolResult => ({
  status: 'ok',
  stdout,
  stderr: '',
  exitCode: 0,
  signal: null,
  seconds,
  queueSeconds: 0,
  cpuSeconds: 0,
  peakMemoryBytes: 0,
  truncated: false,
  level: 'test',
});

/** Answers with the code itself in capitals. */
export const echoSandbox: Sandbox = { run: async (code) => okResult(code.toUpperCase()) };

/** A turn that a scripted policy plays: ids, whether a stop id ended it, and log-probabilities if not -0.5. */
export interface ScriptedTurn {
  readonly tokens: readonly number[];
  readonly stop?: 'stop' | 'length';
  readonly logprobs?: readonly number[];
}

export function scriptedPolicy(play: (request: SampleRequest, call: number) => ScriptedTurn | Error): Policy {
  let calls = 0;
  return {
    async sample(request) {
      const turn = play(request, calls++);
      if (turn instanceof Error) throw turn;
      const { tokens, stop = 'stop', logprobs = tokens.map(() => -0.5) } = turn;
      return { tokens, logprobs, stop };
    },
    release: async () => {},
  };
}

/** A service that learns nothing and remembers every call. */
export class ScriptedService implements TrainingService {
  readonly offers: LossOffers = {
    losses: ['crossEntropy', 'importanceSampling', 'ppo', 'cispo'],
    entropy: true,
  };
  readonly calls: string[] = [];
  readonly optimizers: AdamParameters[] = [];
  /** `update`: how many optimizer steps came before. */
  readonly batches: {
    readonly pass: 'forward' | 'forwardBackward';
    readonly update: number;
    readonly datums: readonly Datum[];
    readonly loss: Loss;
  }[] = [];
  private readonly policy: Policy;
  private readonly answer: (datums: readonly Datum[]) => LossResult;

  constructor(
    policy: Policy,
    answer: (datums: readonly Datum[]) => LossResult = (datums) => ({
      logprobs: datums.map(({ logprobs }) => logprobs),
      metrics: { 'loss:sum': 0.5 },
    }),
  ) {
    this.policy = policy;
    this.answer = answer;
  }

  async create(seed: number): Promise<Trainer> {
    this.calls.push(`create ${seed}`);
    return this.trainer();
  }

  async load(path: string, optimizer: boolean): Promise<Trainer> {
    this.calls.push(`load ${path} ${optimizer ? 'with' : 'without'} optimizer`);
    return this.trainer();
  }

  private trainer(): Trainer {
    const passes = (pass: 'forward' | 'forwardBackward') => async (datums: readonly Datum[], loss: Loss) => {
      this.batches.push({ pass, update: this.optimizers.length, datums, loss });
      return this.answer(datums);
    };
    return {
      policy: async () => this.policy,
      forward: passes('forward'),
      forwardBackward: passes('forwardBackward'),
      optimStep: async (adam) => {
        this.optimizers.push(adam);
        this.calls.push(`optim ${adam.learningRate.toPrecision(3)}`);
        return { grad_norm: 1 };
      },
      save: async (name) => {
        this.calls.push(`save ${name}`);
        return `test://${name}`;
      },
      discard: async (path) => {
        this.calls.push(`discard ${path}`);
      },
    };
  }
}

export class MemoryLog implements RunLog {
  readonly entries: JournalEntry[] = [];
  readonly steps = new Map<number, readonly Trajectory[]>();
  readonly evaluations = new Map<string, readonly Trajectory[]>();

  async append(entry: JournalEntry): Promise<void> {
    this.entries.push(entry);
  }
  async commit(): Promise<void> {}
  async rollouts(step: number, trajectories: readonly Trajectory[]): Promise<void> {
    this.steps.set(step, trajectories);
  }
  async evaluation(id: string, trajectories: readonly Trajectory[]): Promise<void> {
    this.evaluations.set(id, trajectories);
  }
  kinds(): string[] {
    return this.entries.map(({ kind }) => kind);
  }
}
