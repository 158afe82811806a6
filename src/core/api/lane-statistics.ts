import type { LaneStatistics, Parsed } from '../../model/contract/index.ts';
import type { Session } from '../../model/engine.ts';
import { rowsOf } from '../store/case-file.ts';
import { questions } from '../store/questions/index.ts';
import type { LaneCatalog, LaneTarget } from './lane-catalog.ts';

type Figures = Omit<LaneStatistics, 'lane' | 'per_second'>;
const nothing: Figures = { count: 0, min: null, mean: null, p95: null, max: null };

/** Figures of each lane within a time, in the order of `input.lanes`; lanes that there are not have none. */
export async function readStatistics(
  session: Session,
  catalog: LaneCatalog,
  input: Parsed<'timeline.statistics'>,
  signal?: AbortSignal,
): Promise<LaneStatistics[]> {
  const targets = input.lanes.map((lane) => catalog.targets.get(lane));
  const window = [input.start_ns, input.end_ns] as const;
  const series = targets.flatMap((target, lane) =>
    target?.kind === 'metric' ? target.series.map((one) => ({ lane, series: one })) : [],
  );
  const entities = targets.flatMap((target) => (target?.kind === 'events' ? [target.entity] : []));
  const sampled = rowsOf<Figures & { readonly lane: number }>(
    await session.query(questions.statisticsMetrics, [...window, JSON.stringify(series)], signal),
  );
  const happened = rowsOf<{ readonly entity: number; readonly count: number }>(
    await session.query(questions.statisticsEvents, [...window, JSON.stringify(entities)], signal),
  );
  const bySample = new Map(sampled.map(({ lane, ...figures }) => [lane, figures]));
  const byEntity = new Map(happened.map(({ entity, count }) => [entity, count]));
  const seconds = Number(input.end_ns - input.start_ns) / 1e9;
  return input.lanes.map((lane, at) => {
    const target = targets[at];
    const figures = figuresOf(target, at, { bySample, byEntity, input });
    return { lane, ...figures, per_second: seconds > 0 ? figures.count / seconds : null };
  });
}

interface Found {
  readonly bySample: ReadonlyMap<number, Figures>;
  readonly byEntity: ReadonlyMap<number, number>;
  readonly input: Parsed<'timeline.statistics'>;
}

function figuresOf(target: LaneTarget | undefined, lane: number, { bySample, byEntity, input }: Found): Figures {
  switch (target?.kind) {
    case 'metric':
      return bySample.get(lane) ?? nothing;
    case 'events':
      return { ...nothing, count: byEntity.get(target.entity) ?? 0 };
    case 'measured': {
      const column = target.measurements[target.field];
      const inside = target.measurements.time_ns.flatMap((time, i) =>
        time >= input.start_ns && time <= input.end_ns ? [column[i] as number] : [],
      );
      return summarise(inside.filter((value) => !Number.isNaN(value)));
    }
    case undefined:
      return nothing;
  }
}

/** As `quantile_cont` has it: between the two nearest values. */
function summarise(values: readonly number[]): Figures {
  if (values.length === 0) return nothing;
  const sorted = values.toSorted((a, b) => a - b);
  const place = 0.95 * (sorted.length - 1);
  const [low, high] = [sorted[Math.floor(place)] as number, sorted[Math.ceil(place)] as number];
  return {
    count: sorted.length,
    min: sorted[0] as number,
    mean: sorted.reduce((sum, value) => sum + value, 0) / sorted.length,
    p95: low + (high - low) * (place % 1),
    max: sorted.at(-1) as number,
  };
}
