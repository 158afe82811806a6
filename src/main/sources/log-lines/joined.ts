import type { Json } from '../bytes/json-access.ts';
import { type LiftedRecord, liftFields, rankIn } from '../log-record/lift.ts';
import type { TraceContext } from '../log-record/trace-context.ts';
import type { LogRecord } from '../log-record/writer.ts';
import { readLine } from './grammars.ts';

type Known = Omit<LogRecord, 'time_ns' | 'raw'>;

/** A record whose store or collector knows some of it, and whose text may be a whole log line with more: the text's own statements win. */
export function joined(outer: LiftedRecord): Known {
  const { attributes, resource, body } = outer;
  const stated = { ...outer, rank: outer.rank ?? rankIn(body) };
  const line = body === '' ? undefined : readLine(body);
  if (!line) return stated;
  return {
    severity: line.severity || outer.severity,
    severity_text: line.severity === 0 ? outer.severity_text : line.severity_text,
    body: line.body === '' ? body : line.body,
    scope: line.scope || outer.scope,
    context: line.context && isKnown(line.context) ? line.context : outer.context,
    resource: { ...line.resource, ...resource },
    attributes: { ...attributes, ...line.attributes },
    rank: line.rank ?? stated.rank,
  };
}

const isKnown = ({ trace_hi, trace_lo }: TraceContext): boolean => trace_hi !== 0n || trace_lo !== 0n;

/** What a record states inside of its attributes and its text. */
export interface StatedInside {
  readonly context: TraceContext;
  readonly severity: number;
  readonly severity_text: string;
  /** Attributes that the text states: `rank` and `request.id`. */
  readonly attributes: Readonly<Record<string, number | string>>;
}

/** What the attributes and the text of a record state of its span, level, rank and request, for formats that have places for them. */
export function statedInside(body: string, given: Json = {}): StatedInside {
  const { context: named } = liftFields(given);
  const { context = named, severity, severity_text, rank, attributes } = joined(liftFields({ message: body }));
  const request = attributes['request.id'];
  return {
    context: isKnown(named) ? named : context,
    severity,
    severity_text,
    attributes: {
      ...(rank !== undefined && !Object.hasOwn(given, 'rank') && { rank }),
      ...(typeof request === 'string' && !Object.hasOwn(given, 'request.id') && { 'request.id': request }),
    },
  };
}

/** Bytes that log lines begin with and sentences do not: `{`, `[`, `(`, `<`. */
const openers = new Set([0x7b, 0x5b, 0x28, 0x3c]);
const [COLON, EQUALS, SPACE, ZERO, NINE] = [0x3a, 0x3d, 0x20, 0x30, 0x39];
const [FEWEST, LONGEST_WORD] = [5, 13];
const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= ZERO && byte <= NINE;

/** Whether a text, from its first to behind its last byte, begins as log lines do: with a brace, a level, a key, a date. Most do not. */
export function mayBeLogLine(bytes: Uint8Array, from: number, to: number): boolean {
  const first = bytes[from]!;
  if (to - from < FEWEST) return false;
  if (openers.has(first)) return true;
  if (isDigit(first)) return !isDigit(bytes[from + 2]) || !isDigit(bytes[from + 4]) || isDigit(bytes[from + 9]);
  let at = from;
  let isCapitals = true;
  for (; at < from + LONGEST_WORD; at++) {
    const letter = bytes[at]! | 0x20;
    if (letter < 0x61 || letter > 0x7a) break;
    isCapitals &&= bytes[at]! < 0x60;
  }
  const next = bytes[at]!;
  return at - from >= 2 && (next === COLON || next === EQUALS || (next === SPACE && isCapitals && at - from >= 4));
}
