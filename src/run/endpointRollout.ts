import { deriveSeed } from '../lib/seed';
import { decodeJson } from '../protocols/lenientJson';
import { observation } from '../protocols/observation';
import { bothStreams } from '../protocols/observe';
import { callClose, holdsBox, reading, severalReason, toolName } from '../protocols/readCall';
import { textFormats } from '../protocols/textFormats';
import type { Roll } from '../rl/evaluate';
import type { Clock, Reading, RewardRule, Sandbox } from '../rl/ports';
import { attempt, execute, mark, type RolloutAddress } from '../rl/rollout';
import type { EvaluationMode } from '../schema/evaluation';
import type { Experiment } from '../schema/experiment';
import type { Irregularity, StopReason, Turn } from '../schema/trajectory';
import type { ChatMessage, EndpointModel, EndpointReply, EndpointRequest } from '../services/endpointModel';
import { localVocabulary } from '../trainer/vocabulary';
import { type EndpointTools, systemPrompt } from './endpointPrompts';

export type EndpointApi = 'chat' | 'completions';

export interface EndpointParts {
  readonly model: EndpointModel;
  readonly api: EndpointApi;
  readonly tools: EndpointTools;
  readonly mode: EvaluationMode;
  readonly sandbox: Sandbox;
  readonly rule: RewardRule;
  readonly experiment: Experiment;
  readonly clock: Clock;
}

/** A conversation with the model about one problem, in the form that it calls in. */
interface Dialogue {
  /** What stops the model within a turn. */
  readonly stop: readonly string[] | undefined;
  readonly hasTools: boolean;
  say(request: EndpointRequest, signal: AbortSignal): Promise<EndpointReply>;
  /** The turn as it is kept, and its calls in order; none where it answers. */
  read(reply: EndpointReply): { readonly text: string; readonly calls: readonly Reading[] };
  /** Puts the outputs of the calls of `reply` into the conversation. */
  show(reply: EndpointReply, outputs: readonly string[]): void;
}

/** Solves problems with a model behind an endpoint. What it says is text: the tokens of a turn are a number. */
export const endpointRoll =
  (parts: EndpointParts): Roll =>
  (problem, address, signal) => {
    const { experiment, rule } = parts;
    const conversation = new Conversation(parts, problem.question, address, signal);
    return attempt(problem, address, { rule, malformedCalls: experiment.malformedCalls, prompt: [] }, signal, (turns) =>
      conversation.run(turns),
    ).then((trajectory) => ({ ...trajectory, promptTokens: conversation.promptTokens }));
  };

class Conversation {
  /** Tokens of the first prompt. */
  promptTokens = 0;
  private readonly parts: EndpointParts;
  private readonly address: RolloutAddress;
  private readonly signal: AbortSignal;
  private readonly dialogue: Dialogue;
  private readonly shown: (text: string) => string;
  private readonly observe: ReturnType<typeof observation>['observe'];
  /** Tokens so far. */
  private length = 0;
  private calls = 0;
  private told = 0;
  private messages = 0;

  constructor(parts: EndpointParts, question: string, address: RolloutAddress, signal: AbortSignal) {
    const { tools, mode, experiment } = parts;
    this.parts = parts;
    this.address = address;
    this.signal = signal;
    this.dialogue = dialogueOf(parts, systemPrompt(mode, tools), question.trim());
    const form = tools === 'native' ? bothStreams : textFormats[tools].observe;
    // An endpoint shares no vocabulary: outputs are measured by bytes, which are the tokens of the local trainer.
    const { observe, shown } = observation(form, localVocabulary, experiment.observation);
    this.observe = observe;
    this.shown = (text) => localVocabulary.decode(shown(text, experiment.budgets.observationTokens));
  }

  async run(turns: Turn[]): Promise<StopReason> {
    const { experiment, clock } = this.parts;
    const { budgets } = experiment;
    for (;;) {
      const room = budgets.trajectoryTokens - this.length;
      if (room <= 0) return 'trajectoryTokens';
      const textOnly = this.calls >= budgets.calls && budgets.beyondCalls === 'continueInText';
      const began = clock();
      const reply = await this.dialogue.say(
        {
          maxTokens: Math.min(budgets.turnTokens, room),
          seed: deriveSeed(this.address.seed, ...this.address.path, this.messages),
          stop: textOnly ? undefined : this.dialogue.stop,
          tools: this.dialogue.hasTools ? (textOnly ? 'none' : 'auto') : undefined,
        },
        this.signal,
      );
      if (reply.stop === 'context') return 'trajectoryTokens';
      const { text, calls } = this.dialogue.read(reply);
      const turn = this.take(turns, reply, text, clock() - began);
      if (reply.stop === 'filter') return 'contentFilter';
      if (reply.stop === 'length') return room > budgets.turnTokens ? 'turnTokens' : 'trajectoryTokens';
      if (textOnly) {
        if (calls.length > 0) mark(turn, 'beyondBudget');
        return 'answered';
      }
      if (calls.length === 0) return 'answered';
      const stop = await this.answerCalls(turns, turn, reply, calls);
      if (stop) return stop;
    }
  }

  private take(turns: Turn[], reply: EndpointReply, text: string, seconds: number): Turn {
    const { prompt = this.length, sampled = 0 } = reply.usage ?? {};
    const last = turns.at(-1);
    if (this.messages === 0) this.promptTokens = prompt;
    else if (last?.counts) last.counts = { ...last.counts, added: Math.max(0, prompt - this.length) };
    this.length = prompt + sampled;
    this.messages += 1;
    const turn: Turn = { tokens: [], logprobs: [], text, added: [], seconds, counts: { sampled, added: 0 } };
    turns.push(turn);
    return turn;
  }

  /** Runs every call of a message. @returns why the trajectory ends, if it does. */
  private async answerCalls(
    turns: Turn[],
    first: Turn,
    reply: EndpointReply,
    calls: readonly Reading[],
  ): Promise<StopReason | undefined> {
    const { budgets, calls: rules } = this.parts.experiment;
    if (calls.length > 1) mark(first, 'severalCalls');
    if (this.parts.tools === 'native' && holdsBox(reply.text)) {
      mark(first, 'answerWithCall');
      if (rules.withAnswer === 'answer') return 'answered';
    }
    const outputs: string[] = [];
    for (const [index, read] of calls.entries()) {
      const turn = index === 0 ? first : further();
      if (index > 0) turns.push(turn);
      const stop = await this.answerCall(turn, read, turns.length);
      if (stop) return stop;
      outputs.push(turn.observation ?? '');
    }
    if (this.messages >= budgets.turns) return 'turnLimit';
    this.dialogue.show(reply, outputs);
    return undefined;
  }

  private async answerCall(turn: Turn, read: Reading, number: number): Promise<StopReason | undefined> {
    const { budgets, malformedCalls } = this.parts.experiment;
    for (const irregularity of read.irregular ?? []) mark(turn, irregularity);
    if (read.kind === 'call') {
      turn.code = read.code;
      if (this.calls >= budgets.calls) return 'callLimit';
      if (this.messages >= budgets.turns) return 'turnLimit';
      this.calls += 1;
      turn.result = await execute(read.code, this.address, number, this.parts.sandbox, this.signal);
      if (turn.result.status === 'infrastructure') throw new Error(turn.result.stderr || 'The sandbox failed.');
      turn.observation = this.shown(this.observe(turn.result));
      return undefined;
    }
    const reason = read.kind === 'malformed' ? read.reason : '';
    const { policy, retries, message } = malformedCalls;
    if (policy === 'asAnswer') {
      mark(turn, 'malformed');
      return 'answered';
    }
    const goesOn = policy === 'feedBack' || policy === 'maskTurn';
    if (!goesOn || this.told >= retries) return 'malformedCall';
    this.told += 1;
    mark(turn, 'malformed');
    turn.observation = message ?? reason;
    return undefined;
  }
}

const further = (): Turn => ({
  tokens: [],
  logprobs: [],
  text: '',
  added: [],
  seconds: 0,
  counts: { sampled: 0, added: 0 },
  continues: true,
});

function dialogueOf(parts: EndpointParts, system: string, question: string): Dialogue {
  if (parts.tools === 'native' || parts.mode === 'text') return nativeDialogue(parts, system, question);
  return parts.api === 'chat'
    ? speltDialogue(parts, parts.tools, system, question)
    : plainDialogue(parts, parts.tools, system, question);
}

/** Calls as the API has them. In text mode there are none, whatever the API. */
function nativeDialogue({ model, api, mode, experiment }: EndpointParts, system: string, question: string): Dialogue {
  const messages: ChatMessage[] = [
    { role: 'system', content: system },
    { role: 'user', content: question },
  ];
  const idOf = (id: string | null | undefined, index: number) => id || `call_${index}`;
  return {
    stop: undefined,
    hasTools: mode === 'tool',
    say: (request, signal) =>
      api === 'chat'
        ? model.chat(messages, request, signal)
        : model.complete(plainPrompt(system, question), request, signal),
    read(reply) {
      const text = withThought(reply, reply.text);
      if (mode === 'text') return { text, calls: [] };
      return {
        text,
        calls: heeded(
          reply.calls.map(({ function: asked }) => readNative(asked)),
          experiment.calls.several,
        ),
      };
    },
    show({ text, calls }, outputs) {
      const sent = calls.map((call, index) => ({
        ...call,
        id: idOf(call.id, index),
        type: 'function',
        function: { ...call.function, arguments: argumentsText(call.function.arguments) },
      }));
      messages.push({ role: 'assistant', content: text === '' ? null : text, tool_calls: sent });
      for (const [index, content] of outputs.entries()) {
        messages.push({ role: 'tool', tool_call_id: idOf(calls[index]?.id, index), content });
      }
    },
  };
}

/** Ollama gives an object where others give its text. */
const argumentsText = (given: unknown): string => (typeof given === 'string' ? given : JSON.stringify(given ?? {}));

function readNative({ name, arguments: given }: { readonly name: string; readonly arguments?: unknown }): Reading {
  if (name !== toolName) {
    return reading({ reason: `There is no tool ${JSON.stringify(name)}; the tool is ${toolName}.` }, ['unknownTool']);
  }
  const decoded = decodeJson(argumentsText(given));
  if (!decoded) return reading({ reason: 'The arguments of the call are not JSON.' });
  const irregular: Irregularity[] = decoded.repaired ? ['repaired'] : [];
  const fields = decoded.value;
  const code = typeof fields === 'object' && fields !== null ? (fields as { code?: unknown }).code : undefined;
  if (typeof code !== 'string') return reading({ reason: 'The call has no text under "code".' }, irregular);
  if (Object.keys(fields as object).length > 1) irregular.push('extraParameters');
  return reading({ code }, irregular);
}

/** Every call of a message is run, unless the experiment says which. */
function heeded(calls: readonly Reading[], several: Experiment['calls']['several']): readonly Reading[] {
  if (calls.length < 2 || several === undefined) return calls;
  const refused = reading({ reason: severalReason });
  if (several === 'malformed') return calls.map(() => refused);
  const chosen = several === 'first' ? 0 : calls.length - 1;
  return calls.map((call, index) => (index === chosen ? call : refused));
}

const withThought = ({ thought }: EndpointReply, text: string): string =>
  thought === undefined ? text : `<think>\n${thought.trim()}\n</think>\n\n${text}`;

/** The turn with the text that stopped it, which servers leave out. */
function stopped({ text, stop, stoppedBy }: EndpointReply, closing: string, isCall: (text: string) => boolean) {
  if (stop === 'length' || stoppedBy === null || text.endsWith(closing)) return text;
  if (stoppedBy !== undefined) return stoppedBy === closing ? text + closing : text;
  return isCall(text + closing) ? text + closing : text;
}

/** Calls spelt out in messages; outputs are messages of the user. */
function speltDialogue(
  { model, experiment }: EndpointParts,
  tools: Exclude<EndpointTools, 'native'>,
  system: string,
  question: string,
): Dialogue {
  const spelling = spellingOf(tools, experiment);
  const messages: ChatMessage[] = [
    { role: 'system', content: system },
    { role: 'user', content: question },
  ];
  return {
    stop: spelling.stop,
    hasTools: false,
    say: (request, signal) => model.chat(messages, request, signal),
    read: spelling.read,
    show(reply, outputs) {
      messages.push({ role: 'assistant', content: spelling.whole(reply) });
      messages.push({ role: 'user', content: outputs.map(spelling.output).join('').trim() });
    },
  };
}

/** Calls spelt out in one text that goes on, as base models write it. */
function plainDialogue(
  { model, experiment }: EndpointParts,
  tools: Exclude<EndpointTools, 'native'>,
  system: string,
  question: string,
): Dialogue {
  const spelling = spellingOf(tools, experiment);
  let text = plainPrompt(system, question);
  return {
    stop: spelling.stop,
    hasTools: false,
    say: (request, signal) => model.complete(text, request, signal),
    read: spelling.read,
    show(reply, outputs) {
      text += spelling.whole(reply) + outputs.map(spelling.output).join('');
    },
  };
}

const plainPrompt = (system: string, question: string): string => `${system}\n\nProblem: ${question}\n\nSolution:\n`;

function spellingOf(tools: Exclude<EndpointTools, 'native'>, experiment: Experiment) {
  // A call of Qwen's ends its turn; where the model went on, what follows would be an output that it makes up.
  const { stop: closing = callClose, read, output, markers } = textFormats[tools];
  const [before, after] = markers ? ['\n<tool_response>\n', '\n</tool_response>\n'] : output;
  const isCall = (text: string) => read(text, experiment.calls).kind === 'call';
  const whole = (reply: EndpointReply) => stopped(reply, closing, isCall);
  return {
    stop: [closing],
    whole,
    output: (text: string) => `${before}${text}${after}`,
    read(reply: EndpointReply) {
      const text = withThought(reply, whole(reply));
      const found = read(text, experiment.calls);
      return { text, calls: found.kind === 'answer' ? [] : [found] };
    },
  };
}
