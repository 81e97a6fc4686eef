import { boxRules, lastBox } from '../grading/findBox';
import { RewardRuleName } from '../schema/reward';
import { levelsOf } from '../schema/sandboxLevels';

/** What `retool <command> --help` says. */
interface CommandHelp {
  readonly usage: string;
  readonly does: string;
  readonly options?: Readonly<Record<string, string>>;
}

/** Names in lines that fit a terminal. */
const listed = (names: readonly string[]): string =>
  (names.join(', ').match(/.{1,72}(?:, |$)/g) ?? []).map((line) => line.trimEnd()).join('\n');

const hub = { '--hub H': 'hub: an address, modelscope, or a folder; else HF_ENDPOINT, else Hugging Face' };
const unsafe = { '--allow-unsafe-sandbox': 'consents to a sandbox that is no boundary' };
const interpreter = {
  '--python P': 'Python interpreter; else the python3 on the PATH',
  '--level L': `isolation level; else the best that this machine gives:\n${listed(levelsOf(process.platform))}`,
};

/** Every command, in the order of the overview. A space parts a command from its own command. */
export const commandHelp = {
  train: {
    usage:
      'retool train <experiment.json> [--run-dir D] [--steps N] [--seed N] [--hub H] [--allow-unsafe-sandbox] [--json]',
    does: 'Trains as the experiment says. Ctrl-C ends the run after saving, a second Ctrl-C at once.',
    options: {
      '--run-dir D':
        'folder of the run; else a new one in .retool/runs beside the experiment, where the editor finds it',
      '--steps N': 'steps of reinforcement, instead of reinforcement.steps',
      '--seed N': 'seed, instead of the one of the experiment',
      ...hub,
      ...unsafe,
    },
  },
  resume: {
    usage: 'retool resume <run-dir> [--hub H] [--allow-unsafe-sandbox] [--json]',
    does: 'Goes on from the last checkpoint, as if the run had never stopped.',
    options: { ...hub, ...unsafe },
  },
  show: {
    usage: 'retool show <run-dir> [--step N | --evaluation ID] [--problem ID [--branch B]] [--json]',
    does: 'Prints the state of a run, the groups of a step or of an evaluation, or one trajectory.',
    options: {
      '--step N': 'the rollouts of this step',
      '--evaluation ID': 'those of an evaluation, before or after',
      '--problem ID': 'one trajectory of this problem',
      '--branch B': 'its number in the group, from 0; else 0',
    },
  },
  evaluate: {
    usage:
      'retool evaluate <run-dir | --endpoint URL --model NAME> [--checkpoint base|last|all|N] [--dataset D] [--hub H] [--samples N] [--temperature T] [--top-p P] [--top-k K] [--seed N] [--mode tool|text] [--limit N] [--chunk N] [--concurrency N] [--most-tokens N] [--experiment F] [--tools T] [--api A] [--python P] [--allow-unsafe-sandbox] [--json]',
    does: 'Evaluates a checkpoint of a run, or a model behind an OpenAI-compatible endpoint. Ctrl-C keeps what has been sampled; the same command goes on.',
    options: {
      '--checkpoint C': 'base (before training), last, all, the name of one, or a step; else last',
      '--dataset D':
        'held-out (the problems of the run itself), AIME25, AIME24, AMC23, MATH-500, AIME25=FILE where it cannot be fetched, or a file of problems; else held-out',
      ...hub,
      '--samples N': 'samples of each problem; else evaluation.samplesPerProblem',
      '--temperature T': '0 to 100; else evaluation.temperature',
      '--top-p P': 'above 0 and at most 1; else evaluation.topP',
      '--top-k K': 'tokens to choose from; else evaluation.topK, all where it is not set',
      '--seed N': 'samples anew what has been sampled with another; else the seed of the experiment',
      '--mode M': 'tool, or text: no code is run; else tool',
      '--limit N': 'only the first N problems; of held-out by default those that the run itself is measured on',
      '--chunk N': 'problems that are begun together; the samples are the same',
      '--concurrency N': 'trajectories in flight at once; the samples are the same',
      '--most-tokens N': 'stops when so many tokens have been sampled; the same command goes on',
      '--endpoint URL':
        'of vLLM, SGLang, llama.cpp, Ollama or another; its key comes from RETOOL_ENDPOINT_KEY, else OPENAI_API_KEY;\nresults stand in .retool/evaluations of the current folder',
      '--model NAME': 'as the endpoint names it',
      '--experiment F': 'settings of this experiment: budgets, reward, sandbox, evaluation; else usual ones',
      '--tools T':
        'native (of the API), text (the protocol of the experiment) or a protocol: retool-code, torl-fences,\npython-result, qwen3-json, qwen3.5-xml; else native, with completions text',
      '--api A': 'chat or completions; else chat',
      '--python P': interpreter['--python P'],
      ...unsafe,
    },
  },
  import: {
    usage: 'retool import <files…> [--run DIR] [--json]',
    does: "Imports evaluation files that PyTRIO's eval.py wrote, all of them or none; what is there already is left out.",
    options: { '--run DIR': 'run whose evaluations they become; else .retool/evaluations of the current folder' },
  },
  compare: {
    usage:
      'retool compare <run-dir | folder of evaluations | files…> [--dataset D] [--baseline ID] [--unlike] [--csv F] [--markdown F] [--svg F] [--checkpoint-svg F] [--json]',
    does: "Shows evaluations on one set of problems beside each other, with intervals over the problems: a run's, a folder's, or files in the format of PyTRIO's eval.py.",
    options: {
      '--dataset D': 'name of the set; else that of the last evaluation',
      '--baseline ID':
        'evaluation that the others are compared with; else the first of the largest group that was asked alike',
      '--unlike': 'also shows those that were asked otherwise, and in which fields',
      '--csv F': 'writes every number, a line for each evaluation and problem',
      '--markdown F': 'writes the table, and the correct samples of each problem',
      '--svg F': 'writes the figure: scores, differences, problems',
      '--checkpoint-svg F': "writes the reference's figure: average and pass as bars, format as a line",
    },
  },
  behaviour: {
    usage: 'retool behaviour <run-dir> [--step N | --evaluation ID | --every K] [--similarity S] [--json]',
    does: 'Says how the model uses its interpreter: over the steps of a run, or in one of them, or in an evaluation.',
    options: {
      '--step N': 'one step, right and wrong answers beside each other',
      '--evaluation ID': 'one evaluation, likewise',
      '--every K': 'each K-th step; else at most 60 steps, evenly',
      '--similarity S': 'least similarity of a failed call and its correction, 0 to 1; else 0.6',
    },
  },
  grade: {
    usage: 'retool grade <cases.jsonl> [--rule NAME|all] [--json]',
    does: 'Grades {gold, prediction} or {text, gold} lines.',
    options: {
      '--rule NAME': `reward rule, else last-box-math; all shows where the rules disagree:\n${listed(RewardRuleName.options)}`,
    },
  },
  extract: {
    usage: 'retool extract <cases.jsonl> [--rule NAME] [--json]',
    does: 'Finds the answer box alone.',
    options: {
      '--rule NAME': `box rule, else ${lastBox.name}; or a reward rule, for its box:\n${listed([...boxRules.map(({ name }) => name), ...RewardRuleName.options])}`,
    },
  },
  doctor: {
    usage: 'retool doctor <experiment.json|data file> [--against F] [--hub H] [--json]',
    does: 'Examines problem files: repeats, contradictory answers, overlap, and what does not fit. Exit code 1 where a run would refuse them.',
    options: { '--against F': 'training set whose questions the data file should have none of', ...hub },
  },
  'preset list': {
    usage: 'retool preset list [--json]',
    does: 'Names the published systems that an experiment can begin as.',
  },
  'preset show': {
    usage: 'retool preset show <name> [--json]',
    does: 'Prints one as an experiment file: every value with its source, null where nobody has said it.',
  },
  'preset new': {
    usage: 'retool preset new <name> <file.retool.json> [--json]',
    does: 'Writes one as a new experiment file, with the data of the examples where it needs them.',
  },
  'preset diff': {
    usage: 'retool preset diff <file.retool.json> [--json]',
    does: 'Says what an experiment has otherwise than the preset that it began as.',
  },
  plan: {
    usage: 'retool plan <experiment.json> [--hub H] [--json]',
    does: 'Says what a run will need: trajectories, calls, tokens, time and money, and which settings contradict each other. Exit code 1 where the plan is above its cap.',
    options: hub,
  },
  'sandbox run': {
    usage: 'retool sandbox run <file.py> [--python P] [--level L] [--allow-unsafe-sandbox] [--json]',
    does: "Runs one snippet as the model's code is run.",
    options: { ...interpreter, ...unsafe },
  },
  'sandbox probe': {
    usage: 'retool sandbox probe [--python P] [--level L] [--json]',
    does: 'Tells the isolation level of this machine, what it guarantees, and why a better one was refused.',
    options: interpreter,
  },
  template: {
    usage:
      'retool template <template.jinja | model folder | OWNER/NAME[@REVISION]> [--tokenizer F] [--golden F | --write-golden F] [--hub H] [--json]',
    does: "Tests a model's chat template and tokenizer: what is rewritten, where a turn ends, which tokens come of it.",
    options: {
      '--tokenizer F': 'tokenizer.json, where the folder has none or there is no folder',
      '--golden F': 'compares the tokens of a fixed conversation with those of a file',
      '--write-golden F': 'writes them to one',
      ...hub,
    },
  },
  fetch: {
    usage:
      'retool fetch <experiment.json | hub:OWNER/NAME[@REVISION][/PATH] | OWNER/NAME[@REVISION] | AIME25 | AIME25=FILE> [--again] [--hub H] [--json]',
    does: 'Fetches files of data sets, evaluation sets (AIME25, AIME24, AMC23, MATH-500), or what is read of a model, goes on where it was stopped, and tells their SHA-256.',
    options: { '--again': 'asks the hub even for what was fetched before', ...hub },
  },
  serve: {
    usage: 'retool serve [--port P] [--directory D] [--context N] [--experiment F] [--json]',
    does: 'Offers the local trainer to any client of the Tinker protocol (JSON form), on loopback: to an experiment by its service.url.\nThe key is that of RETOOL_SERVICE_KEY where it is set, else a new one that is printed.',
    options: {
      '--port P': 'port; 0 takes a free one',
      '--directory D': 'folder of the checkpoints',
      '--context N': 'longest sequence, tokens',
      '--experiment F': 'takes layers, width and heads of the model from this experiment',
    },
  },
  bench: {
    usage: 'retool bench <trainer|sandbox|grading|host|rollout> [--json]',
    does: 'Measures against peers in the same call. In a checkout only.',
  },
} as const satisfies Readonly<Record<string, CommandHelp>>;

const closing = `--json prints JSON lines on stdout, a summary last.
Exit codes: 0 done, 1 failed, 2 usage, 130 interrupted and resumable.`;

/** The overview of all commands. */
export function overview(version: string): string {
  const lines = Object.values(commandHelp).map(({ usage }) => `  ${usage.replace(' [--json]', '')}`);
  return [
    `retool ${version}: trains a language model that reasons by writing and running Python.`,
    '',
    ...lines,
    '',
    '`retool <command> --help` explains one of them.',
    closing,
  ].join('\n');
}

/** What is to be said of one command, or undefined when there is none of that name. */
export function helpOf(name: string): string | undefined {
  const entries: CommandHelp[] = Object.entries(commandHelp).flatMap(([key, help]) =>
    key.split(' ')[0] === name ? [help] : [],
  );
  if (entries.length === 0) return undefined;
  const texts = entries.map(({ usage, does, options = {} }) => {
    const width = Math.max(...Object.keys(options).map(({ length }) => length)) + 2;
    const rows = Object.entries(options).map(
      ([option, text]) => `  ${option.padEnd(width)}${text.replaceAll('\n', `\n${' '.repeat(width + 2)}`)}`,
    );
    return [usage, '', does, ...(rows.length > 0 ? ['', ...rows] : [])].join('\n');
  });
  return [...texts, closing].join('\n\n');
}
