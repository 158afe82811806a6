import { type RowBatch, type TableRows, tableNames } from '../../../model/rows/rows.ts';
import type { Session } from '../../../model/storage/engine.ts';
import { timesOf } from '../writer/stored-columns.ts';

/** An outage of a feed, from and until on this machine's clock, which is the case's; null: it lasts. */
interface Outage {
  readonly from: bigint;
  until: bigint | null;
  /** Rows came since it ended. */
  isSettled: boolean;
  readonly reason: string;
}

/** More times than the polls have that one hold-up lies over. */
const MOST_RECENT = 256;
/** Between two rows that lie closer there was no hole that a lane shows. */
const SHORTEST_NS = 1_000_000_000n;

/** Outages of a feed. Offsets are of its source: added to the times of its rows they are the case's. */
export class LiveOutages {
  private all: Outage[] = [];
  /** Times of the newest rows, as their source has them. */
  private recent: bigint[] = [];
  /** Outages already in the case. */
  private written = '';

  /** A feed reports recovery after receiving rows: the rows end the outage, not the report. */
  took(batch: RowBatch, offset_ns: bigint): void {
    this.remember(batch);
    for (const outage of this.all) {
      if (outage.isSettled || outage.until === null) continue;
      const first = firstAfter(batch, outage.from - offset_ns);
      // A poll that was dated before the outage has yet to be followed by one that is not.
      if (first === null) continue;
      outage.isSettled = true;
      if (first + offset_ns < outage.until) outage.until = first + offset_ns;
    }
  }

  private remember(batch: RowBatch): void {
    for (const table of tableNames) {
      let last: bigint | undefined;
      for (const time of timesIn(batch, table)) {
        if (time !== last) this.recent.push(time);
        last = time;
      }
      this.recent = this.recent.slice(-MOST_RECENT);
    }
  }

  /** Since then it gets nothing; another reason for it is another outage. @returns whether it changed */
  down(since_ns: bigint, reason: string): boolean {
    const last = this.all.at(-1);
    if (last?.until === null && last.reason === reason) return false;
    // Only another reason for the same outage.
    if (last?.until === null && last.from >= since_ns) this.all.pop();
    const ended = this.all.at(-1);
    if (ended?.until === null) ended.until = since_ns;
    const from = ended?.until && ended.until > since_ns ? ended.until : since_ns;
    this.all.push({ from, until: null, isSettled: false, reason });
    return true;
  }

  /** It gets something again, or is not asked any more. @returns whether it changed */
  received(at_ns: bigint): boolean {
    const last = this.all.at(-1);
    if (last?.until !== null) return false;
    last.until = at_ns;
    return true;
  }

  /** A past outage, except for the accepted rows within it. @returns whether it changed */
  gap([from, until]: readonly [bigint, bigint], reason: string, offset_ns: bigint): boolean {
    if (this.all.at(-1)?.until === null) return false;
    const inside = this.recent.map((time) => time + offset_ns).filter((time) => time > from && time < until);
    const ends = [from, ...inside.sort((a, b) => (a < b ? -1 : 1)), until];
    for (const [at, end] of ends.slice(1).entries()) {
      const begin = ends[at]!;
      if (inside.length > 0 && end - begin < SHORTEST_NS) continue;
      // Polled, as a rule, before the gap was noticed: the first rows after it end it.
      this.all.push({ from: begin, until: end, isSettled: end !== until, reason });
    }
    return true;
  }

  /** The clock of the outages was ahead by this much. */
  setBack(by_ns: bigint): void {
    this.all = this.all.map(({ from, until, ...outage }) => ({
      ...outage,
      from: from - by_ns,
      until: until === null ? null : until - by_ns,
    }));
  }

  /** A case keeps times on the clocks of their sources. */
  async write(session: Session, source_id: number, offset_ns: bigint): Promise<void> {
    const rows = this.all.map(({ from, until, reason }) => [
      source_id,
      from - offset_ns,
      until === null ? null : until - offset_ns,
      reason,
    ]);
    const rowsText = rows.join('\n');
    // Each row that is written once more stays in the file, and in memory, until the file is put in order.
    if (rowsText === this.written) return;
    this.written = rowsText;
    await session.query('delete from outage where source_id = $1', [source_id]);
    for (const row of rows) await session.query('insert into outage values ($1, $2, $3, $4)', row);
  }
}

const timesIn = (batch: RowBatch, table: (typeof tableNames)[number]): readonly bigint[] | BigInt64Array => {
  const rows = batch.tables[table] as TableRows | undefined;
  return (rows && rows.count > 0 ? timesOf(rows) : undefined) ?? [];
};

/** The time of the first row that is dated later. */
function firstAfter(batch: RowBatch, after_ns: bigint): bigint | null {
  let first: bigint | null = null;
  for (const table of tableNames)
    for (const time of timesIn(batch, table)) if (time > after_ns && (first === null || time < first)) first = time;
  return first;
}
