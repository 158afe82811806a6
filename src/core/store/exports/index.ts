import { assert } from '../../../base/assert.ts';
import type { OrderedRows } from '../../../model/rows/ordered-rows.ts';
import type { Session } from '../../../model/storage/engine.ts';
import { rowsInOrder, type Wanted } from '../copies/rows-in-order.ts';
import annotations from './annotations.sql?raw';
import collectives from './collectives.sql?raw';
import entities from './entities.sql?raw';
import events from './events.sql?raw';
import exemplars from './exemplars.sql?raw';
import histograms from './histograms.sql?raw';
import logs from './logs.sql?raw';
import metrics from './metrics.sql?raw';
import outages from './outages.sql?raw';
import rejects from './rejects.sql?raw';
import sources from './sources.sql?raw';
import spans from './spans.sql?raw';
import spansSize from './spans-size.sql?raw';
import topology from './topology.sql?raw';
import traceEvents from './trace-events.sql?raw';
import traceExtent from './trace-extent.sql?raw';
import tracePoints from './trace-points.sql?raw';
import traceResources from './trace-resources.sql?raw';
import traceSeries from './trace-series.sql?raw';
import traceSpans from './trace-spans.sql?raw';

/**
 * Export tables of a case: names instead of codes, ids as hexadecimal text, times as nanoseconds since 1970 on the
 * case's clock, rows in the order of time. docs/export.md describes the columns; `test/exports/parquet-round-trip.test.ts` reads
 * them back.
 */
export const exportTables = {
  spans: spansWhere('true'),
  logs,
  metrics,
  histograms,
  exemplars,
  events,
  topology,
  collectives,
  entities,
  sources,
  rejects,
  outages,
  annotations,
} as const;

/** Records with texts of any length, and by what they are sorted first. */
const wideTables: Readonly<Record<string, Pick<Wanted, 'key' | 'measure'> & { rows?(where: string): string }>> = {
  spans: {
    rows: spansWhere,
    key: 's.start_ns + src.clock_offset_ns',
    measure: {
      size: spansSize,
      from: 'span s join source src using (source_id)',
      column: 's.start_ns',
      added: 'select min(clock_offset_ns), max(clock_offset_ns) from source',
    },
  },
  logs: { key: 'coalesce(time_unix_nano, observed_time_unix_nano)' },
  events: { key: 'time_unix_nano' },
};

/** The rows of one of {@link exportTables}. */
export async function exportedRows(session: Session, table: string, sql: string): Promise<OrderedRows> {
  const wide = wideTables[table];
  if (wide === undefined) return { sql };
  const [all = '', order = ''] = sql.split(ORDER);
  const rows = (where: string): string => wide.rows?.(where).split(ORDER)[0] ?? `${all} where ${where}`;
  return rowsInOrder(session, { ...wide, rows, order });
}

const ORDER = /^order by /m;

/** Spans for which a condition over `s` and `src` holds, with what happened in them. */
function spansWhere(where: string): string {
  const concerns = (of: string): string =>
    where === 'true'
      ? 'true'
      : `exists (select 1 from span s join source src using (source_id) where ${where}
          and ${['source_id', 'trace_hi', 'trace_lo', 'span_id'].map((part) => `s.${part} = ${of}.${part}`).join(' and ')})`;
  const conditions: Readonly<Record<string, string>> = { events: concerns('e'), links: concerns('l'), spans: where };
  return spans.replaceAll(/^\s*where \$([a-z]+)$/gm, (_, key: string) => `where ${conditions[key]}`);
}

/** What a window is drawn from as a trace (`core/api/window-trace/`). Conditions and the time to count from are put in as text. */
const traceTables = {
  spans: traceSpans,
  events: traceEvents,
  points: tracePoints,
  series: traceSeries,
  extent: traceExtent,
  resources: traceResources,
} as const;

/** SQL for the rows that belong to a window; conditions are those of {@link cutConditions}. */
export function traceTable(
  name: keyof typeof traceTables,
  conditions: Readonly<Record<string, string>>,
  base_ns = 0n,
): string {
  const own = { spans: 'span', events: 'event', points: 'point', series: 'point' } as const;
  const rows = name === 'extent' || name === 'resources' ? 'true' : conditions[own[name]];
  const sql = traceTables[name].replaceAll(/^\s*--.*$/gm, '');
  return sql.replaceAll(/\$([a-z]+)\b/g, (_, key: string) => {
    const text = key === 'base' ? String(base_ns) : key === 'rows' ? rows : conditions[key];
    assert(text !== undefined, `no condition for ${key}`);
    return text;
  });
}
