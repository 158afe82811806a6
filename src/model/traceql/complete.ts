import { intrinsics, spanKinds, spanStatuses } from './syntax.ts';

/** What may stand where the caret is. */
export type Expected =
  /** `{` and whole searches. */
  | { readonly kind: 'start' }
  | { readonly kind: 'field' }
  | { readonly kind: 'operator' }
  /** A value of a field, written in quotes unless it is a word of the language. */
  | { readonly kind: 'value'; readonly field: string }
  /** `&&`, `||`, `}` */
  | { readonly kind: 'joiner' }
  /** `|`, `>>` and others between sets of spans. */
  | { readonly kind: 'relation' }
  | { readonly kind: 'stage' };

/** The part of a search that is being written. */
export interface Completing {
  readonly expected: Expected;
  /** From here to `to` stands what a choice replaces. */
  readonly from: number;
  readonly to: number;
  /** What is typed of it, without quotes. */
  readonly typed: string;
}

const WORD = /[\w.:"'µ/-]*$/;
const OPERATOR = /(?:=~|!~|!=|<=|>=|=|<|>)\s*$/;
const FIELD = /([\w.:/-]+(?:"[^"]*")?)\s*$/;

/** Reads the text before the caret, which is mostly no search yet. */
export function completingAt(text: string, caret: number): Completing {
  const before = text.slice(0, caret);
  const quote = openQuote(before);
  if (quote !== null) {
    const typed = before.slice(quote + 1);
    const rest = /^[^"`{}|&]*["`]?/.exec(text.slice(caret))?.[0] ?? '';
    return { expected: valueAt(before.slice(0, quote)), from: quote, to: caret + rest.length, typed };
  }
  const typed = WORD.exec(before)?.[0] ?? '';
  const from = caret - typed.length;
  const to = caret + (/^[\w.:/-]*/.exec(text.slice(caret))?.[0].length ?? 0);
  return { expected: expectedAfter(before.slice(0, from), typed), from, to, typed };
}

/** Where a text in quotes begins that is not closed; null: none is open. */
function openQuote(before: string): number | null {
  let open: number | null = null;
  for (let at = 0; at < before.length; at++) {
    const character = before[at];
    if (open === null) {
      if (character === '"' || character === '`') open = at;
    } else if (character === '\\' && before[open] === '"') at++;
    else if (character === before[open]) open = null;
  }
  return open;
}

function valueAt(before: string): Expected {
  const operator = OPERATOR.exec(before);
  const field = operator && FIELD.exec(before.slice(0, operator.index))?.[1];
  return field ? { kind: 'value', field } : { kind: 'field' };
}

/** @param before without what is being typed */
function expectedAfter(before: string, typed: string): Expected {
  const plain = before.replaceAll(/"(?:[^"\\]|\\.)*"|`[^`]*`/g, (quoted) => '"'.padEnd(quoted.length, '"'));
  const isInside = plain.lastIndexOf('{') > plain.lastIndexOf('}');
  const last = plain.trimEnd();
  if (!isInside) {
    if (last === '') return { kind: 'start' };
    if (/\|$/.test(last) && !/\|\|$/.test(last)) return { kind: 'stage' };
    if (/\b(?:by|select|avg|min|max|sum|\w+_over_time)\s*\([^)]*$/.test(last)) return { kind: 'field' };
    return typed === '' || /[})]$/.test(last) ? { kind: 'relation' } : { kind: 'start' };
  }
  if (OPERATOR.test(plain)) return valueAt(before);
  if (/(?:\{|&&|\|\||\(|!|,|[-+*/%^])$/.test(last)) return { kind: 'field' };
  // A name stands alone, or behind what it is compared with.
  const isCompared = /(?:=~|!~|!=|<=|>=|=|<|>)\s*(?:"+|[\w.:-]+)$/.test(last) || last.endsWith(')');
  return { kind: isCompared ? 'joiner' : 'operator' };
}

/** Fields of every span, as they are written. */
export const plainFields: readonly string[] = [
  ...['name', 'duration', 'status', 'kind', 'statusMessage', 'rootName', 'rootServiceName', 'traceDuration'],
  ...['trace:id', 'span:id', 'span:parentID', 'span:childCount', 'event:name', 'link:traceID'],
  ...[
    'instrumentation:name',
    'resource.service.name',
    'parent.name',
    'parent.duration',
    'parent.status',
    'parent.kind',
  ],
];

/** Values that are words of the language; undefined: those of the case are meant. */
export function ownValues(field: string): readonly string[] | undefined {
  const name = field.replace(/^(?:(?:span|trace):|parent\.(?=\w+$))/, '');
  if (name === 'status') return spanStatuses;
  if (name === 'kind') return spanKinds;
  if (field === 'nestedSetParent') return ['-1'];
  const kind = Object.hasOwn(intrinsics, name) ? intrinsics[name as keyof typeof intrinsics] : null;
  return kind === 'duration'
    ? ['10ms', '100ms', '500ms', '1s', '10s']
    : kind === 'number'
      ? ['0', '1', '10']
      : undefined;
}

/** Operators that suit a field. */
export function operatorsFor(field: string): readonly string[] {
  const values = ownValues(field);
  if (values === undefined) return ['=', '!=', '=~', '!~', '>', '>=', '<', '<='];
  return values.some((one) => /^\d/.test(one)) ? ['>', '>=', '<', '<=', '=', '!='] : ['=', '!='];
}

export const joiners = ['&&', '||', '}'] as const;
export const relations = ['|', '>>', '>', '<<', '<', '~', '&&', '||', '!>>', '&>>'] as const;
export const stageTexts = [
  ...['count() > ', 'avg(duration) > ', 'max(duration) > ', 'by(', 'select(', 'coalesce()'],
  ...['rate()', 'count_over_time()', 'quantile_over_time(duration, .95)', 'histogram_over_time(duration)'],
  'compare({ status = error })',
] as const;

/** The field before the caret, for its operators. */
export const fieldBefore = (before: string): string => FIELD.exec(before.trimEnd())?.[1] ?? '';

const WORDS = /^(?:-?\d[\w.]*|true|false|nil)$/;

/** A value as it is written behind a field. */
export function writtenValue(field: string, value: string, isNumber: boolean): string {
  if (ownValues(field) !== undefined || (isNumber && WORDS.test(value))) return value;
  return JSON.stringify(value);
}

/** The attribute that a field names, and where it is looked for; null: none. */
export function attributeOf(
  field: string,
): { readonly scope: 'span' | 'resource' | 'any'; readonly name: string } | null {
  const [, prefix, name] = /^(?:parent\.)?(span\.|resource\.|\.)?(.+)$/s.exec(field) ?? [];
  if (name === undefined || field.includes(':') || (prefix === undefined && !name.includes('.'))) return null;
  const scope = prefix === 'span.' ? 'span' : prefix === 'resource.' ? 'resource' : 'any';
  return { scope, name: name.replaceAll('"', '') };
}
