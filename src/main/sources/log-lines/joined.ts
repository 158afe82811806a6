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

/** What the attributes and the text of a record state of its span and its level, for formats that have places for them. */
export function statedInside(
  body: string,
  attributes: Json = {},
): { readonly context: TraceContext; readonly severity: number; readonly severity_text: string } {
  const { context: named } = liftFields(attributes);
  const { context = named, severity, severity_text } = joined(liftFields({ message: body }));
  return { context: isKnown(named) ? named : context, severity, severity_text };
}
