import { asText, type Json } from '../bytes/json-access.ts';
import { sortFields } from './fields.ts';
import { levelInText, type StatedLevel, severityOfNumber, severityOfWord } from './level.ts';
import { type Moment, readTimeValue } from './moment.ts';
import { isSpanId, isTraceId, readTraceContext, type TraceContext } from './trace-context.ts';

/** A structured record with everything that has a place of its own taken out of its fields. */
export interface LiftedRecord {
  /** undefined: no field is a time. */
  readonly moment: Moment | undefined;
  readonly severity: number;
  readonly severity_text: string;
  readonly body: string;
  readonly scope: string;
  readonly context: TraceContext;
  readonly resource: Readonly<Record<string, string>>;
  /** All other fields; `rank` and `request.id` have stable names. */
  readonly attributes: Record<string, unknown>;
  readonly rank: number | undefined;
}

/** Reads a structured record by the names of its fields (`fields.ts`), whichever library wrote it. */
export function liftFields(fields: Json): LiftedRecord {
  const { roles, resource, rest } = sortFields(fields);
  const fieldOf = (role: Parameters<typeof roles.get>[0]): unknown => roles.get(role)?.value;
  const textOf = (role: Parameters<typeof roles.get>[0]): string => asText(fieldOf(role));
  const keep = (role: Parameters<typeof roles.get>[0]): void => {
    const field = roles.get(role);
    if (field) rest[field.name] = field.value;
  };
  const time = fieldOf('time');
  const moment = readTimeValue(time);
  if (moment === undefined) keep('time');
  let body = bodyText(fieldOf('body'), fields);
  const exception = fieldOf('exception');
  if (typeof exception === 'string' && exception !== '') body = body === '' ? exception : `${body}\n${exception}`;
  else keep('exception');
  const trace = textOf('trace');
  const span = textOf('span');
  if (trace !== '' && !isTraceId(trace)) keep('trace');
  if (span !== '' && !(isSpanId(span) && isTraceId(trace))) keep('span');
  const stated = levelOf(fieldOf('level'), fieldOf('severity_number'), fields);
  const { severity, text } = stated.severity === 0 && stated.text === '' ? levelInText(body) : stated;
  if (/^\d{1,9}$/.test(textOf('rank'))) rest.rank = Number(textOf('rank'));
  else keep('rank');
  if (textOf('request') !== '') rest['request.id'] = textOf('request');
  return {
    moment,
    severity,
    severity_text: text,
    body,
    scope: textOf('logger'),
    context: readTraceContext({ trace, span, traceparent: textOf('traceparent'), flags: textOf('flags') }, body),
    resource,
    attributes: rest,
    rank: typeof rest.rank === 'number' ? rest.rank : rankIn(body),
  };
}

/** A body that is an object stays JSON text. */
const bodyText = (value: unknown, fields: Json): string =>
  typeof value === 'object' && value !== null
    ? JSON.stringify(value)
    : value === undefined
      ? asText(fields.err)
      : asText(value);

/** `[rank3]`, `[Rank 3]`: as PyTorch and its users put the rank; undefined: none. */
export function rankIn(text: string): number | undefined {
  const at = text.indexOf('ank');
  if (at < 1 || at > 200) return undefined;
  const match = /\[\s?(?:[Gg]lobal[ _])?[Rr]ank[ :=_]{0,2}(\d{1,6})\]/.exec(text.slice(0, 256));
  return match ? Number(match[1]) : undefined;
}

/** Severity number and text of a record by its level, its severity number, and the names of its fields. */
export function levelOf(level: unknown, number: unknown, fields: Json): StatedLevel {
  const text = asText(level);
  const word = severityOfWord(text);
  if (word > 0) return { severity: word, text };
  const stated = Number(asText(number) || Number.NaN);
  if ('levelno' in fields && stated > 0) return { severity: severityOfNumber(stated, 'python'), text };
  if (stated >= 1 && stated <= 24) return { severity: stated, text };
  const value = Number(text === '' ? Number.NaN : text);
  const isGelf = 'short_message' in fields;
  return {
    severity: Number.isInteger(value) ? severityOfNumber(value, isGelf || value < 8 ? 'syslog' : 'tens') : 0,
    text,
  };
}
