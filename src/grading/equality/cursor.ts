import { type Effort, Unread } from './effort';
import type { Token } from './tokenize';
import type { Tree } from './tree';

/** Where a parse stands, and the rules of the grammar that its parts call each other by. */
export abstract class Cursor {
  readonly effort: Effort;
  /** `|` closes what an earlier one has opened. */
  bars = 0;
  /** Inside `{ ... |` the bar or colon separates element and condition. */
  builder = false;
  /** Inside `]0,1[` an opening bracket closes. */
  reversed = false;
  /** Integrals around this place: their `dx` is no factor. */
  integrals = 0;
  private readonly tokens: readonly Token[];
  private at = 0;
  protected depth = 0;

  constructor(tokens: readonly Token[], effort: Effort) {
    this.tokens = tokens;
    this.effort = effort;
  }

  get next(): Token | undefined {
    return this.tokens[this.at];
  }

  ahead(distance: number): Token | undefined {
    return this.tokens[this.at + distance];
  }

  /** Where the parse stands, for `lettersSince`. */
  get place(): number {
    return this.at;
  }

  /** The letters from a place up to here, where nothing else stands there and they may be a word. */
  lettersSince(place: number): string | undefined {
    let text = '';
    let isWord = false;
    for (let at = place; at < this.at; at += 1) {
      const token = this.tokens[at]!;
      if (token.type !== 'name') return undefined;
      text += token.spaced && text !== '' ? ` ${token.text}` : token.text;
      isWord ||= token.run !== undefined;
    }
    return isWord ? text : undefined;
  }

  take(): Token {
    const token = this.tokens[this.at];
    if (!token) throw new Unread('it ends too early');
    this.at += 1;
    this.effort.spend();
    return token;
  }

  is(text: string): boolean {
    const token = this.tokens[this.at];
    return token !== undefined && token.text === text && token.type !== 'word';
  }

  accept(text: string): boolean {
    const found = this.is(text);
    if (found) this.at += 1;
    return found;
  }

  expect(text: string): void {
    if (!this.accept(text)) throw new Unread(`"${text}" is missing`);
  }

  /** Runs `read` one level deeper, with bars and set builders of its own. */
  within<T>(read: () => T, builder = false): T {
    const { bars, builder: outerBuilder, reversed } = this;
    this.depth += 1;
    if (this.depth > 120) throw new Unread('it is nested too deeply');
    this.bars = 0;
    this.builder = builder;
    this.reversed = false;
    const result = read();
    this.bars = bars;
    this.builder = outerBuilder;
    this.reversed = reversed;
    this.depth -= 1;
    return result;
  }

  /** Goes back to before `attempt` where that finds nothing. */
  attempt<T>(attempt: () => T | undefined): T | undefined {
    const { at, depth, bars, builder, reversed } = this;
    try {
      const result = attempt();
      if (result !== undefined) return result;
    } catch (error) {
      if (!(error instanceof Unread)) throw error;
      // Attempts within attempts double: their price ends that.
      this.effort.spend(150);
    }
    Object.assign(this, { at, depth, bars, builder, reversed });
    return undefined;
  }

  /** Answers between commas, semicolons and joints. */
  abstract list(): Tree;
  /** One answer: an expression, or a chain of relations. */
  abstract item(): Tree;
  abstract sum(): Tree;
  abstract term(): Tree;
  /** An operand with everything that clings to it. */
  abstract factor(): Tree;
  /** One argument of a command: a braced group, or the next token alone. */
  abstract argument(): Tree;
  /** What a brace that has been taken holds, up to the one that closes it. */
  abstract braced(): Tree;
  /** Absolute value, up to the bar that closes it. */
  abstract barred(close: string): Tree;
  /** @param token a command that has been taken. */
  abstract command(token: Token): Tree;
  /** Whether the next token can begin another factor, so that what stands side by side is a product. */
  abstract startsFactor(): boolean;
}
