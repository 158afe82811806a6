import { fail } from '../../../model/problem.ts';
import type { Session } from '../../../model/storage/engine.ts';
import { formatUtc, nanos } from '../../../model/time.ts';
import { one, rowsOf } from '../../store/case-file/case-file.ts';
import { traceTable } from '../../store/exports/index.ts';
import { createReader } from '../../store/facts/reader.ts';
import { CounterEvents, pointShape, type SeriesRow } from './counters.ts';
import { EventEvents, eventShape } from './events.ts';
import { SpanEvents, spanShape } from './spans.ts';
import { type Resource, Tracks } from './tracks.ts';

const SECOND = 1_000_000_000n;

interface Extent {
  readonly first_ns: bigint | null;
  readonly spans: number;
  readonly events: number;
  readonly points: number;
  readonly distributions: number;
  readonly logs: number;
  readonly collectives: number;
}

export interface TraceOrder {
  readonly name: string;
  /** Which rows belong to the window, by table, over the alias `t`. */
  readonly conditions: Readonly<Record<string, string>>;
  onRows(done: number, total: number): void;
}

/** Result of a window export. */
export interface TraceExportResult {
  rows: Record<string, number>;
  left_out: string[];
}

/**
 * A window as Chrome's Trace Event Format (docs/export.md), a line an event, in the order in which rows are read: of what has been
 * written only tracks are held, and of spans those that are not over.
 * @param result filled in by the time that the text ends
 * @throws ProblemError export.empty_window
 */
export async function* traceText(
  session: Session,
  order: TraceOrder,
  result: TraceExportResult,
): AsyncGenerator<string> {
  const { conditions } = order;
  const extent = (await one<Extent>(session, traceTable('extent', conditions))) as Extent;
  if (extent.first_ns === null)
    return fail('export.empty_window', 'this window has no rows for a trace', {
      hint: 'traces show spans, events and metrics',
    });
  // A whole second is a double exactly, as which other readers take it.
  const base_ns = extent.first_ns - (((extent.first_ns % SECOND) + SECOND) % SECOND);
  const entities = new Map(
    (await createReader(session).entities()).map(({ entity_id, ...entity }) => [entity_id, entity]),
  );
  const tracks = new Tracks(entities, await readResources(session));
  const series = rowsOf<SeriesRow>(await session.query(traceTable('series', conditions)));
  const counters = new CounterEvents(tracks, series);
  const total = extent.spans + extent.events + extent.points;
  const about = {
    faultline: 1,
    case: order.name,
    begins: formatUtc(nanos(base_ns)),
    clock: 'UTC, corrected as in the case',
  };
  yield `{"displayTimeUnit":"ns","baseTimeNanoseconds":${base_ns},"otherData":${JSON.stringify(about)},"traceEvents":[\n`;
  let done = 0;
  const tables = [
    { name: 'spans', shape: spanShape, events: new SpanEvents(tracks, base_ns) },
    { name: 'events', shape: eventShape, events: new EventEvents(tracks) },
    { name: 'points', shape: pointShape, events: counters },
  ] as const;
  let isFirst = true;
  for (const { name, shape, events } of tables) {
    const wanted = extent[name];
    let found = 0;
    for await (const piece of session.stream(traceTable(name, conditions, base_ns), shape)) {
      let text = '';
      for (let row = 0; row < piece.count; row++)
        for (const event of events.of(piece, row)) {
          text += isFirst ? event : `,\n${event}`;
          isFirst = false;
        }
      found += piece.count;
      done += piece.count;
      order.onRows(done, total);
      yield text;
    }
    // A stream that ran out of memory ends without an error.
    if (found !== wanted)
      fail('export.incomplete', `only ${found} of ${wanted} ${name} could be read`, {
        hint: 'choose a shorter window',
      });
  }
  yield '\n]}\n';
  result.rows = { spans: extent.spans, events: extent.events, points: extent.points - counters.leftOut };
  result.left_out = leftOut(extent, counters.leftOut);
}

function leftOut({ distributions, logs, collectives }: Extent, gaps: number): string[] {
  const counts = [
    [distributions, 'histograms and summaries'],
    [logs, 'log records'],
    [collectives, 'collective operations'],
    [gaps, 'samples without a number'],
  ] as const;
  return counts.flatMap(([count, what]) => (count === 0 ? [] : [`${count} ${what}`]));
}

async function readResources(session: Session): Promise<ReadonlyMap<number, Resource>> {
  type Row = Resource & { readonly resource_id: number };
  const found = rowsOf<Row>(await session.query(traceTable('resources', {})));
  return new Map(found.map(({ resource_id, ...resource }) => [resource_id, resource]));
}
