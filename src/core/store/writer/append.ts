import { fail } from '../../../model/problem.ts';
import {
  type RowBatch,
  type RowsInFile,
  type TableName,
  type TableRows,
  tableNames,
} from '../../../model/rows/rows.ts';
import type { FileWork, Session } from '../../../model/storage/engine.ts';
import type { ReadPlaces } from '../../../model/storage/source.ts';
import type { StatedPlace } from '../../../model/telemetry/place-attributes.ts';
import { BatchTimes } from '../copies/time-parts.ts';
import { backwardSpans } from './backward-spans.ts';
import { addCalledServices } from './called-services.ts';
import { countRepeats } from './count-repeats.ts';
import { EmittedEdges } from './emitted-edges.ts';
import { insertRowsInFile } from './file-rows.ts';
import { Identities, type Remap } from './identities.ts';
import { nextNumbers } from './next-numbers.ts';
import { writePointRanges } from './point-ranges.ts';
import { resolveEntities } from './resolve-entities.ts';
import { RowInserts } from './row-inserts.ts';
import { storeSpansOnce } from './same-spans.ts';
import { writeSpanDirectory } from './span-directory.ts';
import { MOST_PLACES, placeTables, statedPlaces } from './stated-places.ts';
import { storedColumns, type TimeRange, timeRangeOf } from './stored-columns.ts';

/** Properties of a file known before its rows. */
export interface NewSource {
  readonly name: string;
  readonly format: string;
  readonly imported_at_ns: bigint;
  readonly clock_offset_ns: bigint;
  readonly clock_uncertainty_ns: bigint;
}

/** Known only once the whole file has been read. */
export interface SourceEnd {
  readonly digest: string;
  readonly bytes: number;
}

/**
 * One import as one transaction: either `commit` makes every row of the source visible at once, or nothing
 * of it ever was. A process killed between the two leaves the case as before (DuckDB's write-ahead log).
 */
export class SourceWriter {
  private readonly remarks = new Set<string>();
  private readonly edges = new EmittedEdges();
  private readonly counts: Partial<Record<TableName, number>> = {};
  private readonly times = new BatchTimes();
  /** What the readers noted of log records; `arePlacesNoted`: of all of them. */
  private readonly logPlaces = new Map<string, StatedPlace>();
  private arePlacesNoted = true;
  private first: bigint | null = null;
  private last: bigint | null = null;

  private readonly session: Session;
  readonly identities: Identities;
  private readonly inserts: RowInserts;
  private readonly source: NewSource;
  readonly sourceId: number;
  private nextEventId: number;

  private constructor(
    session: Session,
    identities: Identities,
    source: NewSource,
    next: { readonly source: number; readonly event: number },
  ) {
    this.session = session;
    this.identities = identities;
    this.inserts = new RowInserts(session);
    this.source = source;
    this.sourceId = next.source;
    this.nextEventId = next.event;
  }

  /** @param known of the source before, if it was committed: loading them anew for each would take a square of the time */
  static async begin(session: Session, source: NewSource, known?: Identities): Promise<SourceWriter> {
    await session.execute('begin transaction');
    const next = await nextNumbers(session);
    const identities = known && (await known.areOf(session)) ? known : await Identities.load(session, next);
    return new SourceWriter(session, identities, source, next);
  }

  /**
   * Takes a batch; settles when the next one can follow, after its file's rows are inserted.
   * @param done called when its buffers are free again, with the number of rows of its file
   * @param onShare called with the share of its file that has been read
   */
  async append(
    batch: RowBatch,
    done: (taken: number) => void = () => undefined,
    onShare: FileWork['onShare'] = () => undefined,
  ): Promise<void> {
    const remap = this.identities.remap(batch);
    for (const remark of batch.remarks) this.remarks.add(remark);
    this.notePlaces(batch);
    const present = tableNames.filter((name) => (batch.tables[name]?.count ?? 0) > 0);
    let waiting = present.length + (batch.file ? 1 : 0);
    let taken = 0;
    if (waiting === 0) done(taken);
    for (const name of present) {
      const rows = batch.tables[name] as TableRows;
      const columns = storedColumns({ table: name, rows, remap, source: this.sourceId, event: this.nextEventId });
      if (name === 'event') this.nextEventId += rows.count;
      this.widen(name, timeRangeOf(rows));
      const copied = () => {
        if (--waiting === 0) done(taken);
      };
      const all = { columns, count: rows.count };
      const fresh = name === 'edge' ? this.edges.fresh(all) : all;
      this.counts[name] = (this.counts[name] ?? 0) + (fresh?.count ?? 0);
      if (fresh) await this.inserts.put(name, { ...fresh, done: copied });
      else copied();
    }
    if (!batch.file) return;
    taken = await this.appendFile(batch.file, remap, onShare);
    if (--waiting === 0) done(taken);
  }

  private async appendFile(file: RowsInFile, remap: Remap, onShare: FileWork['onShare']): Promise<number> {
    const { rows, times } = await this.inserts.alone((signal) =>
      insertRowsInFile(this.session, file, { remap, source: this.sourceId }, { signal, onShare }),
    );
    this.counts[file.table] = (this.counts[file.table] ?? 0) + rows;
    for (const range of times) this.widen(file.table, range);
    return rows;
  }

  /** After the last batch: the links that records state in their own attributes, whatever container carried them. */
  async appendPlaces(read: ReadPlaces): Promise<void> {
    const resources = this.identities.resourceAttributes();
    const isRead = (table: (typeof placeTables)[number]): boolean =>
      table === 'series' || (this.counts[table] !== undefined && !(table === 'log' && this.arePlacesNoted));
    const stated = await this.inserts.alone(() =>
      statedPlaces(this.session, this.sourceId, resources, placeTables.filter(isRead), this.times.cut),
    );
    const places = this.arePlacesNoted ? [...stated, ...this.logPlaces.values()] : stated;
    if (places.length > 0) await this.append(read(places));
  }

  private notePlaces({ tables, file, log_places }: RowBatch): void {
    if (!log_places) this.arePlacesNoted &&= !tables.log && file?.table !== 'log';
    for (const place of log_places ?? [])
      if (this.logPlaces.size < MOST_PLACES)
        this.logPlaces.set(JSON.stringify([place.resource, place.attributes]), place);
  }

  private widen(table: TableName, range: TimeRange | undefined): void {
    if (!range) return;
    this.times.note(table, range.first);
    if (this.first === null || range.first < this.first) this.first = range.first;
    if (this.last === null || range.last > this.last) this.last = range.last;
  }

  /** Rows of every table but rejects, so far. */
  get rows(): number {
    return Object.entries(this.counts).reduce((sum, [name, count]) => (name === 'reject' ? sum : sum + count), 0);
  }

  get rejects(): number {
    return this.counts.reject ?? 0;
  }

  /** All rows are in, none is visible to others: from now on the session can be asked again. */
  async end(): Promise<void> {
    await this.inserts.end();
  }

  async commit(end: SourceEnd, signal?: AbortSignal): Promise<void> {
    await this.end();
    const { name, format, imported_at_ns, clock_offset_ns, clock_uncertainty_ns } = this.source;
    for (const time of [this.first, this.last])
      if (time !== null && BigInt.asIntN(64, time + clock_offset_ns) !== time + clock_offset_ns)
        fail('clock.out_of_range', `with this clock correction, times of ${name} leave the years 1678 to 2261`, {
          place: name,
        });
    const { sourceId, counts, first, last } = this;
    const { cut } = this.times;
    const once = await storeSpansOnce(this.session, { sourceId, counts, first, last }, { cut, signal });
    const backward = await backwardSpans(this.session, sourceId, once.counts.span ?? 0);
    const { reject: rejects = 0, ...rows } = once.counts;
    const hasNewEntities = this.identities.hasNewEntities;
    await this.identities.flush(this.session, this.sourceId);
    const spans = { id: this.sourceId, spans: rows.span ?? 0 };
    const hasCalled = await addCalledServices(this.session, [spans], this.identities);
    if (rows.event) rows.event -= await countRepeats(this.session, sourceId);
    await this.session.query('insert into source values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)', [
      this.sourceId,
      name,
      format,
      end.digest,
      BigInt(end.bytes),
      imported_at_ns,
      this.first,
      this.last,
      clock_offset_ns,
      clock_uncertainty_ns,
      JSON.stringify(rows),
      BigInt(rejects),
      JSON.stringify([...this.remarks, ...once.remarks, ...backward]),
    ]);
    if (rows.span) await writeSpanDirectory(this.session, this.sourceId, cut);
    if (rows.point) await writePointRanges(this.session, this.sourceId, cut);
    if (hasNewEntities || hasCalled) await resolveEntities(this.session);
    await this.session.execute('commit');
  }

  async rollback(): Promise<void> {
    await this.inserts.stop();
    await this.session.execute('rollback');
  }
}
