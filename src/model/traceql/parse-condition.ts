import { isComputed, isField, parseTerm } from './parse-term.ts';
import { refuse } from './problem.ts';
import {
  type Condition,
  type Field,
  type Intrinsic,
  intrinsics,
  type Literal,
  type Operator,
  spanKinds,
  spanStatuses,
  type Term,
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
  if (reader.isMark('(') && !reader.closesBefore(behindTerms)) {
    reader.next();
    return reader.deeper(() => reader.closed(')', parseCondition(reader)));
  }
  return comparison(reader);
}

const mirrored: Readonly<Record<Operator, Operator>> = {
  ...{ '=': '=', '!=': '!=', '=~': '=~', '!~': '!~' },
  ...{ '<': '>', '<=': '>=', '>': '<', '>=': '<=' },
};

/** Behind the parenthesis around a term, and never behind that around a condition. */
const behindTerms = ['=', '!=', '<', '<=', '>', '>=', '=~', '!~', '+', '-', '*', '/', '%', '^'];

function comparison(reader: TokenReader): Condition {
  const { at } = reader.token;
  reader.countComparison(at);
  const left = parseTerm(reader);
  const place = reader.token.at;
  const operator = reader.operator();
  if (operator === undefined) return alone(left, reader);
  checkName(left, reader);
  const right = parseTerm(reader);
  if (isComputed(left) || isComputed(right) || (isField(left) && isField(right)))
    return computed(left, operator, right, at);
  if (isField(left))
    return { kind: 'comparison', field: left, operator, value: checked(left, operator, right as Literal), at };
  if (!isField(right))
    return refuse('traceql.unsupported', place, 'compare a field with a value', 'for example {duration > 500ms}');
  const value = checked(right, mirrored[operator], left as Literal);
  return { kind: 'comparison', field: right, operator: mirrored[operator], value, at };
}

/** `status = err`: what it can be helps more than which fields there are. */
function checkName(left: Term, { token }: TokenReader): void {
  if (left.kind !== 'intrinsic' || token.kind !== 'name') return;
  const kind = intrinsics[left.name];
  const names: readonly string[] = kind === 'status' ? spanStatuses : kind === 'kind' ? spanKinds : [];
  if (names.length > 0 && /^[a-z]+$/i.test(token.text) && !names.includes(token.text))
    refuse('traceql.unknown', token.at, `unknown ${kind} ${token.text}`, `${kind} is ${names.join(', ')}`);
}

/** Fields of which there is one value for each span. */
const calculable: readonly Intrinsic[] = ['name', 'statusMessage', 'duration', 'spanId', 'parentId'];

function computed(left: Term, operator: Operator, right: Term, at: number): Condition {
  if (operator === '=~' || operator === '!~')
    return refuse('traceql.type', at, `${operator} compares a field with a pattern in quotes`);
  for (const side of [left, right]) checkTerm(side);
  return { kind: 'computed', left, operator, right, at };
}

function checkTerm(term: Term): void {
  if (term.kind === 'binary') {
    checkTerm(term.left);
    checkTerm(term.right);
  } else if (term.kind === 'intrinsic' && !calculable.includes(term.name))
    refuse('traceql.unsupported', term.at, 'this field can only be compared with a value');
  else if (term.kind === 'attribute' && !['span', 'resource', 'any'].includes(term.scope))
    refuse('traceql.unsupported', term.at, 'a span may have several of these: compare them with a value');
  else if (!isField(term) && term.kind !== 'number' && term.kind !== 'duration' && term.kind !== 'text')
    refuse('traceql.type', term.at, 'only numbers, durations and texts are compared with what is calculated');
}

/** `true`, or an attribute that is true. */
function alone(value: Term, reader: TokenReader): Condition {
  if (value.kind === 'boolean') return { kind: 'constant', value: value.value };
  if (value.kind === 'attribute') {
    const { at } = value;
    return { kind: 'comparison', field: value, operator: '=', value: { kind: 'boolean', value: true, at }, at };
  }
  return refuse('traceql.syntax', reader.token.at, 'missing comparison: =, !=, <, <=, >, >=, =~ or !~');
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
  number: 'a number',
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
