import type { EntityKind } from '../../../model/entity.ts';
import type { SqlValue } from '../../../model/storage/engine.ts';
import { listText } from '../list-text.ts';
import { queries } from '../queries/index.ts';

/** A region and its baseline; nanoseconds on the case's clock, ends exclusive. */
export interface DifferenceFilter {
  readonly region_from_ns: bigint;
  readonly region_to_ns: bigint;
  readonly baseline_from_ns: bigint;
  readonly baseline_to_ns: bigint;
  /** What counts, by the numbers of the store; null: everything. */
  readonly members: {
    readonly entities: readonly number[];
    readonly services: readonly number[];
    readonly resources: readonly number[];
  } | null;
  /** Of the spans that count; null: any. */
  readonly span_name: string | null;
  /** How long a span took, the latter exclusive. */
  readonly took_from_ns: bigint;
  readonly took_below_ns: bigint;
  /** The baseline is what the region leaves over, instead of the same entities, durations and name at another time. */
  readonly is_rest: boolean;
}

/** One trace, or one instant, of so many is looked at; powers of two. */
export interface Shares {
  readonly region: number;
  readonly baseline: number;
}
type Counted = Shares;

/** A value of an attribute with its sums over clusters; with `attribute` how many values there are, with `total` all rows. */
export interface SpanValueFact {
  readonly what: 'value' | 'attribute' | 'total';
  /** 0 attribute, 1 resource attribute, 2 service, 3 span name, 4 kind, 5 status. */
  readonly dim: number;
  readonly key: string;
  readonly value: string | null;
  readonly region: number;
  readonly baseline: number;
  readonly region_groups: number;
  readonly baseline_groups: number;
  readonly squares: number;
  readonly products: number;
  readonly distinct_values: number | null;
  readonly is_number: boolean | null;
}

/** How the values of both sides lie: bars as in difference-points.sql. */
export interface SpreadFact {
  /** Where the bars begin and end; what lies beyond is in the outer ones. */
  readonly low: number;
  readonly high: number;
  /** Counts by bar, `{0=12, 3=1}`; null: none. */
  readonly region_bins: string | null;
  readonly baseline_bins: string | null;
  readonly region_p10: number;
  readonly region_p90: number;
  readonly baseline_p10: number;
  readonly baseline_p90: number;
}

/** A number of spans, one value a trace and side. */
export interface SpanNumberFact extends SpreadFact {
  readonly what: 'number';
  /** 0 attribute `key`, 1 duration of the spans named `key`, ms. */
  readonly dim: number;
  readonly key: string;
  readonly service: string;
  readonly region: number;
  readonly baseline: number;
  readonly ranks: number;
  readonly ties: number;
  readonly region_median: number;
  readonly baseline_median: number;
  readonly distinct_values: number;
  readonly is_whole: boolean;
  /** Correlation with the time. */
  readonly rises: number;
}

/** A numeric series on both sides; of counters the rate per second. */
export interface PointFact extends SpreadFact {
  readonly series_id: number;
  readonly metric: string;
  readonly unit: string;
  /** `kind:id` */
  readonly entity: string;
  /** JSON object text, or ''. */
  readonly attributes: string;
  /** Reading of its samples: counters a rate per second, histograms and summaries the mean and quantiles of each collection. */
  readonly reading: 'value' | 'rate' | 'mean' | 'p50' | 'p95' | 'p99';
  readonly region: number;
  readonly baseline: number;
  readonly ranks: number;
  readonly ties: number;
  readonly region_median: number;
  readonly baseline_median: number;
  readonly baseline_mad: number;
  readonly baseline_min: number;
  readonly baseline_max: number;
  /** Samples of the baseline at least as far out as the region's median. */
  readonly beyond: number;
  readonly series_count: number;
}

/** A point of a histogram or summary on one of both sides; some are left out where there are many. */
export interface HistogramPointFact extends Pick<PointFact, 'series_id' | 'metric' | 'unit' | 'entity' | 'attributes'> {
  readonly kind: 'histogram' | 'exponential_histogram' | 'summary';
  readonly temporality: number;
  readonly inside: boolean;
  /** No point of its side is left out. */
  readonly is_complete: boolean;
  readonly start_ns: bigint;
  readonly time_ns: bigint;
  readonly count: number;
  /** JSON object text. */
  readonly detail: string;
  /** Histograms and summaries with enough points on both sides. */
  readonly series_count: number;
}

/** Value of a series in the time of a region, in the mean; of counters the rate per second. */
export interface PeerFact extends Pick<PointFact, 'series_id' | 'metric' | 'unit' | 'attributes' | 'reading'> {
  readonly kind: EntityKind;
  /** Canonical. */
  readonly entity: number;
  /** Whether it is a series of the region's entities. */
  readonly inside: boolean;
  readonly value: number;
}

/** A type, entity or severity of events; '' the sums over all. */
export interface EventValueFact {
  readonly dim: 'type' | 'entity' | 'severity' | '';
  readonly value: string;
  readonly region: number;
  readonly baseline: number;
  readonly region_groups: number;
  readonly baseline_groups: number;
  readonly squares: number;
  readonly products: number;
}

export interface ResourceFact {
  readonly resource_id: number;
  /** As recorded; -1 if it names no entity. */
  readonly entity: number;
  /** JSON object text. */
  readonly attributes: string;
}

/** What is compared between a region and its baseline; answers are sums, never rows. */
export interface DifferenceReader {
  spanCounts(filter: DifferenceFilter): Promise<Counted>;
  /** @param idHalves which of a trace's id draw it by lot; both cost reading all attributes, where the lower does not */
  spans(
    sides: DifferenceFilter,
    shares: Shares,
    leastGroups: number,
    idHalves: 'lower' | 'both',
  ): Promise<(SpanValueFact | SpanNumberFact)[]>;
  pointCounts(sides: DifferenceFilter): Promise<Counted>;
  points(sides: DifferenceFilter, shares: Shares): Promise<PointFact[]>;
  /** By series and time. @param points of a series and side at most @param series at most */
  histogramPoints(sides: DifferenceFilter, points: number, series: number): Promise<HistogramPointFact[]>;
  peers(sides: DifferenceFilter, shares: Shares): Promise<PeerFact[]>;
  eventValues(sides: DifferenceFilter): Promise<EventValueFact[]>;
  resources(): Promise<ResourceFact[]>;
  /** Attributes of entities, as JSON texts. */
  entityAttributes(): Promise<{ readonly entity_id: number; readonly attributes: string }[]>;
}

type RunQuery = <T>(sql: string, values?: readonly SqlValue[]) => Promise<T[]>;

const times = (filter: DifferenceFilter) =>
  [filter.region_from_ns, filter.region_to_ns, filter.baseline_from_ns, filter.baseline_to_ns] as const;
const listed = (ids: readonly number[] | undefined): string => (ids === undefined ? 'all' : listText(ids));

/** Parameters of the queries that begin with difference-sample.sql bind them. */
export const spanFilterValues = (sides: DifferenceFilter): SqlValue[] => [
  ...times(sides),
  listed(sides.members?.services),
  listText(sides.members?.resources ?? []),
  sides.took_from_ns,
  sides.took_below_ns,
  sides.span_name,
  sides.is_rest,
];
const shareValues = ({ region, baseline }: Shares): SqlValue[] => [BigInt(region), BigInt(baseline)];

/** Parameters of the queries that begin with difference-point-sample.sql bind them. */
const pointSampleValues = (sides: DifferenceFilter, shares: Shares): SqlValue[] => [
  ...times(sides),
  listed(sides.members?.entities),
  sides.is_rest,
  ...shareValues(shares),
];

export function createDifferenceReader(runQuery: RunQuery): DifferenceReader {
  /** @param values parameters after the two times */
  const counts = async (
    sides: DifferenceFilter,
    sql: string,
    values: readonly SqlValue[],
    tables: readonly string[],
  ) => {
    const own = [sides.region_from_ns, sides.region_to_ns] as const;
    const isAllElse = sides.is_rest && sides.baseline_to_ns > sides.region_to_ns;
    const [found] = await runQuery<Counted>(sql, [...(isAllElse ? [...own, ...own] : times(sides)), ...values]);
    const { region, baseline } = found ?? { region: 0, baseline: 0 };
    if (!isAllElse) return { region, baseline };
    // All others are counted without a scan.
    const rows = tables.map((table) => `(select count(*) from ${table})`).join(' + ');
    const [all] = await runQuery<{ rows: number }>(`select (${rows})::double as rows`);
    return { region, baseline: (all?.rows ?? 0) - region };
  };
  return {
    spanCounts: (sides) => counts(sides, queries.differenceSpanCount, spanFilterValues(sides).slice(4), ['span']),
    spans: (sides, shares, least, idHalves) => {
      const sql = queries.differenceSpans;
      const drawn = idHalves === 'lower' ? sql : sql.replaceAll('hash(s.trace_lo)', 'hash(s.trace_hi, s.trace_lo)');
      return runQuery(drawn, [...spanFilterValues(sides), ...shareValues(shares), BigInt(least)]);
    },
    pointCounts: (sides) =>
      counts(
        sides,
        queries.differencePointCount,
        [listed(sides.members?.entities), sides.is_rest],
        ['point', 'distribution'],
      ),
    points: (sides, shares) => runQuery(queries.differencePoints, pointSampleValues(sides, shares)),
    histogramPoints: (sides, points, series) =>
      runQuery(queries.differenceHistograms, [
        ...times(sides),
        listed(sides.members?.entities),
        sides.is_rest,
        BigInt(points),
        BigInt(series),
      ]),
    peers: (sides, shares) => runQuery(queries.differencePeers, pointSampleValues(sides, shares)),
    eventValues: (sides) =>
      runQuery(queries.differenceEvents, [...times(sides), listed(sides.members?.entities), sides.is_rest]),
    resources: () => runQuery(queries.resources),
    entityAttributes: () => runQuery('select entity_id, attributes from entity where attributes is not null'),
  };
}
