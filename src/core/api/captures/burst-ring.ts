import type { EntityRow, ResourceRow, RowBatch, SeriesRow, TableRows } from '../../../model/rows/rows.ts';
import type { Burst } from '../../../model/storage/feed.ts';

/** A series as all batches name it; one for all of its samples, however often they come. */
interface Described {
  readonly row: SeriesRow;
  readonly entity: EntityRow | undefined;
  readonly resource: { readonly row: ResourceRow; readonly owner: EntityRow | undefined } | undefined;
  readonly isBurst: boolean;
  /** Time of its last sample that was kept. */
  lastPassed_ns: bigint | undefined;
}

/** Samples of one batch. */
interface RetainedBatch {
  readonly until_ns: bigint;
  readonly of: readonly Described[];
  readonly start_ns: BigInt64Array;
  readonly time_ns: BigInt64Array;
  readonly value: Float64Array;
}

/** Of samples that are held: 32 MB. */
const MOST_SAMPLES = 1_000_000;
/** Of series that are known: a feed that names its series anew each time is thinned less well. */
const MOST_SERIES = 100_000;

/**
 * Burst of a feed that is polled more often than it is stored: samples are thinned to the normal interval, and those of
 * selected metrics are buffered. A trigger releases the buffer, and all samples are stored for the same time afterwards. Other
 * rows pass unchanged.
 */
export class BurstRing {
  private readonly burst: Burst;
  private readonly burstMetrics: ReadonlySet<string>;
  private readonly series = new Map<string, Described>();
  private retained: RetainedBatch[] = [];
  private samples = 0;
  private fullUntil_ns: bigint | null = null;
  private readonly most: number;
  /** The buffer overflowed: the time before a trigger is shorter than configured. */
  isShort = false;

  constructor(burst: Burst, most = MOST_SAMPLES) {
    this.burst = burst;
    this.most = most;
    this.burstMetrics = new Set(burst.metrics);
  }

  /** Rows of a batch to write now. @param now_ns by this machine's clock */
  take(batch: RowBatch, now_ns: bigint): RowBatch {
    const points = batch.tables.point as TableRows<'point'> | undefined;
    if (!points) return batch;
    if (this.fullUntil_ns !== null && now_ns > this.fullUntil_ns) this.fullUntil_ns = null;
    const every_ns = seconds(this.burst.regular_s) - seconds(this.burst.every_s) / 2n;
    const [passing, retainedRows]: [number[], number[]] = [[], []];
    const known = batch.series.map((row) => this.describe(batch, row));
    const { series, time_ns } = points.columns;
    for (let at = 0; at < points.count; at++) {
      const one = known[series[at]!]!;
      const time = time_ns[at]!;
      const { lastPassed_ns, isBurst } = one;
      if (
        (isBurst && this.fullUntil_ns !== null) ||
        lastPassed_ns === undefined ||
        time - lastPassed_ns >= every_ns ||
        time < lastPassed_ns
      ) {
        one.lastPassed_ns = time;
        passing.push(at);
      } else if (isBurst) retainedRows.push(at);
    }
    if (retainedRows.length > 0) this.retain(points, { known, rows: retainedRows, now_ns });
    this.forget(now_ns);
    return passing.length === points.count
      ? batch
      : { ...batch, tables: { ...batch.tables, point: picked(points, passing) } };
  }

  /** A trigger: returns the buffer, oldest first; from now on all samples are stored for a while. */
  trigger(now_ns: bigint): RowBatch[] {
    this.fullUntil_ns = now_ns + seconds(this.burst.after_s);
    this.forget(now_ns);
    const { retained } = this;
    this.retained = [];
    this.samples = 0;
    return retained.length === 0 ? [] : [joined(retained)];
  }

  private describe(batch: RowBatch, row: SeriesRow): Described {
    const entity = batch.entities[row.entity];
    const resource = batch.resources[row.resource];
    const name = [
      `${row.metric} ${row.kind} ${row.unit} ${row.temporality}`,
      `${entity?.kind}:${entity?.id}`,
      row.attributes,
      resource?.attributes,
    ].join('\n');
    const found = this.series.get(name);
    if (found) return found;
    if (this.series.size >= MOST_SERIES) this.series.clear();
    const owned = resource && { row: resource, owner: batch.entities[resource.entity] };
    const fresh = {
      row,
      entity,
      resource: owned,
      isBurst: this.burstMetrics.has(row.metric),
      lastPassed_ns: undefined,
    };
    this.series.set(name, fresh);
    return fresh;
  }

  private retain(
    { columns }: TableRows<'point'>,
    { known, rows, now_ns }: { readonly known: readonly Described[]; readonly rows: readonly number[]; now_ns: bigint },
  ): void {
    this.samples += rows.length;
    this.retained.push({
      until_ns: now_ns + seconds(this.burst.before_s),
      of: rows.map((at) => known[columns.series[at]!]!),
      start_ns: BigInt64Array.from(rows, (at) => columns.start_ns[at]!),
      time_ns: BigInt64Array.from(rows, (at) => columns.time_ns[at]!),
      value: Float64Array.from(rows, (at) => columns.value[at]!),
    });
  }

  /** What is too old, and the oldest of what is too much. */
  private forget(now_ns: bigint): void {
    let first = 0;
    for (const { until_ns, of } of this.retained) {
      const isTooMuch = this.samples > this.most;
      if (until_ns >= now_ns && !isTooMuch) break;
      this.isShort ||= isTooMuch;
      this.samples -= of.length;
      first++;
    }
    this.retained.splice(0, first);
  }
}

const seconds = (length: number): bigint => BigInt(Math.round(length * 1e9));

/** All that was held as one batch, which names each series once. */
function joined(retained: readonly RetainedBatch[]): RowBatch {
  const numbers = new Map<Described, number>();
  for (const one of retained.flatMap(({ of }) => of)) if (!numbers.has(one)) numbers.set(one, numbers.size);
  const all = [...numbers.keys()];
  const entities = [...new Set(all.flatMap(({ entity, resource }) => [entity ?? [], resource?.owner ?? []].flat()))];
  const resources = [...new Set(all.flatMap(({ resource }) => resource ?? []))];
  const placeIn = <T>(list: readonly T[]) => {
    const places = new Map(list.map((one, at) => [one, at]));
    return (one: T | undefined): number => (one === undefined ? -1 : (places.get(one) ?? -1));
  };
  const [entityAt, resourceAt] = [placeIn(entities), placeIn(resources)];
  const columns = {
    series: Int32Array.from(retained.flatMap(({ of }) => of.map((one) => numbers.get(one)!))),
    start_ns: BigInt64Array.from(retained.flatMap(({ start_ns }) => [...start_ns])),
    time_ns: BigInt64Array.from(retained.flatMap(({ time_ns }) => [...time_ns])),
    value: Float64Array.from(retained.flatMap(({ value }) => [...value])),
  };
  return {
    numbering: '',
    names: [],
    entities,
    resources: resources.map(({ row, owner }) => ({ ...row, entity: entityAt(owner) })),
    series: all.map(({ row, entity, resource }) => ({
      ...row,
      entity: entityAt(entity),
      resource: resourceAt(resource),
    })),
    tables: { point: { count: columns.series.length, columns } },
    remarks: [],
    consumed_bytes: 0,
  };
}

const picked = ({ columns }: TableRows<'point'>, rows: readonly number[]): TableRows<'point'> => ({
  count: rows.length,
  columns: {
    series: Int32Array.from(rows, (at) => columns.series[at]!),
    start_ns: BigInt64Array.from(rows, (at) => columns.start_ns[at]!),
    time_ns: BigInt64Array.from(rows, (at) => columns.time_ns[at]!),
    value: Float64Array.from(rows, (at) => columns.value[at]!),
  },
});
