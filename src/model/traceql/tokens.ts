import { refuse } from './problem.ts';

export type Token =
  /** Names, with their dots: `name`, `.db.system`, `span."a name"`; quoted parts are as they were meant. */
  | { readonly kind: 'name'; readonly text: string; readonly quoted: boolean; readonly at: number }
  | { readonly kind: 'text'; readonly value: string; readonly at: number }
  | { readonly kind: 'number'; readonly value: number; readonly at: number }
  /** Nanoseconds. */
  | { readonly kind: 'duration'; readonly value: number; readonly at: number }
  | { readonly kind: 'mark'; readonly text: string; readonly at: number }
  | { readonly kind: 'end'; readonly at: number };

/** Longest first, so that `>>` is not two `>`. */
const marks = [
  ...['!>>', '!<<', '&>>', '&<<'],
  ...['&&', '||', '&>', '&<', '&~', '!>', '!<', '>>', '<<', '>=', '<=', '!=', '=~', '!~'],
  ...['{', '}', '(', ')', '=', '>', '<', '!', '|', '~', ',', '+', '*', '/', '%', '^', '-', '&'],
];

/** As in Go, which TraceQL takes its durations from. */
const units: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  µs: 1e3,
  μs: 1e3,
  ms: 1e6,
  s: 1e9,
  m: 60e9,
  h: 3600e9,
};

const SPACE = /\s+/y;
const NUMBER = /-?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y;
const DURATION = /-?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+/y;
const DURATION_PART = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g;
/** What may follow a number without being part of a name that begins with a digit. */
const WORD = /[^\s{}()=~!<>&|^,"`+*/%]/y;
const NAME_PART = /[^\s{}()=~!<>&|^,"`+*%]+/y;

/** Cuts a search into tokens. @throws ProblemError traceql.syntax */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; ; ) {
    at += matchAt(SPACE, text, at)?.length ?? 0;
    if (at >= text.length) {
      tokens.push({ kind: 'end', at });
      return tokens;
    }
    const { token, length } = readToken(text, at, tokens.at(-1));
    tokens.push(token);
    at += length;
  }
}

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

interface Read {
  readonly token: Token;
  readonly length: number;
}

function readToken(text: string, at: number, before: Token | undefined): Read {
  const first = text[at]!;
  if (first === '"' || first === '`') {
    const { value, length } = readQuoted(text, at);
    return { token: { kind: 'text', value, at }, length };
  }
  // Between two operands a minus is an operator.
  const isOperand = before !== undefined && (before.kind !== 'mark' || before.text === ')');
  if (/[\d]/.test(first) || (/[-.]/.test(first) && !isOperand && /^-?\.?\d/.test(text.slice(at, at + 3))))
    return readFigure(text, at);
  const mark = marks.find((candidate) => text.startsWith(candidate, at));
  if (mark !== undefined) return { token: { kind: 'mark', text: mark, at }, length: mark.length };
  return readName(text, at);
}

function readFigure(text: string, at: number): Read {
  const duration = matchAt(DURATION, text, at);
  const figure = duration ?? matchAt(NUMBER, text, at) ?? '';
  const next = at + figure.length;
  if (figure === '' || matchAt(WORD, text, next) !== undefined) {
    return refuse('traceql.syntax', at, 'neither a number nor a duration', 'write durations as 500ms, 1.5s, 1h30m');
  }
  if (duration === undefined) return { token: { kind: 'number', value: Number(figure), at }, length: figure.length };
  const sign = duration.startsWith('-') ? -1 : 1;
  const value = [...duration.matchAll(DURATION_PART)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * units[unit!]!,
    0,
  );
  return { token: { kind: 'duration', value: sign * value, at }, length: duration.length };
}

/** Parts of a name in quotes may hold anything: `span."a name"`. */
function readName(text: string, at: number): Read {
  let name = '';
  let quoted = false;
  let next = at;
  for (;;) {
    const part = matchAt(NAME_PART, text, next);
    if (part !== undefined) {
      name += part;
      next += part.length;
    } else if (text[next] === '"' && name.endsWith('.')) {
      const { value, length } = readQuoted(text, next);
      name += value;
      next += length;
      quoted = true;
    } else break;
  }
  if (next === at) return refuse('traceql.syntax', at, `"${text[at]}" is not valid here`);
  return { token: { kind: 'name', text: name, quoted, at }, length: next - at };
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '"': '"', '\\': '\\' };

/** In backticks everything stands for itself; in quotes a backslash escapes. */
function readQuoted(text: string, at: number): { readonly value: string; readonly length: number } {
  const quote = text[at];
  let value = '';
  for (let next = at + 1; next < text.length; next++) {
    const character = text[next]!;
    if (character === quote) return { value, length: next + 1 - at };
    if (character !== '\\' || quote === '`') value += character;
    else {
      const escaped = text[++next] ?? '';
      // What is no escape stays as it is: "\d+" is what people mean by it.
      value += escapes[escaped] ?? `\\${escaped}`;
    }
  }
  return refuse('traceql.syntax', at, 'unterminated text', `close it with ${quote}`);
}
