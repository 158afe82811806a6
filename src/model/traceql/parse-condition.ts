import { parseField } from './parse-field.ts';
import { refuse } from './problem.ts';
import {
  type Condition,
  type Field,
  intrinsics,
  type Literal,
  type Operator,
  spanKinds,
  spanStatuses,
} from './syntax.ts';
import type { TokenReader } from './token-reader.ts';

/** The contents of braces: `||` binds less than `&&`. */
export function parseCondition(reader: TokenReader): Condition {
  let left = conjunction(reader);
  while (reader.take('||')) left = { kind: 'or', left, right: conjunction(reader) };
  return left;
}

function conjunction(reader: TokenReader): Condition {
  let left = negation(reader);
  while (reader.take('&&')) left = { kind: 'and', left, right: negation(reader) };
  return left;
}

function negation(reader: TokenReader): Condition {
  if (reader.take('!')) return { kind: 'not', of: reader.deeper(() => negation(reader)) };
  if (reader.take('(')) return reader.deeper(() => reader.closed(')', parseCondition(reader)));
  return comparison(reader);
}

const mirrored: Readonly<Record<Operator, Operator>> = {
  ...{ '=': '=', '!=': '!=', '=~': '=~', '!~': '!~' },
  ...{ '<': '>', '<=': '>=', '>': '<', '>=': '<=' },
};

function comparison(reader: TokenReader): Condition {
  const { at } = reader.token;
  reader.countComparison(at);
  const left = operand(reader);
  const place = reader.token.at;
  const operator = reader.operator();
  if (operator === undefined) return alone(left, reader);
  const right = operand(reader);
  noArithmetic(reader);
  if (isField(left) === isField(right))
    return refuse('traceql.unsupported', place, 'compare a field with a value', 'for example {duration > 500ms}');
  if (isField(left))
    return { kind: 'comparison', field: left, operator, value: checked(left, operator, right as Literal), at };
  const field = right as Field;
  return {
    kind: 'comparison',
    field,
    operator: mirrored[operator],
    value: checked(field, mirrored[operator], left),
    at,
  };
}

/** `true`, or an attribute that is true. */
function alone(value: Field | Literal, reader: TokenReader): Condition {
  noArithmetic(reader);
  if (value.kind === 'boolean') return { kind: 'constant', value: value.value };
  if (value.kind === 'attribute') {
    const { at } = value;
    return { kind: 'comparison', field: value, operator: '=', value: { kind: 'boolean', value: true, at }, at };
  }
  return refuse('traceql.syntax', reader.token.at, 'missing comparison: =, !=, <, <=, >, >=, =~ or !~');
}

function noArithmetic(reader: TokenReader): void {
  const { token } = reader;
  if (token.kind === 'mark' && ['+', '-', '*', '/', '%', '^'].includes(token.text))
    refuse('traceql.unsupported', token.at, 'arithmetic is not supported yet');
}

const isField = (value: Field | Literal): value is Field => value.kind === 'attribute' || value.kind === 'intrinsic';

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
  const status = spanStatuses.find((each) => each === name);
  if (status) return { kind: 'status', value: status, at };
  const kind = spanKinds.find((each) => each === name);
  return kind && { kind: 'kind', value: kind, at };
}

/** Only what can be true of some span passes: a comparison that never holds would look like an answer. */
function checked(field: Field, operator: Operator, value: Literal): Literal {
  const isRegex = operator === '=~' || operator === '!~';
  const isOrder = !isRegex && operator !== '=' && operator !== '!=';
  if (isRegex && value.kind !== 'text')
    return refuse('traceql.type', value.at, `${operator} needs a pattern in quotes`, 'for example name =~ "HTTP.*"');
  if (value.kind === 'nil') {
    if (isOrder || field.kind === 'intrinsic')
      return refuse(
        'traceql.type',
        value.at,
        'nil means that an attribute is missing',
        'for example {.error.type != nil}',
      );
    return value;
  }
  if (isOrder && !['text', 'number', 'duration'].includes(value.kind))
    return refuse('traceql.type', value.at, `${operator} compares numbers, durations and texts`);
  return field.kind === 'attribute' ? ofAttribute(value) : ofIntrinsic(field, operator, value);
}

function ofAttribute(value: Literal): Literal {
  if (value.kind === 'duration')
    return refuse(
      'traceql.type',
      value.at,
      'an attribute is a number without a unit',
      'write the number in the unit that it was recorded in',
    );
  if (value.kind === 'status' || value.kind === 'kind')
    return refuse(
      'traceql.type',
      value.at,
      'an attribute is compared with a text in quotes, a number, true, false or nil',
    );
  return value;
}

const wanted: Readonly<Record<(typeof intrinsics)[keyof typeof intrinsics], string>> = {
  text: 'a text in quotes',
  duration: 'a duration such as 500ms or 1.5s',
  status: 'error, ok or unset',
  kind: spanKinds.join(', '),
  root: '-1 or 0, to select root spans',
};

/** A root's is -1, any other's is above 0; how far is not known here. */
const rootComparisons: readonly (readonly [Operator, number])[] = [
  ['=', -1],
  ['!=', -1],
  ['<', 0],
  ['>=', 0],
];

function ofIntrinsic(field: Field & { kind: 'intrinsic' }, operator: Operator, value: Literal): Literal {
  const kind = intrinsics[field.name];
  if (kind === 'root') {
    if (
      value.kind !== 'number' ||
      !rootComparisons.some(([sign, number]) => sign === operator && number === value.value)
    )
      return refuse('traceql.unsupported', value.at, 'nestedSetParent only selects root spans: use < 0 or = -1');
    return value;
  }
  if (value.kind !== kind) return refuse('traceql.type', value.at, `${field.name} is compared with ${wanted[kind]}`);
  return value;
}
