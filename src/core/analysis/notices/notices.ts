import type { EntityKind } from '../../../model/entity.ts';
import type { MetricName } from '../../../model/telemetry/metric.ts';
import type { NoticeReader, RecentBlock } from '../../store/facts/reader.ts';
import { type Limit, limitAhead, limitKinds } from './limits.ts';
import { notices } from './parameters.ts';
import { type Trend, trendOf } from './trend.ts';

/** A metric that heads for its limit if the trend continues. */
export interface Notice {
  readonly series_id: number;
  readonly metric: string;
  readonly unit: string;
  readonly entity_kind: EntityKind;
  readonly entity_id: string;
  readonly value: number;
  readonly limit: number;
  /** `its upper critical limit`. */
  readonly limit_name: string;
  readonly slope_per_s: number;
  /** Time to the limit with its 95 % interval; `latest_s` is null if unbounded. */
  readonly breach_s: number;
  readonly earliest_s: number;
  readonly latest_s: number | null;
  /** Of the evaluated samples. */
  readonly stretch_s: number;
}

/** Lengths of trends, ascending, seconds. */
const stretches_s = (): readonly number[] => [
  notices.newTrendSeconds,
  notices.youngTrendSeconds,
  notices.lastingTrendSeconds,
  notices.slowTrendSeconds,
];
const metrics = Object.keys(limitKinds) as MetricName[];
const stating = Object.values(limitKinds).flatMap(({ stated }) => stated ?? []);

/** Metrics that head for a limit at a time of the case, soonest first. Reads only. */
export async function findNotices(reader: NoticeReader, at_ns: bigint): Promise<Notice[]> {
  const blocks = await reader.recentBlocks([...metrics, ...stating], at_ns, stretches_s());
  const stated = new Map<string, number>();
  for (const { metric, entity, value } of blocks) stated.set(`${entity} ${metric}`, value);
  const bySeries = Map.groupBy(blocks, ({ series_id }) => series_id);
  return [...bySeries.values()]
    .flatMap((own) => noticeOf(own, (metric) => stated.get(`${own[0]?.entity} ${metric}`)) ?? [])
    .sort((a, b) => a.breach_s - b.breach_s || a.series_id - b.series_id);
}

function noticeOf(own: readonly RecentBlock[], stated: (metric: string) => number | undefined): Notice | undefined {
  const [about] = own;
  const kind = about && limitKinds[about.metric as MetricName];
  if (!kind || (kind.kinds && !kind.kinds.includes(about.entity_kind))) return undefined;
  const byStretch = Map.groupBy(own, ({ seconds }) => seconds);
  for (const stretch_s of stretches_s()) {
    const blocks = byStretch.get(stretch_s) ?? [];
    const trend = trendOf(
      blocks.map(({ at_s }) => at_s),
      blocks.map(({ value }) => value),
    );
    if (!trend || Math.abs(trend.score) < notices.leastScore) continue;
    const limit = limitAhead(kind, about.attributes, trend.level, kind.stated && stated(kind.stated));
    const times = limit && breach(trend, limit);
    if (!limit || !times) return undefined;
    if (times.breach_s > notices.mostReach * stretch_s || hasBeenThere(own, trend, stretch_s)) continue;
    const { series_id, metric, unit, entity_kind, entity_id } = about;
    return {
      ...{ series_id, metric, unit, entity_kind, entity_id, stretch_s, ...times },
      ...{ value: trend.level, limit: limit.value, limit_name: limit.name, slope_per_s: trend.slope_per_s },
    };
  }
  return undefined;
}

/**
 * A fluctuation is no trend: the current value was also reached within four times the length, or was only a quarter of the
 * present change away.
 */
function hasBeenThere(own: readonly RecentBlock[], { slope_per_s }: Trend, stretch_s: number): boolean {
  const now = own.findLast(({ seconds }) => seconds === stretch_s)?.value ?? Number.NaN;
  const before = now - notices.fluctuationShare * slope_per_s * stretch_s;
  return own.some(
    ({ at_s, value }) =>
      at_s < -stretch_s && at_s > -notices.mostReach * stretch_s && (value - before) * Math.sign(slope_per_s) >= 0,
  );
}

/** undefined: not on its way there. */
function breach(
  { slope_per_s, slope_low_per_s, slope_high_per_s, level }: Trend,
  { value, way }: Limit,
): Pick<Notice, 'breach_s' | 'earliest_s' | 'latest_s'> | undefined {
  const distance = value - level;
  const [fast, slow] = way === 'rising' ? [slope_high_per_s, slope_low_per_s] : [slope_low_per_s, slope_high_per_s];
  if (!(distance / slope_per_s > 0)) return undefined;
  const latest_s = distance / slow;
  return {
    breach_s: distance / slope_per_s,
    earliest_s: distance / fast,
    latest_s: latest_s > 0 && Number.isFinite(latest_s) ? latest_s : null,
  };
}
