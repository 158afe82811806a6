import { parseField } from './parse-field.ts';
import { refuse } from './problem.ts';
import { type Arithmetic, type Field, type Literal, spanKinds, spanStatuses, type Term } from './syntax.ts';
import type { TokenReader } from './token-reader.ts';

/** A field, a value, or what is calculated from them: `+` and `-` bind less than `*`, `/` and `%`, these less than `^`. */
export const parseTerm = (reader: TokenReader): Term => chain(reader, ['+', '-'], product);

const product = (reader: TokenReader): Term => chain(reader, ['*', '/', '%'], power);

/** Binds to the right: `2 ^ 3 ^ 2` is 512. */
function power(reader: TokenReader): Term {
  const base = primary(reader);
  const { at } = reader.token;
  return reader.take('^')
    ? binary(
        '^',
        base,
        reader.deeper(() => power(reader)),
        at,
      )
    : base;
}

function chain(reader: TokenReader, operators: readonly Arithmetic[], operand: (reader: TokenReader) => Term): Term {
  let left = operand(reader);
  for (;;) {
    const { at } = reader.token;
    const operator = operators.find((one) => reader.take(one));
    if (operator === undefined) return left;
    reader.countComparison(at);
    left = binary(operator, left, operand(reader), at);
  }
}

function primary(reader: TokenReader): Term {
  const { at } = reader.token;
  if (reader.take('(')) return reader.deeper(() => reader.closed(')', parseTerm(reader)));
  if (reader.take('-')) {
    const zero: Literal = { kind: 'number', value: 0, at };
    return binary(
      '-',
      zero,
      reader.deeper(() => primary(reader)),
      at,
    );
  }
  return operand(reader);
}

export const isField = (term: Term): term is Field => term.kind === 'attribute' || term.kind === 'intrinsic';
export const isComputed = (term: Term): boolean => term.kind === 'binary';
const isAmount = (term: Term): term is Literal & { kind: 'number' | 'duration' } =>
  term.kind === 'number' || term.kind === 'duration';

/** Values alone are calculated at once: `10 * 1024 * 1024` is a number, `2 * 1s` a duration. */
function binary(operator: Arithmetic, left: Term, right: Term, at: number): Term {
  for (const side of [left, right])
    if (!isAmount(side) && !isField(side) && !isComputed(side))
      refuse('traceql.type', side.at, 'only numbers and durations can be calculated with');
  if (!isAmount(left) || !isAmount(right)) return { kind: 'binary', operator, left, right, at };
  const value = calculated(operator, left.value, right.value);
  const isLength = left.kind === 'duration' || (right.kind === 'duration' && operator !== '/');
  const isRatio = operator === '/' && left.kind === 'duration' && right.kind === 'duration';
  return { kind: isLength && !isRatio ? 'duration' : 'number', value, at: left.at };
}

function calculated(operator: Arithmetic, left: number, right: number): number {
  switch (operator) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return left / right;
    case '%':
      return left % right;
    case '^':
      return left ** right;
  }
}

function operand(reader: TokenReader): Field | Literal {
  const { token } = reader;
  const { at } = token;
  switch (token.kind) {
    case 'text':
      reader.next();
      return { kind: 'text', value: token.value, at };
    case 'number':
    case 'duration':
      reader.next();
      return { kind: token.kind, value: token.value, at };
    case 'name':
      reader.next();
      return (token.quoted ? undefined : constant(token.text, at)) ?? parseField(token.text, at);
    case 'mark':
    case 'end':
      return refuse('traceql.syntax', at, 'expected a field or a value');
  }
}

function constant(name: string, at: number): Literal | undefined {
  if (name === 'true' || name === 'false') return { kind: 'boolean', value: name === 'true', at };
  if (name === 'nil') return { kind: 'nil', at };
  if (name === 'minInt' || name === 'maxInt')
    return { kind: 'number', value: name === 'minInt' ? -(2 ** 63) : 2 ** 63, at };
  const status = spanStatuses.find((each) => each === name);
  if (status) return { kind: 'status', value: status, at };
  const kind = spanKinds.find((each) => each === name);
  return kind && { kind: 'kind', value: kind, at };
}
