import type { HubFile } from '../hub/hubName';
import { parseDataName } from '../hub/hubName';
import { nearest } from '../lib/nearest';
import type { ToolProtocol } from '../rl/ports';
import type { Problem } from '../schema/trajectory';
import { digestOf } from './evaluationProtocol';

/** A published evaluation set. Its problems are not ours and are not in the product: they are fetched, or a file has them. */
export interface NamedSet {
  readonly name: string;
  readonly problems: number;
  /** Bytes of its longest question. */
  readonly longest: number;
  /** `digestOf` its questions and answers, whatever file they came in. */
  readonly digest: string;
  /** `digestOf` its answers alone: other wordings of the same problems have it too. */
  readonly answers: string;
  /** File of a commit on GitHub. */
  readonly source: HubFile;
  /** Of that file, where it is known; the content is checked in any case. */
  readonly sha256?: string;
  /** A data set of a hub with the same content. */
  readonly hub: HubFile;
  /** Whose problems they are, and under which licence they are passed on. */
  readonly origin: string;
}

const ofGitHub = (repository: string, revision: string, path: string): HubFile => ({
  repository: { kind: 'dataset', id: repository, revision },
  path,
});

const areal = (path: string) => ofGitHub('zhshgmail/AReaL', '04ab6018c4ef43919348efdc52ba6b679a14ce88', path);
const qwen = (path: string) => ofGitHub('QwenLM/Qwen2.5-Math', 'a45202bd16f1ec06f433442dc1152d0074773465', path);

const maa = (repository: string) =>
  `its problems are those of the Mathematical Association of America, which has licensed none of their copies; this one is ${repository}'s (MIT)`;

export const namedSets: readonly NamedSet[] = [
  {
    name: 'AIME25',
    problems: 30,
    longest: 1_734,
    digest: '264969284dffc48758509218f74ff90aee26ef442b142ed9b1cbf04ddf1b7798',
    answers: '2a0b6b6486df113dd3bdbb025d60a9da5b674d91ca1018760e559a3a9bc0c5be',
    source: areal('evaluation/data/aime25/test.jsonl'),
    sha256: 'b4e273c02d3e7fe1b74b59eae768fc8230bfb0f79539890cb56f4361caac0331',
    hub: parseDataName('hub:math-ai/aime25/test.jsonl'),
    origin: maa('zhshgmail/AReaL'),
  },
  {
    name: 'AIME24',
    problems: 30,
    longest: 938,
    digest: 'c6926453058a13a2a928c9b2f5bbe9660631e60d0ae51cf356690c4b5d72cf14',
    answers: '0d01dda880e0367aefb66b5a664e2b0437d6958fdb88299346de1872b6a88c41',
    source: qwen('evaluation/data/aime24/test.jsonl'),
    hub: parseDataName('hub:HuggingFaceH4/aime_2024'),
    origin: maa('QwenLM/Qwen2.5-Math'),
  },
  {
    name: 'AMC23',
    problems: 40,
    longest: 688,
    digest: 'f855a22dc33681c3dc74ea0fb6a63091dc736d75360b687f8a80d71875568c8d',
    answers: '11cc0b952cd6f921d1978410e00e272a09c36acb7c70dd6b7a7e41ad1a0c1355',
    source: qwen('evaluation/data/amc23/test.jsonl'),
    hub: parseDataName('hub:math-ai/amc23'),
    origin: maa('QwenLM/Qwen2.5-Math'),
  },
  {
    name: 'MATH-500',
    problems: 500,
    longest: 1_733,
    digest: 'e5d7e13f29384519c5d475140d6abebbc7b1d3aaeb984af80d300a2c6935c95e',
    answers: '11b287d443b841f9f65141184115465c05f653bba3552b15afd77223ce34ec7b',
    source: areal('evaluation/data/math_500/test.jsonl'),
    sha256: '35dc41080a3680858b27fa7e0533d2d547825316fc5dafe5d316f4ccc5a06132',
    hub: parseDataName('hub:HuggingFaceH4/MATH-500/test.jsonl'),
    origin: 'its problems are of MATH by Hendrycks and others (MIT), chosen by OpenAI for PRM800K (MIT)',
  },
];

/** Tokens of a set's longest prompt, for a vocabulary of bytes. */
export const longestPrompt = ({ longest }: NamedSet, protocol: Pick<ToolProtocol, 'prompt'>): number =>
  protocol.prompt({ id: '', question: 'x'.repeat(longest), answer: '' }).length;

export const setNames: string = namedSets.map(({ name }) => name).join(', ');

/** `aime_2025`, `yentinglin/aime_2025` and `AIME25` are one; so are `math500` and `MATH-500`. */
const keyOf = (name: string): string =>
  name
    .toLowerCase()
    .replace(/^.*\//, '')
    .replaceAll(/[^a-z0-9]/g, '')
    .replace(/^(aime|amc)20/, '$1');

/** The set that is meant, however it is spelt; undefined for any other name. */
export const setCalled = (name: string): NamedSet | undefined =>
  namedSets.find((set) => keyOf(set.name) === keyOf(name));

/** Names the sets there are, and the one whose name is nearest to one that there is not, if any is near. */
export function setsHint(name: string): string {
  const near = nearest(
    keyOf(name),
    namedSets.map((set) => keyOf(set.name)),
  );
  const meant = namedSets.find((set) => keyOf(set.name) === near);
  return `${meant ? `Did you mean ${meant.name}? ` : ''}Sets are ${setNames}`;
}

/** What problems are of a named set: its own, or the same in other words, which is another set to every measure. */
export interface Recognized {
  readonly set: NamedSet;
  readonly wording: 'own' | 'other';
}

/** @returns undefined for problems of no named set, and for a part of one. */
export function recognize(problems: readonly Problem[]): Recognized | undefined {
  const candidates = namedSets.filter((set) => set.problems === problems.length);
  if (candidates.length === 0) return undefined;
  const digest = digestOf(problems);
  const own = candidates.find((set) => set.digest === digest);
  if (own) return { set: own, wording: 'own' };
  const answers = digestOf(problems.map((problem) => ({ ...problem, question: '' })));
  const other = candidates.find((set) => set.answers === answers);
  return other && { set: other, wording: 'other' };
}

/** The name that results on these problems stand under. */
export const recognizedName = ({ set, wording }: Recognized): string =>
  wording === 'own' ? set.name : `${set.name} in other words`;

/** Problems with a figure, which a model is shown as Asymptote code. */
export const withFigures = (problems: readonly Problem[]): number =>
  problems.filter(({ question }) => question.includes('[asy]')).length;
