import { severities } from '../../../model/entity.ts';
import { type RowBatch, rowCount, type TableName, type TableRows, tableNames } from '../../../model/rows/rows.ts';
import type { Session } from '../../../model/storage/engine.ts';
import type { Running } from '../../../model/storage/feed.ts';
import type { DerivedEvent } from '../../../model/telemetry/derived-event.ts';
import { formatUtc, nanos } from '../../../model/time.ts';

import type { TimeRange } from '../facts/reader-memory.ts';
import type { NewSource } from '../writer/append.ts';
import { countRepeats } from '../writer/count-repeats.ts';
import { writeDerivedEvents } from '../writer/derived-events.ts';
import { EmittedEdges } from '../writer/emitted-edges.ts';
import { Identities } from '../writer/identities.ts';
import { nextNumbers } from '../writer/next-numbers.ts';
import { writeRecordedUntil } from '../writer/recorded-until.ts';
import { resolveEntities } from '../writer/resolve-entities.ts';
import { storedColumns, timeRangeOf } from '../writer/stored-columns.ts';
import { endKilledCapture, markUnfinished, markWritten } from './finish-capture.ts';
import { keepLatestCollectives } from './latest-collectives.ts';
import { LiveInserts } from './live-inserts.ts';
import { LiveOutages } from './live-outages.ts';
import { type LiveSource, lengthText, writeSource } from './live-source.ts';
import { LiveSpanDirectory } from './live-span-directory.ts';
import { PatientWork } from './retrying-transaction.ts';

/** Rows dated further ahead of this machine's clock are reported. */
export const MOST_AHEAD_NS = 60_000_000_000n;

/** So many rows are numbered in one go, some tens of milliseconds of this thread; then polls and requests get their turn. */
const UNBROKEN_ROWS = 5000;

interface Needs {
  /** By this machine's clock; left out: no row is ahead of it. */
  now(): bigint;
  /** null: unknown. */
  runs(): Running | null;
  /** Settles when whatever else this thread has to do has had its turn. */
  breathe(): Promise<void>;
}

/** What a flush brought. */
export interface Flushed {
  /** Of all rows that have a time, recorded and derived; null where none has. */
  readonly times: TimeRange | null;
  /** Whose rows they are. */
  readonly tables: ReadonlySet<TableName>;
  /** New entities or aliases. */
  readonly newEntities: boolean;
  /** New events of high or critical severity, recorded or derived; what already was so when the recording began is none. */
  readonly alarms: number;
}

/** Whose rows they are, and what has to be added to their times to be on the case's clock. */
export interface DerivedSource {
  readonly source_id: number;
  readonly clock_offset_ns: bigint;
}

/** Listener for rows during the write, so that derived events are in the same commit. */
export interface LiveDeriver {
  /** @param series the case's numbers of the batch's series */
  take(source: DerivedSource, batch: RowBatch, series: Int32Array): void;
  /** Times of rows of a data source changed. */
  clockChanged(): void;
  entitiesChanged(): void;
  /** All derived events of the case as it is now in this session; null: the same as last time. */
  derive(session: Session): Promise<readonly DerivedEvent[] | null>;
}

/**
 * Rows as they come, of several feeds at once, each a source of its own. What has been flushed is part of the case whatever
 * happens next; what directories of a source need all of its rows is made by `finishCapture`.
 */
export class LiveWriter {
  private readonly session: Session;
  private readonly identities: Identities;
  private readonly sources: LiveSource[] = [];
  private nextSource: number;
  private nextEvent: number;
  private rows = 0;
  private hasNewEntities = false;
  private readonly deriver: LiveDeriver;
  private readonly now: () => bigint;
  private readonly runs: () => Running | null;
  private readonly breathe: () => Promise<void>;
  /** Rows since others had their turn. */
  private unbroken = 0;
  private readonly inserts = new LiveInserts();
  private readonly work = new PatientWork<Flushed>();
  /** Sources that the case knows to be unfinished. */
  private marked = '';
  /** Severe new events in the running flush. */
  private alarms = 0;
  /** Times of what the running flush changes. */
  private touched: TimeRange | null = null;
  private tables = new Set<TableName>();

  private constructor(
    session: Session,
    {
      identities,
      deriver,
      now,
      runs,
      breathe,
    }: Needs & { readonly identities: Identities; readonly deriver: LiveDeriver },
    next: { source: number; event: number },
  ) {
    this.session = session;
    this.deriver = deriver;
    this.now = now;
    this.runs = runs;
    this.breathe = breathe;
    this.identities = identities;
    this.nextSource = next.source;
    this.nextEvent = next.event;
  }

  /** Until it has ended no other writer may add rows: it assigns the ids. */
  static async begin(session: Session, deriver: LiveDeriver, needs: Partial<Needs> = {}): Promise<LiveWriter> {
    const identities = await Identities.load(session);
    const next = await nextNumbers(session);
    const around = {
      identities,
      deriver,
      now: () => LATEST,
      runs: () => null,
      breathe: async () => undefined,
      ...needs,
    };
    const isMoved = needs.now ? await endKilledCapture(session, needs.now(), around.runs()) : false;
    if (isMoved) deriver.clockChanged();
    return new LiveWriter(session, around, next ?? { source: 1, event: 1 });
  }

  /**
   * A feed's rows are a source; it is in the case from the next flush on.
   *
   * @param isTheirs stamped by the sender, not by this machine
   */
  add(source: NewSource, isTheirs = false): number {
    const id = this.nextSource++;
    this.sources.push({
      id,
      source,
      isTheirs,
      waiting: [],
      counts: {},
      remarks: new Set(),
      outages: new LiveOutages(),
      edges: new EmittedEdges(),
      series: new Set(),
      spans: new LiveSpanDirectory(id),
      first: null,
      last: null,
      inFlight: 0,
      isDirty: true,
      isAhead: false,
      hasNewCollectives: false,
      hasNewEvents: false,
    });
    return this.sources.length - 1;
  }

  /** @param feed as `add` answered */
  append(feed: number, batch: RowBatch): void {
    const live = this.of(feed);
    live.outages.took(batch, live.source.clock_offset_ns);
    live.waiting.push(batch);
    this.rows += rowCount(batch);
  }

  remark(feed: number, text: string): void {
    const source = this.of(feed);
    source.remarks.add(text);
    source.isDirty = true;
  }

  /** The feed has an outage since then; another reason is another outage. */
  down(feed: number, since_ns: bigint, reason: string): void {
    const live = this.of(feed);
    live.isDirty = live.outages.down(since_ns, reason) || live.isDirty;
  }

  /** It gets something again, or is not asked any more. */
  received(feed: number, at_ns: bigint): void {
    const live = this.of(feed);
    live.isDirty = live.outages.received(at_ns) || live.isDirty;
  }

  /** Nothing was received in this time, which has passed. */
  gap(feed: number, from: bigint, until: bigint, reason: string): void {
    const live = this.of(feed);
    live.isDirty = live.outages.gap([from, until], reason, live.source.clock_offset_ns) || live.isDirty;
  }

  /** The clock of the outages was ahead by this much. */
  setBack(feed: number, by_ns: bigint): void {
    const live = this.of(feed);
    live.outages.setBack(by_ns);
    live.isDirty = true;
  }

  /** How far the clock of a feed's rows is off, added to their times. */
  clock(feed: number, clock_offset_ns: bigint, clock_uncertainty_ns: bigint): void {
    const live = this.of(feed);
    live.source = { ...live.source, clock_offset_ns, clock_uncertainty_ns };
    live.isDirty = true;
    // Cached results of its rows are invalid.
    this.hasNewEntities = true;
    this.deriver.clockChanged();
  }

  /** Rows that have not been flushed. */
  get waiting(): number {
    return this.rows;
  }

  /** Rows of one feed that have not been flushed. */
  waitingOf(feed: number): number {
    return this.of(feed).waiting.reduce((sum, batch) => sum + rowCount(batch), 0);
  }

  /** How many series a feed has brought so far. */
  seriesOf(feed: number): number {
    return this.of(feed).series.size;
  }

  private of(feed: number): LiveSource {
    return this.sources[feed]!;
  }

  /** Rows of one feed that a process that ends now would lose. */
  unwrittenOf(feed: number): number {
    return this.waitingOf(feed) + this.of(feed).inFlight;
  }

  /** The disk is full: what came is held, and what comes now may be lost. */
  get isBlocked(): boolean {
    return this.work.isBlocked;
  }

  /**
   * All that waits, as one transaction. @returns null when nothing did, 'full' when there is no room: it is held, and the next flush
   * tries again
   */
  async flush(): Promise<Flushed | 'full' | null> {
    const isIdle = this.sources.every(({ waiting, isDirty }) => !isDirty && waiting.length === 0);
    if (isIdle && !this.isBlocked) return null;
    const flushed = await this.work.run(this.session, (session) => this.writeAll(session));
    if (flushed !== 'full') for (const source of this.sources) source.inFlight = 0;
    return flushed;
  }

  /** What is held is lost. @throws why */
  giveUp(): Promise<void> {
    return this.work.giveUp();
  }

  private async writeAll(session: Session): Promise<Flushed> {
    this.touched = null;
    this.tables = new Set();
    this.alarms = 0;
    const dirty = this.sources.filter(({ waiting, isDirty }) => isDirty || waiting.length > 0);
    for (const source of dirty) await this.write(session, source);
    // Rows that came while others were written are among these: from here on none is.
    const at_ns = this.now();
    await this.inserts.flush(session);
    for (const source of dirty) await this.writeOnce(session, source);
    const newEntities = this.hasNewEntities;
    this.hasNewEntities = false;
    if (newEntities) await resolveEntities(session);
    if (newEntities) this.deriver.entitiesChanged();
    await this.derive(session);
    const ids = JSON.stringify(this.sources.map(({ id }) => id));
    if (ids !== this.marked) await markUnfinished(session, ids);
    const theirs = this.sources.filter(({ isTheirs }) => isTheirs).map(({ id }) => id);
    if (at_ns !== LATEST) await markWritten(session, at_ns, this.runs(), theirs);
    const ahead = this.sources.filter(({ isAhead }) => isAhead).map(({ id }) => id);
    if (ahead.length > 0) await writeRecordedUntil(session, ahead, this.now());
    this.marked = ids;
    return { times: this.touched, tables: this.tables, newEntities, alarms: this.alarms };
  }

  private async derive(session: Session): Promise<void> {
    const { identities, nextEvent } = this;
    const derived = await this.deriver.derive(session);
    if (!derived) return;
    const { next, changed_ns, alarms } = await writeDerivedEvents(session, derived, { identities, next: nextEvent });
    this.nextEvent = next;
    this.alarms += alarms;
    for (const time of changed_ns) this.touch(time, time);
    if (changed_ns.length > 0) this.tables.add('event');
  }

  private touch(first: bigint, last: bigint): void {
    this.touched = {
      from_ns: this.touched && this.touched.from_ns < first ? this.touched.from_ns : first,
      to_ns: this.touched && this.touched.to_ns > last ? this.touched.to_ns : last,
    };
  }

  private async write(session: Session, source: LiveSource): Promise<void> {
    // Later changes belong to the next flush.
    source.isDirty = false;
    source.inFlight = 0;
    for (const batch of source.waiting.splice(0)) {
      this.rows -= rowCount(batch);
      source.inFlight += rowCount(batch);
      const remap = this.identities.remap(batch);
      for (const remark of batch.remarks) source.remarks.add(remark);
      for (const table of tableNames) {
        const rows = batch.tables[table] as TableRows | undefined;
        if (!rows || rows.count === 0) continue;
        const columns = storedColumns({ table, rows, remap, source: source.id, event: this.nextEvent });
        if (table === 'event') this.nextEvent += rows.count;
        if (table === 'event') this.alarms += alarmsIn(rows as TableRows<'event'>);
        const range = timeRangeOf(rows);
        if (range) this.widen(source, range);
        // Polls repeat the same links.
        const all = { columns, count: rows.count };
        const fresh = table === 'edge' ? source.edges.fresh(all) : all;
        if (fresh) this.inserts.add(table, fresh);
        if (fresh) this.tables.add(table);
        if (table === 'span') source.spans.take(rows as TableRows<'span'>);
        if (table === 'point') await this.enterPoints(session, source, rows as TableRows<'point'>);
        source.hasNewCollectives ||= table === 'collective';
        source.hasNewEvents ||= table === 'event';
        source.counts[table] = (source.counts[table] ?? 0) + (fresh?.count ?? 0);
      }
      const { clock_offset_ns } = source.source;
      this.deriver.take({ source_id: source.id, clock_offset_ns }, batch, remap.series);
      this.unbroken += rowCount(batch);
      if (this.unbroken < UNBROKEN_ROWS) continue;
      this.unbroken = 0;
      await this.breathe();
    }
    const { places, counts } = source.spans.rows();
    this.inserts.add('trace_place', places);
    this.inserts.add('span_count', counts);
    this.hasNewEntities ||= this.identities.hasNewEntities;
    await this.identities.flush(session, source.id);
    await writeSource(session, source);
    await source.outages.write(session, source.id, source.source.clock_offset_ns);
  }

  /** Collectives and errors that a feed brought again. */
  private async writeOnce(session: Session, source: LiveSource): Promise<void> {
    const { counts } = source;
    const collectives = source.hasNewCollectives ? await keepLatestCollectives(session, source.id) : 0;
    const events = source.hasNewEvents ? await countRepeats(session, source.id) : 0;
    source.hasNewCollectives = source.hasNewEvents = false;
    if (collectives > 0) counts.collective = (counts.collective ?? 0) - collectives;
    if (events > 0) counts.event = (counts.event ?? 0) - events;
    if (collectives + events > 0) await writeSource(session, source);
  }

  private widen(source: LiveSource, { first, last }: { readonly first: bigint; readonly last: bigint }): void {
    if (source.first === null || first < source.first) source.first = first;
    if (source.last === null || last > source.last) source.last = last;
    const { clock_offset_ns } = source.source;
    this.touch(first + clock_offset_ns, last + clock_offset_ns);
    const ahead = last + clock_offset_ns - this.now();
    if (ahead <= MOST_AHEAD_NS || source.isAhead) return;
    source.isAhead = true;
    source.remarks.add(
      `rows are dated up to ${formatUtc(nanos(last))}, ${lengthText(ahead)} later than this machine's clock: they are kept, but not taken for now`,
    );
  }

  /** A series has a lane as soon as it has a point; how many it has in all is counted at the end. */
  private async enterPoints(session: Session, source: LiveSource, { columns }: TableRows<'point'>): Promise<void> {
    const counts = new Map<number, number>();
    for (const series of columns.series)
      if (!source.series.has(series)) counts.set(series, (counts.get(series) ?? 0) + 1);
    if (counts.size === 0) return;
    for (const series of counts.keys()) source.series.add(series);
    await session.query(
      `insert into series_extent
       select $1, unnest(string_split($2, ','))::integer, null, unnest(string_split($3, ','))::bigint`,
      [source.id, [...counts.keys()].join(), [...counts.values()].join()],
    );
  }
}

const LATEST = 2n ** 63n - 1n;

const alarmsIn = ({ columns, count }: TableRows<'event'>): number =>
  columns.severity.subarray(0, count).filter((severity) => severity <= severities.indexOf('high')).length;
