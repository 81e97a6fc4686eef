/** A record as a file holds it, by the names of its columns. */
export type DataRecord = Readonly<Record<string, unknown>>;

/** Where a record of one of the known shapes keeps a problem. Paths go into nested columns by dots. */
export interface RecordShape {
  readonly name: string;
  readonly question: string;
  readonly answer: string;
  /** The first of these that is there; without any, the id is made from the file's name and the line. */
  readonly id: readonly string[];
  readonly kind: readonly string[];
  /** Ids are the user's own: two questions with one id are a mistake, and not how sets were put together. */
  readonly ownIds?: boolean;
}

/** The shapes that problem files come in. The first whose question and answer are among the columns is taken. */
export const recordShapes: readonly RecordShape[] = [
  {
    name: 'ReTool, PyTRIO',
    question: 'question',
    answer: 'answer',
    id: ['id'],
    kind: ['kind', 'data_source'],
    ownIds: true,
  },
  {
    name: 'verl, DAPO, ToRL',
    question: 'prompt',
    answer: 'reward_model.ground_truth',
    id: ['extra_info.index', 'extra_info.id'],
    kind: ['data_source'],
  },
  { name: 'slime', question: 'prompt', answer: 'label', id: ['id'], kind: [] },
  { name: 'AReaL', question: 'messages', answer: 'answer', id: ['id'], kind: [] },
  { name: 'AIME', question: 'problem', answer: 'answer', id: ['id', 'unique_id'], kind: [] },
  { name: 'AIME 2024', question: 'Problem', answer: 'Answer', id: ['ID', 'id'], kind: [] },
  { name: "ReTool's AIME", question: 'input', answer: 'output', id: ['id'], kind: [] },
];

const head = (path: string): string => path.split('.')[0]!;

/** @returns undefined when the columns fit none. */
export const shapeOf = (columns: readonly string[]): RecordShape | undefined =>
  recordShapes.find(({ question, answer }) => [question, answer].every((path) => columns.includes(head(path))));

/** The columns that a shape reads, of those that there are. */
export const columnsRead = ({ question, answer, id, kind }: RecordShape, columns: readonly string[]): string[] => {
  const read = new Set([question, answer, ...id, ...kind].map(head));
  return columns.filter((column) => read.has(column));
};

/** For example `{question, answer} (ReTool, PyTRIO)`. */
export const describeShape = ({ name, question, answer }: RecordShape): string => `{${question}, ${answer}} (${name})`;

/** @returns undefined where there is nothing, or null. */
export function valueAt(record: DataRecord, path: string): unknown {
  let value: unknown = record;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as DataRecord)[name];
  }
  return value ?? undefined;
}

/** What sets put around a question, to the letter. An experiment's own protocol asks for the answer in its own way. */
const wrappers: readonly { readonly prefix: string; readonly suffix: string }[] = [
  {
    prefix:
      'Solve the following math problem step by step. The last line of your response should be of the form Answer: $Answer (without quotes) where $Answer is the answer to the problem.\n\n',
    suffix: '\n\nRemember to put your answer on its own line after "Answer:".',
  },
  { prefix: '', suffix: "\nThe answer format must be: \\boxed{'The final answer goes here.'}" },
];

function unwrapped(text: string): string {
  const found = wrappers.find(({ prefix, suffix }) => text.startsWith(prefix) && text.endsWith(suffix));
  return found ? text.slice(found.prefix.length, text.length - found.suffix.length) : text;
}

/**
 * The question that a column holds: a text, or a conversation, of which it is the last message of the user. A system
 * prompt is left out.
 *
 * @returns undefined when it holds neither.
 */
export function questionIn(value: unknown): string | undefined {
  if (typeof value === 'string') return unwrapped(value);
  if (!Array.isArray(value)) return undefined;
  const asked = (value as unknown[]).findLast(
    (message): message is { content: string } =>
      valueAt({ message }, 'message.role') === 'user' && typeof valueAt({ message }, 'message.content') === 'string',
  );
  return asked && unwrapped(asked.content);
}

/**
 * The gold answer that a column holds: a text, a number, or a list whose members are all the same. A text that is itself
 * a JSON list of texts, as some copies of DAPO-Math-17k have it, is read as that list.
 *
 * @returns undefined when it holds anything else.
 */
export function answerIn(value: unknown): string | undefined {
  if (typeof value === 'string') return value.startsWith('["') ? (answerIn(parsedList(value)) ?? value) : value;
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : undefined;
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const [first, ...others] = value.map(answerIn);
  return others.every((other) => other === first) ? first : undefined;
}

function parsedList(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
