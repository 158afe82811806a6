import { refuse } from './problem.ts';
import type { Operator } from './syntax.ts';
import { type Token, tokenize } from './tokens.ts';

/** Parentheses within parentheses, filters and comparisons of one search: no text makes the reader or the query unbounded. */
const DEEPEST = 40;
const MOST_FILTERS = 16;
const MOST_COMPARISONS = 100;

const operators: readonly Operator[] = ['=', '!=', '<', '<=', '>', '>=', '=~', '!~'];

/** Walks over the tokens of a search. */
export class TokenReader {
  private readonly tokens: readonly Token[];
  private place = 0;
  private depth = 0;
  private filters = 0;
  private comparisons = 0;

  constructor(text: string) {
    this.tokens = tokenize(text);
  }

  get token(): Token {
    return this.tokens[this.place]!;
  }

  next(): Token {
    const { token } = this;
    if (token.kind !== 'end') this.place++;
    return token;
  }

  isMark(text: string): boolean {
    const { token } = this;
    return token.kind === 'mark' && token.text === text;
  }

  /** Whether what follows the parenthesis that opens here, behind its end, is one of these marks. */
  closesBefore(marks: readonly string[]): boolean {
    let open = 0;
    for (let at = this.place; at < this.tokens.length; at++) {
      const token = this.tokens[at]!;
      if (token.kind !== 'mark') continue;
      if (token.text === '(') open++;
      if (token.text === ')' && --open === 0) {
        const after = this.tokens[at + 1];
        return after?.kind === 'mark' && marks.includes(after.text);
      }
    }
    return false;
  }

  take(mark: string): boolean {
    const found = this.isMark(mark);
    if (found) this.next();
    return found;
  }

  expect(mark: string): void {
    if (!this.take(mark)) refuse('traceql.syntax', this.token.at, `missing ${mark}`);
  }

  closed<T>(mark: string, value: T): T {
    this.expect(mark);
    return value;
  }

  operator(): Operator | undefined {
    return operators.find((operator) => this.take(operator));
  }

  deeper<T>(read: () => T): T {
    if (++this.depth > DEEPEST)
      refuse('traceql.too_large', this.token.at, `parentheses can be nested ${DEEPEST} deep at most`);
    const value = read();
    this.depth--;
    return value;
  }

  countFilter(at: number): void {
    if (++this.filters > MOST_FILTERS)
      refuse('traceql.too_large', at, `a search has at most ${MOST_FILTERS} pairs of braces`);
  }

  countComparison(at: number): void {
    if (++this.comparisons > MOST_COMPARISONS)
      refuse('traceql.too_large', at, `a search has at most ${MOST_COMPARISONS} comparisons`);
  }
}
