import type { Output } from '../otlp/output.ts';
import { statedOriginOf } from './origin.ts';
import { countOf, type MappedRow, objectText, textOf, timeOf } from './values.ts';

const HEX = /^[0-9a-f]+$/;
const LONGEST_NS = 2n ** 62n;
const kinds = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'];
const statuses = ['unset', 'ok', 'error'];

/** A number, `SPAN_KIND_SERVER`, `Server`: the number in OTLP's enumeration, 0 when it is none of them. */
function code(value: unknown, names: readonly string[]): number {
  const text = textOf(value).toLowerCase();
  const number = Number(text);
  if (text !== '' && Number.isInteger(number)) return number >= 0 && number < names.length ? number : 0;
  return Math.max(0, names.indexOf(text.split('_').at(-1)!));
}

export const kindCode = (value: unknown): number => code(value, kinds);
export const statusCode = (value: unknown): number => code(value, statuses);

/** 64 bits of an id; undefined when it is none. A shorter id was cut of its leading zeros. */
export function idOf(value: unknown, digits: 16 | 32): string | undefined {
  const text = textOf(value).toLowerCase();
  if (text === '' || text.length > digits || !HEX.test(text) || /^0+$/.test(text)) return undefined;
  return text.padStart(digits, '0');
}
const half = (hex: string, from: number): bigint => BigInt(`0x${hex.slice(from, from + 16)}`);

interface Ids {
  readonly trace_hi: bigint;
  readonly trace_lo: bigint;
  readonly span_id: bigint;
}

/** A row of a span table; its events and links are JSON lists of what the layout at hand calls their members. */
export function appendSpan(out: Output, row: MappedRow): string {
  const trace = idOf(row.trace_id, 32);
  const span = idOf(row.span_id, 16);
  const start = timeOf(row.start);
  if (!trace || !span) return 'span without a trace or span id';
  if (start === undefined) return 'span without a start time';
  const duration = typeof row.duration === 'bigint' ? row.duration : undefined;
  const end = duration === undefined ? (timeOf(row.end) ?? start) : start + duration;
  if (start < 0n || end < 0n || end > LONGEST_NS + LONGEST_NS - 1n) return 'span time is out of range';
  const ids: Ids = { trace_hi: half(trace, 0), trace_lo: half(trace, 16), span_id: half(span, 0) };
  const parent = idOf(row.parent_span_id, 16);
  out.batch.table('span').push({
    ...ids,
    parent_id: parent ? half(parent, 0) : 0n,
    start_ns: start,
    end_ns: end,
    name: out.batch.name(textOf(row.name)),
    ...statedOriginOf(out, row),
    kind: kindCode(row.kind),
    status: statusCode(row.status),
    flags: countOf(row.flags),
    trace_state: textOf(row.trace_state),
    status_message: textOf(row.status_message),
    attributes: objectText(row.attributes),
    dropped: countOf(row.dropped),
  });
  for (const event of listOf(row.events)) appendSpanEvent(out, ids, event, start);
  for (const link of listOf(row.links)) appendSpanLink(out, ids, link);
  return '';
}

type Member = Readonly<Record<string, unknown>>;

function listOf(value: unknown): Member[] {
  if (typeof value !== 'string' || !value.startsWith('[')) return [];
  try {
    const parsed = JSON.parse(value) as unknown[];
    // Keys without case and separators: `Timestamp`, `time_unix_nano`, `TimeUnixNano`.
    return parsed.flatMap((one) =>
      typeof one === 'object' && one !== null
        ? [
            Object.fromEntries(
              Object.entries(one).map(([key, inner]) => [key.toLowerCase().replaceAll('_', ''), inner]),
            ),
          ]
        : [],
    );
  } catch {
    return [];
  }
}

/** Nested, or JSON text as our own exports have it. */
function memberAttributes({ attributes, attrs }: Member): string {
  const attributeValue = attributes ?? attrs ?? {};
  return objectText(typeof attributeValue === 'string' ? attributeValue : JSON.stringify(attributeValue));
}

function appendSpanEvent(out: Output, ids: Ids, event: Member, start: bigint): void {
  out.batch.table('span_event').push({
    ...ids,
    time_ns: eventTime(event, start),
    name: out.batch.name(textOf(event.name)),
    attributes: memberAttributes(event),
  });
}

/** `2024-01-15 14:32:01.123456789` as ClickHouse's rows become in JSON; UTC, as the exporter writes it. */
const TIMESTAMP = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?/;

function eventTime(event: Member, start: bigint): bigint {
  const since = event.timesincestartnano;
  if (since !== undefined && since !== null) return within64Bits(start + whole(since)) ?? start;
  const value = event.timeunixnano ?? event.timens ?? event.timestamp ?? event.time;
  const match = TIMESTAMP.exec(textOf(value));
  if (!match) return within64Bits(whole(value)) || start;
  const milliseconds = Date.parse(`${match[1]}T${match[2]}Z`);
  if (Number.isNaN(milliseconds)) return start;
  return within64Bits(BigInt(milliseconds) * 1_000_000n + BigInt((match[3] ?? '').padEnd(9, '0'))) ?? start;
}

const within64Bits = (time: bigint): bigint | undefined => (BigInt.asIntN(64, time) === time ? time : undefined);

const whole = (value: unknown): bigint => (/^\d{1,19}$/.test(textOf(value)) ? BigInt(textOf(value)) : 0n);

function appendSpanLink(out: Output, ids: Ids, link: Member): void {
  const trace = idOf(link.traceid, 32);
  const span = idOf(link.spanid, 16);
  if (!trace || !span) return;
  out.batch.table('span_link').push({
    ...ids,
    linked_trace_hi: half(trace, 0),
    linked_trace_lo: half(trace, 16),
    linked_span_id: half(span, 0),
    trace_state: textOf(link.tracestate),
    attributes: memberAttributes(link),
  });
}
