import type { Session } from '../../model/engine.ts';
import { type RowBatch, rowCount, type TableName, type TableRows, tableNames } from '../../model/rows.ts';
import type { NewSource } from './append.ts';
import { rowsOf } from './case-file.ts';
import { outdateDerivedEvents } from './derived-events.ts';
import { Identities } from './identities.ts';
import { writePointRanges } from './point-ranges.ts';
import { resolveEntities } from './resolve-entities.ts';
import { storeSpansOnce } from './same-spans.ts';
import { writeSpanDirectory } from './span-directory.ts';
import { storedColumns, timeRangeOf } from './stored-columns.ts';

/** Sources whose directories are still to be made; kept in the case, so that a killed process leaves no half of one. */
const UNFINISHED = 'capture_unfinished';

interface LiveSource {
  readonly id: number;
  readonly source: NewSource;
  readonly waiting: RowBatch[];
  readonly counts: Partial<Record<TableName, number>>;
  readonly remarks: Set<string>;
  /** That have been entered. */
  readonly series: Set<number>;
  /** Of traces, as far as they have been entered. */
  readonly places: Set<string>;
  first: bigint | null;
  last: bigint | null;
  isDirty: boolean;
}

/**
 * Rows as they come, of several feeds at once, each a source of its own. What has been flushed is part of the case whatever
 * happens next; what directories of a source need all of its rows is made by {@link finishCapture}.
 */
export class LiveWriter {
  private readonly session: Session;
  private readonly identities: Identities;
  private readonly sources: LiveSource[] = [];
  private nextSource: number;
  private nextEvent: number;
  private rows = 0;
  private hasNewThings = false;

  private constructor(session: Session, identities: Identities, next: { source: number; event: number }) {
    this.session = session;
    this.identities = identities;
    this.nextSource = next.source;
    this.nextEvent = next.event;
  }

  /** Until it has ended nobody else may write rows: it gives the numbers. */
  static async begin(session: Session): Promise<LiveWriter> {
    const identities = await Identities.load(session);
    const [next] = rowsOf<{ source: number; event: number }>(
      await session.query(
        `select (select coalesce(max(source_id), 0) + 1 from source)::integer as source,
           (select coalesce(max(event_id), 0) + 1 from event)::integer as event`,
      ),
    );
    return new LiveWriter(session, identities, next ?? { source: 1, event: 1 });
  }

  /** A feed's rows are a source; it is in the case from the next flush on. */
  add(source: NewSource): number {
    this.sources.push({
      id: this.nextSource++,
      source,
      waiting: [],
      counts: {},
      remarks: new Set(),
      series: new Set(),
      places: new Set(),
      first: null,
      last: null,
      isDirty: true,
    });
    return this.sources.length - 1;
  }

  /** @param feed as `add` answered */
  append(feed: number, batch: RowBatch): void {
    this.of(feed).waiting.push(batch);
    this.rows += rowCount(batch);
  }

  remark(feed: number, text: string): void {
    const source = this.of(feed);
    source.remarks.add(text);
    source.isDirty = true;
  }

  /** Rows that have not been flushed. */
  get waiting(): number {
    return this.rows;
  }

  private of(feed: number): LiveSource {
    return this.sources[feed] as LiveSource;
  }

  /** All that waits, as one transaction. @returns whether anything did */
  async flush(): Promise<boolean> {
    const dirty = this.sources.filter(({ waiting, isDirty }) => isDirty || waiting.length > 0);
    if (dirty.length === 0) return false;
    await this.session.execute('begin transaction');
    try {
      for (const source of dirty) await this.write(source);
      if (this.hasNewThings) await resolveEntities(this.session);
      this.hasNewThings = false;
      if (this.identities.hasNewThings) await resolveEntities(this.session);
      await outdateDerivedEvents(this.session);
      const ids = JSON.stringify(this.sources.map(({ id }) => id));
      await this.session.query('insert or replace into meta values ($1, $2)', [UNFINISHED, ids]);
      await this.session.execute('commit');
    } catch (error) {
      await this.session.execute('rollback');
      throw error;
    }
    this.rows = 0;
    return true;
  }

  private async write(source: LiveSource): Promise<void> {
    for (const batch of source.waiting.splice(0)) {
      const remap = this.identities.remap(batch);
      for (const remark of batch.remarks) source.remarks.add(remark);
      for (const table of tableNames) {
        const rows = batch.tables[table] as TableRows | undefined;
        if (!rows || rows.count === 0) continue;
        const columns = storedColumns({ table, rows, remap, source: source.id, event: this.nextEvent });
        if (table === 'event') this.nextEvent += rows.count;
        widen(source, rows);
        await this.session.append(table, columns, rows.count);
        if (table === 'span') await this.enterSpans(source, rows);
        if (table === 'point') await this.enterPoints(source, rows);
        source.counts[table] = (source.counts[table] ?? 0) + rows.count;
      }
    }
    this.hasNewThings ||= this.identities.hasNewThings;
    await this.identities.flush(this.session, source.id);
    await writeSource(this.session, source);
    source.isDirty = false;
  }

  /** A series has a lane as soon as it has a point; how many it has in all is counted at the end. */
  private async enterPoints(source: LiveSource, rows: TableRows): Promise<void> {
    const counts = new Map<number, number>();
    for (const series of (rows as TableRows<'point'>).columns.series)
      if (!source.series.has(series)) counts.set(series, (counts.get(series) ?? 0) + 1);
    for (const [series, points] of counts) {
      source.series.add(series);
      await this.session.query('insert into series_extent values ($1, $2, null, $3)', [
        source.id,
        series,
        BigInt(points),
      ]);
    }
  }

  /** Where the traces have spans, and how many spans there are by time: as `writeSpanDirectory` does it for a whole source. */
  private async enterSpans(source: LiveSource, rows: TableRows): Promise<void> {
    const { trace_hi, trace_lo, start_ns } = (rows as TableRows<'span'>).columns;
    const counts = new Map<bigint, number>();
    const keys: bigint[] = [];
    const slices: number[] = [];
    for (let at = 0; at < rows.count; at++) {
      const start = start_ns[at] as bigint;
      counts.set(start >> 27n, (counts.get(start >> 27n) ?? 0) + 1);
      const key = ((trace_hi[at] as bigint) ^ (trace_lo[at] as bigint)) & PLACE_KEY;
      const place = `${key} ${start >> 34n}`;
      if (source.places.has(place)) continue;
      source.places.add(place);
      keys.push(key);
      slices.push(Number(start >> 34n));
    }
    const id = { type: 'constant', value: source.id } as const;
    const places = [id, u64(keys), i32(slices)];
    await this.session.append('trace_place', places, keys.length);
    const counted = [id, i64([...counts.keys()]), i64([...counts.values()].map(BigInt))];
    await this.session.append('span_count', counted, counts.size);
  }
}

/** As many bits of a trace's id as table trace_place keeps. */
const PLACE_KEY = (1n << 36n) - 1n;
const u64 = (values: readonly bigint[]) => ({ type: 'u64', values: BigUint64Array.from(values) }) as const;
const i64 = (values: readonly bigint[]) => ({ type: 'i64', values: BigInt64Array.from(values) }) as const;
const i32 = (values: readonly number[]) => ({ type: 'i32', values: Int32Array.from(values) }) as const;

function widen(source: LiveSource, rows: TableRows): void {
  const range = timeRangeOf(rows);
  if (!range) return;
  if (source.first === null || range.first < source.first) source.first = range.first;
  if (source.last === null || range.last > source.last) source.last = range.last;
}

async function writeSource(session: Session, live: LiveSource): Promise<void> {
  const { reject: rejects = 0, ...rows } = live.counts;
  const { name, format, imported_at_ns, clock_offset_ns, clock_uncertainty_ns } = live.source;
  await session.query('insert or replace into source values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)', [
    live.id,
    name,
    format,
    `capture:${imported_at_ns}:${live.id}`,
    0n,
    imported_at_ns,
    live.first,
    live.last,
    clock_offset_ns,
    clock_uncertainty_ns,
    JSON.stringify(rows),
    BigInt(rejects),
    JSON.stringify([...live.remarks]),
  ]);
}

/** Makes what the sources of a capture need to be found as fast as any; does nothing where no capture was left unfinished. */
export async function finishCapture(session: Session): Promise<void> {
  const [left] = rowsOf<{ value: string }>(await session.query('select value from meta where key = $1', [UNFINISHED]));
  if (!left) return;
  await session.execute('begin transaction');
  try {
    for (const id of JSON.parse(left.value) as number[]) await finishSource(session, id);
    await session.query('delete from meta where key = $1', [UNFINISHED]);
    await outdateDerivedEvents(session);
    await resolveEntities(session);
    await session.execute('commit');
  } catch (error) {
    await session.execute('rollback');
    throw error;
  }
}

async function finishSource(session: Session, id: number): Promise<void> {
  const [row] = rowsOf<{ rows: string; first: bigint | null; last: bigint | null; remarks: string }>(
    await session.query('select rows, first_ns as first, last_ns as last, remarks from source where source_id = $1', [
      id,
    ]),
  );
  if (!row) return;
  const counts = JSON.parse(row.rows) as Partial<Record<TableName, number>>;
  const once = await storeSpansOnce(session, { sourceId: id, counts, first: row.first, last: row.last });
  const remarks = [...(JSON.parse(row.remarks) as string[]), ...once.remarks];
  await session.query('update source set rows = $2, remarks = $3 where source_id = $1', [
    id,
    JSON.stringify(once.counts),
    JSON.stringify(remarks),
  ]);
  for (const table of ['trace_place', 'span_count', 'series_extent', 'point_range'])
    await session.query(`delete from ${table} where source_id = $1`, [id]);
  await writeSpanDirectory(session, id);
  await writePointRanges(session, id);
}
