import { ALWAYS_FROM, ALWAYS_TO, type TableName } from '../../../model/rows/rows.ts';
import type { Session } from '../../../model/storage/engine.ts';
import { rowsOf } from '../case-file/case-file.ts';
import { type CutByTime, eachPart, uncut } from '../copies/time-parts.ts';

type Counts = Readonly<Partial<Record<TableName, number>>>;

/** The rows of a source whose transaction is still open. */
export interface NewRows {
  readonly sourceId: number;
  readonly counts: Counts;
  /** Recorded times of its first and last row; null when it has none. */
  readonly first: bigint | null;
  readonly last: bigint | null;
}

export interface RowsStoredOnce {
  readonly counts: Counts;
  /** What was taken out again, for people. */
  readonly remarks: readonly string[];
}

interface Earlier {
  readonly source_id: number;
  readonly name: string;
}

/** Jaeger and Zipkin cut times to these, OTLP does not: the same span starts in the same microsecond. */
const CUT_NS = 1000n;

/** Client and server may share one id, so the kind belongs to it; a clock correction is an opinion and does not. */
const identity = (span: string) =>
  ['trace_hi', 'trace_lo', 'span_id', 'kind', `start_ns // ${CUT_NS}`].map((part) => `${span}.${part}`);
const sameIdentity = (one: string, other: string) =>
  identity(one)
    .map((part, i) => `${part} = ${identity(other)[i]}`)
    .join(' and ');
const sameId = (one: string, other: string) =>
  ['trace_hi', 'trace_lo', 'span_id'].map((part) => `${one}.${part} = ${other}.${part}`).join(' and ');
const known = (span: string) => `${span}.span_id <> 0 and (${span}.trace_hi <> 0 or ${span}.trace_lo <> 0)`;

/** What makes two events, or two links, of one span the same in two formats. */
const details = [
  { table: 'span_event', same: 'a.time_ns // 1000 = b.time_ns // 1000 and a.name is not distinct from b.name' },
  {
    table: 'span_link',
    same: 'a.linked_trace_hi = b.linked_trace_hi and a.linked_trace_lo = b.linked_trace_lo and a.linked_span_id = b.linked_span_id',
  },
] as const;

/**
 * Takes out of a new source the spans that the case has already, from this file (a collector that sent twice) or from
 * another one (the same trace in two formats), with their events and links. To be called in the source's transaction.
 * Cheap where nothing overlaps: other sources are looked at only when their times overlap, and their spans are compared
 * only when they hold a trace of the new one (`bench/same-spans.ts`).
 */
export async function storeSpansOnce(
  session: Session,
  rows: NewRows,
  { cut = uncut, signal }: { readonly cut?: CutByTime; readonly signal?: AbortSignal | undefined } = {},
): Promise<RowsStoredOnce> {
  if (!rows.counts.span) return { counts: rows.counts, remarks: [] };
  const taken = new Taken(rows, (sql, values) => session.query(sql, values, signal));
  await taken.outOfThisFile(cut);
  await taken.outOfOthers();
  return taken;
}

class Taken implements RowsStoredOnce {
  readonly counts: Partial<Record<TableName, number>>;
  readonly remarks: string[] = [];
  private readonly rows: NewRows;
  private readonly query: Session['query'];

  constructor(rows: NewRows, query: Session['query']) {
    this.rows = rows;
    this.query = query;
    this.counts = { ...rows.counts };
  }

  /** Only what is equal in every column: one span may also be recorded in pieces, which all stay. */
  async outOfThisFile(cut: CutByTime): Promise<void> {
    const { sourceId } = this.rows;
    const key = `hash(${identity('s').join(', ')})`;
    const twice = await this.count(
      `select sum(twice) from (${eachPart(
        cut('span', CUT_NS),
        (where) =>
          `select count(*) - count(distinct ${key}) as twice from span s where source_id = ${sourceId} and ${known('s')} and ${where}`,
      )})`,
    );
    if (twice === 0) return;
    await this.query(`create or replace temp table taken as
      select "row", trace_hi, trace_lo, span_id from (
        select rowid as "row", trace_hi, trace_lo, span_id,
          row_number() over (partition by ${identity('s').join(', ')}, hash(s) order by rowid) as copy
        from span s where source_id = ${sourceId} and ${known('s')} and ${key} in (
          select ${key} from span s where source_id = ${sourceId} and ${known('s')} group by all having count(*) > 1))
      where copy > 1`);
    const spans = await this.take('span', 'delete from span where rowid in (select "row" from taken)');
    for (const { table } of details.filter((detail) => this.counts[detail.table]))
      await this.take(
        table,
        `delete from ${table} where rowid in (
          select "row" from (
            select d.rowid as "row", row_number() over (partition by d order by d.rowid) as copy
            from ${table} d semi join taken t on ${sameId('d', 't')} where d.source_id = ${sourceId})
          where copy > 1)`,
      );
    await this.query('drop table taken');
    if (spans > 0)
      this.remarks.push(`${wasOrWere(spans)} more than once in this file and ${isOrAre(spans)} stored once`);
  }

  async outOfOthers(): Promise<void> {
    const others = await this.overlapping();
    if (others.length === 0 || !(await this.sharesTrace(others))) return;
    const { sourceId } = this.rows;
    await this.query(`create or replace temp table taken as
      select n.rowid as "row", any_value(n.trace_hi) as trace_hi, any_value(n.trace_lo) as trace_lo,
        any_value(n.span_id) as span_id, min(o.source_id) as source_id
      from span n join span o on ${sameIdentity('n', 'o')}
      where n.source_id = ${sourceId} and ${known('n')} and ${this.within('o', others)} group by n.rowid`);
    const from = await this.query(
      'select source_id, count(*)::integer from taken group by all order by count(*) desc, source_id',
    );
    const spans = await this.take('span', 'delete from span where rowid in (select "row" from taken)');
    if (spans > 0) await this.takeDetails(others);
    await this.query('drop table taken');
    const names = (from.columns[0] ?? []).map((id) => others.find(({ source_id }) => source_id === id)?.name ?? '');
    if (spans > 0)
      this.remarks.push(
        `${wasOrWere(spans)} already in the case from ${listed(names)} and ${isOrAre(spans)} stored once`,
      );
  }

  /**
   * Events and links carry no more than their span's id. Where all spans of an id went, they go too; where one half of a
   * shared span stays, only those go that the case has already, so that the half keeps its own.
   */
  private async takeDetails(others: readonly Earlier[]): Promise<void> {
    const { sourceId } = this.rows;
    const present = details.filter(({ table }) => this.counts[table]);
    if (present.length === 0) return;
    await this.query(`create or replace temp table taken_id as
      select distinct trace_hi, trace_lo, span_id, exists (
        select 1 from span n where n.source_id = ${sourceId} and ${sameId('n', 't')}) as half
      from taken t`);
    for (const { table, same } of present)
      await this.take(
        table,
        `delete from ${table} where rowid in (
          select a.rowid from ${table} a join taken_id t on ${sameId('a', 't')}
          where a.source_id = ${sourceId} and (not t.half or exists (
            select 1 from ${table} b where b.source_id in (${ids(others)}) and ${sameId('a', 'b')} and ${same})))`,
      );
    await this.query('drop table taken_id');
  }

  /** Other sources with spans of the same time. */
  private async overlapping(): Promise<Earlier[]> {
    const { sourceId } = this.rows;
    const { first, last } = this.range();
    if (first === null || last === null) return [];
    return rowsOf<Earlier>(
      await this.query(
        `select source_id, name from source
         where source_id <> $1 and first_ns <= $3 and last_ns >= $2 and (rows->>'span')::bigint > 0 order by source_id`,
        [sourceId, first, last],
      ),
    );
  }

  private async sharesTrace(others: readonly Earlier[]): Promise<boolean> {
    const { sourceId } = this.rows;
    const traces = await this.query(
      `select 1 from span o where ${this.within('o', others)}
         and trace_lo in (select distinct trace_lo from span where source_id = ${sourceId}) limit 1`,
    );
    return traces.count > 0;
  }

  private within(span: string, others: readonly Earlier[]): string {
    const { first, last } = this.range();
    return `${span}.source_id in (${ids(others)}) and ${span}.start_ns between ${first}::bigint and ${last}::bigint`;
  }

  /** Recorded times in which the same spans may lie. */
  private range(): Pick<NewRows, 'first' | 'last'> {
    const { first, last } = this.rows;
    return {
      first: first === null || first < ALWAYS_FROM + CUT_NS ? first : first - CUT_NS,
      last: last === null || last > ALWAYS_TO - CUT_NS ? last : last + CUT_NS,
    };
  }

  private async take(table: TableName, sql: string): Promise<number> {
    const count = await this.count(sql);
    const left = (this.counts[table] ?? 0) - count;
    if (left > 0) this.counts[table] = left;
    else delete this.counts[table];
    return count;
  }

  private async count(sql: string): Promise<number> {
    return Number((await this.query(sql)).columns[0]?.[0]);
  }
}

const ids = (sources: readonly Earlier[]): string => sources.map(({ source_id }) => source_id).join(', ');
const wasOrWere = (spans: number): string => (spans === 1 ? '1 span was' : `${spans} spans were`);
const isOrAre = (spans: number): string => (spans === 1 ? 'is' : 'are');

/** Maximum number of names in a remark. */
const LISTED = 3;

function listed(names: readonly string[]): string {
  const shown = names.slice(0, LISTED);
  const more = names.length - shown.length;
  if (more > 0) return `${shown.join(', ')} and ${more} more`;
  return shown.length < 2 ? shown.join() : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`;
}
