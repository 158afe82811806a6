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
