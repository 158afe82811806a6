import { assert } from '../../../base/assert.ts';
import type { Session } from '../../../model/engine.ts';
import type { OrderedRows } from '../../../model/ordered-rows.ts';
import { rowsInOrder } from '../rows-in-order.ts';
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
import topology from './topology.sql?raw';
import traceEvents from './trace-events.sql?raw';
import traceExtent from './trace-extent.sql?raw';
import tracePoints from './trace-points.sql?raw';
import traceResources from './trace-resources.sql?raw';
import traceSeries from './trace-series.sql?raw';
import traceSpans from './trace-spans.sql?raw';

/**
 * What a case is to others, a table each: names instead of codes, ids as hexadecimal text, times as nanoseconds since 1970 on the
 * case's clock, rows in the order of time. docs/export.md describes the columns; `test/exports/parquet-round-trip.test.ts` reads
 * them back.
 */
export const exportTables = {
  spans,
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
const wideTables: Readonly<Record<string, string>> = {
  logs: 'coalesce(time_unix_nano, observed_time_unix_nano)',
  events: 'time_unix_nano',
};

/** The rows of one of {@link exportTables}. */
export async function exportedRows(session: Session, table: string, sql: string): Promise<OrderedRows> {
  const key = wideTables[table];
  if (key === undefined) return { sql };
  const [rows = '', order = ''] = sql.split(/^order by /m);
  return rowsInOrder(session, { rows: `${rows} where true`, key, order });
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
    assert(text !== undefined, `nothing is said of ${key}`);
    return text;
  });
}
