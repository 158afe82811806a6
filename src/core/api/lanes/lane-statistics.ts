import type { LaneStatistics, Parsed } from '../../../model/contract/index.ts';
import type { Session } from '../../../model/storage/engine.ts';
import { rowsOf } from '../../store/case-file/case-file.ts';
import { listText } from '../../store/list-text.ts';
import { queries } from '../../store/queries/index.ts';
import { type Episodes, readEpisodes } from './episodes.ts';
import type { LaneCatalog } from './lane-catalog.ts';
import { queryStatistics } from './lane-queries.ts';
import { type Figures, type LaneTarget, type LaneTargetOf, quantiles } from './lane-target.ts';

const nothing: Figures = { count: 0, min: null, mean: null, p95: null, max: null };

/** Statistics queries, and their parameters by lane. */
const measuring: readonly {
  readonly sql: string;
  readonly partsOf: (target: LaneTarget) => readonly Readonly<Record<string, number>>[];
}[] = [
  {
    sql: queries.statisticsMetrics,
    partsOf: (target) =>
      target.kind === 'metric' || target.kind === 'state' ? target.series.map((series) => ({ series })) : [],
  },
  {
    sql: queries.statisticsHistograms,
    partsOf: (target) =>
      target.kind === 'quantile'
        ? target.series.map((series) => ({ series, place: quantiles.indexOf(target.quantile) + 1 }))
        : [],
  },
  {
    sql: queries.statisticsSpans,
    partsOf: (target) => (target.kind === 'spans' ? target.services.map((service) => ({ service })) : []),
  },
  {
    sql: queries.statisticsLogs,
    partsOf: (target) => (target.kind === 'logs' ? target.resources.map((resource) => ({ resource })) : []),
  },
  {
    sql: queries.statisticsCollectives,
    partsOf: (target) => (target.kind === 'collectives' ? target.ranks.map((rank) => ({ rank })) : []),
  },
];

/** Figures of each lane within a time, in the order of `input.lanes`; lanes that there are not have none. */
export async function readStatistics(
  session: Session,
  catalog: LaneCatalog,
  input: Parsed<'timeline.statistics'>,
  signal?: AbortSignal,
): Promise<LaneStatistics[]> {
  const targets = input.lanes.map((lane) => catalog.targets.get(lane));
  const window = [input.start_ns, input.end_ns] as const;
  const entities = targets.flatMap((target) => (target?.kind === 'events' ? [target.entity] : []));
  const happened = rowsOf<{ readonly entity: number; readonly count: number }>(
    await session.query(queries.statisticsEvents, [...window, listText(entities)], signal),
  );
  const byLane = new Map<number, Figures>();
  for (const { sql, partsOf } of measuring) {
    const parts = targets.flatMap((target, lane) => (target ? partsOf(target).map((part) => ({ lane, ...part })) : []));
    if (parts.length === 0) continue;
    const found = rowsOf<Figures & { readonly lane: number }>(
      await session.query(sql, [...window, listText(parts)], signal),
    );
    for (const { lane, ...figures } of found) byLane.set(lane, figures);
  }
  for (const [lane, target] of targets.entries())
    if (target?.kind === 'query') byLane.set(lane, (await queryStatistics(session, target, input, signal)) ?? nothing);
  const episodeTargets = targets.filter((target) => target?.kind === 'episodes');
  const began: Found['began'] = await readEpisodes(session, episodeTargets, signal);
  const byEntity = new Map(happened.map(({ entity, count }) => [entity, count]));
  const seconds = Number(input.end_ns - input.start_ns) / 1e9;
  return input.lanes.map((lane, at) => {
    const target = targets[at];
    const figures = figuresOf(target, at, { byLane, byEntity, began, input });
    return { lane, ...figures, per_second: seconds > 0 ? figures.count / seconds : null };
  });
}

interface Found {
  readonly byLane: ReadonlyMap<number, Figures>;
  readonly byEntity: ReadonlyMap<number, number>;
  readonly began: (target: LaneTargetOf<'episodes'>) => Episodes;
  readonly input: Parsed<'timeline.statistics'>;
}

function figuresOf(target: LaneTarget | undefined, lane: number, { byLane, byEntity, began, input }: Found): Figures {
  switch (target?.kind) {
    case 'metric':
    case 'quantile':
    case 'spans':
    case 'logs':
    case 'collectives':
    case 'query':
      return byLane.get(lane) ?? nothing;
    // The mean of codes is meaningless; the number of samples shows the coverage.
    case 'state':
      return { ...nothing, count: byLane.get(lane)?.count ?? 0 };
    case 'episodes':
      return { ...nothing, count: began(target).filter(({ from_ns }) => isInside(from_ns, input)).length };
    case 'events':
      return { ...nothing, count: byEntity.get(target.entity) ?? 0 };
    case 'measured': {
      const column = target.measurements[target.field];
      const inside = target.measurements.time_ns.flatMap((time, i) => (isInside(time, input) ? [column[i]!] : []));
      return summarise(inside.filter((value) => !Number.isNaN(value)));
    }
    // Its values are of buckets, which are as long as the timeline makes them.
    case 'search':
    case undefined:
      return nothing;
  }
}

const isInside = (time: bigint, { start_ns, end_ns }: Found['input']): boolean => time >= start_ns && time <= end_ns;

/** As `quantile_cont` has it: between the two nearest values. */
function summarise(values: readonly number[]): Figures {
  if (values.length === 0) return nothing;
  const sorted = values.toSorted((a, b) => a - b);
  const place = 0.95 * (sorted.length - 1);
  const [low, high] = [sorted[Math.floor(place)]!, sorted[Math.ceil(place)]!];
  return {
    count: sorted.length,
    min: sorted[0]!,
    mean: sorted.reduce((sum, value) => sum + value, 0) / sorted.length,
    p95: low + (high - low) * (place % 1),
    max: sorted.at(-1)!,
  };
}
