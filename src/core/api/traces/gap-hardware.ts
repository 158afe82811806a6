import type { GapHardware, GapLane, ResourceLane } from '../../../model/contract/index.ts';
import { severities } from '../../../model/entity.ts';
import type { Session } from '../../../model/storage/engine.ts';
import { median } from '../../analysis/statistics.ts';
import { rowsOf } from '../../store/case-file/case-file.ts';
import { listText } from '../../store/list-text.ts';
import { queries } from '../../store/queries/index.ts';
import { readResources } from './trace-resources.ts';

/** Events so long before a gap may have brought it about, and are listed with it. */
const BEFORE_NS = 60_000_000_000n;
const MOST_EVENTS = 20;

interface Asked {
  /** As 32 hex digits. */
  readonly trace_id: string;
  readonly request: { readonly start_ns: bigint; readonly end_ns: bigint };
  readonly gap: { readonly from_ns: bigint; readonly until_ns: bigint };
}

interface EventRow {
  readonly ref: string;
  readonly entity: string;
  readonly type: string;
  readonly severity: number;
  readonly message: string;
  readonly time_ns: bigint;
  readonly found: number;
}

/** What was measured and reported of the services, GPUs and machines of a trace while no piece of an answer came. */
export async function readGapHardware(
  session: Session,
  { trace_id, request, gap }: Asked,
  signal?: AbortSignal,
): Promise<GapHardware> {
  const { lanes: around } = await readResources(session, { trace_id, ...request }, signal);
  const window = { start_ns: gap.from_ns, end_ns: gap.until_ns };
  const { lanes, entities, named } = await readResources(session, { trace_id, ...window }, signal);
  const usual = new Map(around.map((lane) => [keyOf(lane), usualOf(lane, request.start_ns, gap)]));
  const rows = rowsOf<EventRow>(
    await session.query(
      queries.traceEntityEvents,
      [gap.from_ns - BEFORE_NS, gap.until_ns, listText(entities), BigInt(MOST_EVENTS)],
      signal,
    ),
  );
  return {
    lanes: lanes.map((lane) => gapLane(lane, gap, usual.get(keyOf(lane)) ?? null)),
    events: rows.map(({ found: _, severity, ...event }) => ({ ...event, severity: severities[severity] ?? 'low' })),
    events_left_out: (rows[0]?.found ?? 0) - rows.length,
    named,
  };
}

const keyOf = ({ entity, metric, replica, from }: ResourceLane): string =>
  JSON.stringify([entity, metric, replica, from]);

/** Median of the samples of a request outside of a gap. */
function usualOf({ times_ns, values }: ResourceLane, start_ns: bigint, gap: Asked['gap']): number | null {
  const [from, until] = [Number(gap.from_ns - start_ns), Number(gap.until_ns - start_ns)];
  const found = median(values.filter((_, at) => times_ns[at]! < from || times_ns[at]! > until));
  return Number.isNaN(found) ? null : found;
}

/** In a loop: a gap may contain more samples than a call accepts arguments. */
function rangeOf(values: readonly number[] | Float64Array): GapLane['within'] {
  if (values.length === 0) return null;
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return { low, high, samples: values.length };
}

function gapLane(lane: ResourceLane, { from_ns, until_ns }: Asked['gap'], usual: number | null): GapLane {
  const { entity, metric, unit, replica, from, times_ns, values } = lane;
  const length = Number(until_ns - from_ns);
  const within = values.filter((_, at) => times_ns[at]! >= 0 && times_ns[at]! < length);
  const sampleAt = (at: number) =>
    at < 0 ? null : { value: values[at]!, time_ns: from_ns + BigInt(Math.round(times_ns[at]!)) };
  return {
    ...{ entity, metric, unit, replica, from, usual },
    within: rangeOf(within),
    before: sampleAt(times_ns.findLastIndex((time) => time < 0)),
    after: sampleAt(times_ns.findIndex((time) => time >= length)),
  };
}
