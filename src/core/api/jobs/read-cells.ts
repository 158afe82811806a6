import type { JobMeasure } from '../../../model/contract/index.ts';
import type { Session, SqlResult, SqlValue } from '../../../model/storage/engine.ts';
import type { JobRank, TrainingJob } from '../../analysis/jobs/job.ts';
import { loopNames } from '../../analysis/patterns/training/training-spans.ts';
import { numbersOf } from '../../store/case-file/case-file.ts';
import { createReader } from '../../store/facts/reader.ts';
import { queries } from '../../store/queries/index.ts';
import { type CellSums, HeatCells, type HeatWindow, type Intervals } from './heat-cells.ts';

/** As drawn-intervals.sql has them at most: 64 MB. */
const MOST_KEPT = 2_000_000;

interface Asked {
  readonly job: TrainingJob;
  readonly ranks: readonly JobRank[];
  readonly measure: JobMeasure;
  readonly window: HeatWindow;
}

/** Values of the ranks of a job, rank by rank; Infinity: a counter shows that no step was completed; NaN: nothing was recorded. */
export async function readCells(
  session: Session,
  { job, ranks, measure, window }: Asked,
  signal?: AbortSignal,
): Promise<Float64Array<ArrayBuffer>> {
  const cells = new HeatCells(ranks.length, window.buckets);
  const query: Query = (sql, { first, sought, last }, { start_ns, end_ns, buckets } = window) =>
    session.query(sql, [...first, start_ns, end_ns, buckets, JSON.stringify(sought), ...last], signal);
  const add = async (sql: string, values: Values): Promise<void> =>
    cells.addSums(columnsOf(await query(sql, values), sumColumns));
  if (measure === 'wait') {
    const values = waitValues(job, ranks);
    const kept = await keptWaits(job, () => query(queries.rankWaitIntervals, values, { ...window, buckets: 1 }));
    if (kept) cells.addIntervals(kept, window);
    else await add(queries.rankWaitCells, values);
    return cells.shares();
  }
  for (const one of ranks.flatMap(stepIntervals)) cells.addIntervals(one, window);
  for (const one of ranks.flatMap(stoodTimes)) cells.addStood(one, window);
  const { steps, loads, evaluations, loaders } = loopNames;
  const [spans, lines, metrics] = [unlisted(ranks, 'spans'), unlisted(ranks, 'lines'), unlisted(ranks, 'metrics')];
  if (spans.length > 0)
    await add(queries.spanStepCells, { first: [steps, loads, evaluations, loaders], sought: spans, last: [] });
  if (lines.length > 0) await add(queries.lineStepCells, { first: [''], sought: lines, last: [] });
  if (metrics.length > 0) {
    const known = await createReader(session, signal).stepMetrics();
    await add(queries.metricStepCells, { first: [known], sought: metrics, last: [] });
  }
  return cells.means();
}

/** Of a query about rows: what it has before and after the window and the rows that it seeks. */
interface Values {
  readonly first: readonly SqlValue[];
  readonly sought: readonly object[];
  readonly last: readonly SqlValue[];
}
type Query = (sql: string, values: Values, window?: HeatWindow) => Promise<SqlResult>;

const waitValues = ({ operation_ns }: TrainingJob, ranks: readonly JobRank[]): Values => ({
  first: [],
  sought: ranks.flatMap(({ entities }, row) =>
    entities.map((entity) => ({ entity, rank: '', job: '', place: '', row })),
  ),
  last: [operation_ns ?? 0n],
});

/** The steps that were listed with the processes of a row. */
const stepIntervals = ({ processes }: JobRank, row: number): Intervals[] =>
  processes.flatMap(({ starts_s, ends_s, lengths_s }) =>
    starts_s && ends_s && lengths_s ? [{ row, start_s: starts_s, end_s: ends_s, seconds: lengths_s }] : [],
  );

/** Times in which the counters of a row did not grow. */
const stoodTimes = ({ processes }: JobRank, row: number): Omit<Intervals, 'seconds'>[] =>
  processes.flatMap(({ stood_from_s, stood_until_s }) =>
    stood_from_s && stood_until_s ? [{ row, start_s: stood_from_s, end_s: stood_until_s }] : [],
  );

/** Processes whose steps are too many to be listed. */
const unlisted = (ranks: readonly JobRank[], from: JobRank['stepsFrom']): object[] =>
  ranks.flatMap(({ stepsFrom, processes }, row) =>
    (stepsFrom === from ? processes : [])
      .filter(({ starts_s }) => starts_s === null)
      .map(({ entity, rank, job, place }) => ({ entity, rank, job, place, row })),
  );

/** Of a job, which is another one once rows of the case have changed. null: too many to be kept. */
const kept = new WeakMap<TrainingJob, Intervals | null>();

/** Kept, so that moving the window reads nothing again. null: too many of them. */
async function keptWaits(job: TrainingJob, read: () => Promise<SqlResult>): Promise<Intervals | null> {
  const known = kept.get(job);
  if (known !== undefined) return known;
  const answer = await read();
  const found = answer.count > MOST_KEPT ? null : columnsOf(answer, intervalColumns);
  kept.set(job, found);
  return found;
}

const intervalColumns = ['row', 'start_s', 'end_s', 'seconds'] as const satisfies (keyof Intervals)[];
const sumColumns = ['row', 'slice', 'share', 'weighted', 'opens', 'opened'] as const satisfies (keyof CellSums)[];

const columnsOf = <K extends string>(answer: SqlResult, names: readonly K[]): Record<K, Float64Array> =>
  Object.fromEntries(names.map((name) => [name, numbersOf(answer, name)])) as Record<K, Float64Array>;
