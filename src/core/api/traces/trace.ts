import type { Parsed, Trace } from '../../../model/contract/index.ts';
import type { Session } from '../../../model/storage/engine.ts';
import { numbersOf } from '../../store/case-file/case-file.ts';
import { queries } from '../../store/queries/index.ts';

/** One trace, found by the directory of the store: independent of the size of the case (bench/queries.ts). */
export async function readTrace(
  session: Session,
  { trace_id, limit }: Parsed<'trace.get'>,
  signal?: AbortSignal,
): Promise<Trace> {
  const found = await session.query(queries.traceSpans, [trace_id, BigInt(limit)], signal);
  const column = <T>(name: string): T[] => (found.columns[found.names.indexOf(name)] ?? []).slice(0, limit) as T[];
  const starts = column<bigint>('start_ns');
  const start_ns = starts[0] ?? null;
  return {
    span_id: column('span_id'),
    parent_span_id: column('parent_span_id'),
    service: column('service'),
    name: column('name'),
    kind: column('kind'),
    status: column('status'),
    source: column('source'),
    start_ns,
    offset_s: Float64Array.from(starts, (time) => Number(time - (start_ns ?? time)) / 1e9),
    duration_ms: numbersOf(found, 'duration_ms').slice(0, limit),
    truncated: found.count > limit,
  };
}
