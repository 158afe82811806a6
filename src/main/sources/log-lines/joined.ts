import type { LiftedRecord } from '../log-record/lift.ts';
import { rankIn } from '../log-record/lift.ts';
import { noContext } from '../log-record/trace-context.ts';
import type { LogRecord } from '../log-record/writer.ts';
import { readLine } from './grammars.ts';

type Known = Omit<LogRecord, 'time_ns' | 'raw'>;

/** A record whose store or collector knows some of it, and whose text may be a whole log line with more: the text's own statements win. */
export function joined(outer: LiftedRecord): Known {
  const { attributes, resource, body } = outer;
  const stated = { ...outer, rank: outer.rank ?? rankIn(body) };
  const line = body === '' ? undefined : readLine(body);
  if (!line) return stated;
  const context = line.context ?? noContext;
  return {
    severity: line.severity || outer.severity,
    severity_text: line.severity === 0 ? outer.severity_text : line.severity_text,
    body: line.body === '' ? body : line.body,
    scope: line.scope || outer.scope,
    context: context.trace_lo === 0n && context.trace_hi === 0n ? outer.context : context,
    resource: { ...line.resource, ...resource },
    attributes: { ...attributes, ...line.attributes },
    rank: line.rank ?? stated.rank,
  };
}
