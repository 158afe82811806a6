import type { Burst } from '../../model/feed.ts';
import type { RowBatch, TableRows } from '../../model/rows.ts';

interface Held {
  readonly until_ns: bigint;
  readonly batch: RowBatch;
}

/**
 * A feed that is asked more often than it is kept: samples are thinned to the usual distance, and those of chosen metrics
 * are held for a while. When something happens what is held is given out, and all of them are kept for as long again.
 * Everything but samples passes as it came.
 */
export class BurstRing {
  private readonly burst: Burst;
  private readonly chosen: ReadonlySet<string>;
  /** Time of the last sample that was kept, by what names its series across batches. */
  private readonly kept = new Map<string, bigint>();
  private held: Held[] = [];
  private fullUntil_ns: bigint | null = null;

  constructor(burst: Burst) {
    this.burst = burst;
    this.chosen = new Set(burst.metrics);
  }

  /** What of a batch is to be written now. @param now_ns by this machine's clock */
  take(batch: RowBatch, now_ns: bigint): RowBatch {
    const points = batch.tables.point as TableRows<'point'> | undefined;
    if (!points) return batch;
    if (this.fullUntil_ns !== null && now_ns > this.fullUntil_ns) this.fullUntil_ns = null;
    const every_ns = seconds(this.burst.usual_s) - seconds(this.burst.every_s) / 2n;
    const [passing, holding]: [number[], number[]] = [[], []];
    const names = batch.series.map(({ metric, entity, attributes }) => {
      const owner = batch.entities[entity];
      return `${metric}\n${owner?.kind}:${owner?.id}\n${attributes}`;
    });
    const { series, time_ns } = points.columns;
    for (let at = 0; at < points.count; at++) {
      const place = series[at] as number;
      const time = time_ns[at] as bigint;
      const isChosen = this.chosen.has(batch.series[place]?.metric ?? '');
      const last = this.kept.get(names[place] as string);
      if ((isChosen && this.fullUntil_ns !== null) || last === undefined || time - last >= every_ns || time < last) {
        this.kept.set(names[place] as string, time);
        passing.push(at);
      } else if (isChosen) holding.push(at);
    }
    if (holding.length > 0)
      this.held.push({ until_ns: now_ns + seconds(this.burst.before_s), batch: onlyPoints(batch, points, holding) });
    this.held = this.held.filter(({ until_ns }) => until_ns >= now_ns);
    return passing.length === points.count
      ? batch
      : { ...batch, tables: { ...batch.tables, point: picked(points, passing) } };
  }

  /** Something happened: what was held, oldest first; from now on all is kept for a while. */
  trigger(now_ns: bigint): RowBatch[] {
    this.fullUntil_ns = now_ns + seconds(this.burst.after_s);
    const held = this.held.filter(({ until_ns }) => until_ns >= now_ns);
    this.held = [];
    return held.map(({ batch }) => batch);
  }
}

const seconds = (length: number): bigint => BigInt(Math.round(length * 1e9));

const onlyPoints = (batch: RowBatch, points: TableRows<'point'>, rows: readonly number[]): RowBatch => ({
  ...batch,
  tables: { point: picked(points, rows) },
  remarks: [],
  consumed_bytes: 0,
});

const picked = ({ columns }: TableRows<'point'>, rows: readonly number[]): TableRows<'point'> => ({
  count: rows.length,
  columns: {
    series: Int32Array.from(rows, (at) => columns.series[at] as number),
    start_ns: BigInt64Array.from(rows, (at) => columns.start_ns[at] as bigint),
    time_ns: BigInt64Array.from(rows, (at) => columns.time_ns[at] as bigint),
    value: Float64Array.from(rows, (at) => columns.value[at] as number),
  },
});
