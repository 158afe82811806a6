import type { JobMeasure } from '../../../model/contract/index.ts';
import type { Session, SqlResult, SqlValue } from '../../../model/storage/engine.ts';
import type { JobRank, TrainingJob } from '../../analysis/jobs/job.ts';
import { loopNames } from '../../analysis/patterns/training/training-spans.ts';
import { numbersOf } from '../../store/case-file/case-file.ts';
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

/** Values of the ranks of a job, rank by rank; NaN: nothing was recorded. */
export async function readCells(
  session: Session,
  { job, ranks, measure, window }: Asked,
  signal?: AbortSignal,
): Promise<Float64Array<ArrayBuffer>> {
  const { start_ns, end_ns, buckets } = window;
  const cells = new HeatCells(ranks.length, buckets);
  const origin = job.first_ns ?? start_ns;
  for (const [at, one] of questions(job, ranks, measure).entries()) {
    const ask = async (sql: string, within: HeatWindow): Promise<SqlResult> =>
      session.query(
        sql,
        [...one.first, within.start_ns, within.end_ns, within.buckets, JSON.stringify(one.sought), ...one.last],
        signal,
      );
    const all = { start_ns: origin, end_ns: origin + 1n, buckets: 1 };
    const kept = await keptIntervals(job, `${measure} ${at}`, () => ask(one.intervals, all));
    if (kept) cells.addIntervals(kept, Number(start_ns - origin) / 1e9, Number(end_ns - origin) / 1e9);
    else cells.addSums(columnsOf(await ask(one.cells, window), sumColumns));
  }
  return measure === 'step' ? cells.means() : cells.shares();
}

interface Question {
  readonly intervals: string;
  readonly cells: string;
  readonly first: readonly SqlValue[];
  readonly last: readonly SqlValue[];
  readonly sought: readonly object[];
}

function questions({ operation_ns }: TrainingJob, ranks: readonly JobRank[], measure: JobMeasure): Question[] {
  if (measure === 'wait') {
    const sought = ranks.map(({ entity }, row) => ({ entity, rank: '', job: '', place: '', row }));
    const { rankWaitIntervals: intervals, rankWaitCells: cells } = queries;
    return [{ intervals, cells, first: [], last: [operation_ns ?? 0n], sought }];
  }
  const { steps, loads, evaluations, loaders } = loopNames;
  const from = (kind: 'spans' | 'lines') =>
    ranks.flatMap(({ stepsFrom, processes }, row) =>
      stepsFrom === kind ? processes.map(({ entity, rank, job, place }) => ({ entity, rank, job, place, row })) : [],
    );
  const { spanStepIntervals, spanStepCells, lineStepIntervals, lineStepCells } = queries;
  return [
    {
      intervals: spanStepIntervals,
      cells: spanStepCells,
      first: [steps, loads, evaluations, loaders],
      last: [],
      sought: from('spans'),
    },
    { intervals: lineStepIntervals, cells: lineStepCells, first: [''], last: [], sought: from('lines') },
  ].filter(({ sought }) => sought.length > 0);
}

/** Intervals of a job; a job is another one once rows of the case have changed. null: too many to be kept. */
const kept = new WeakMap<TrainingJob, Map<string, Intervals | null>>();

/** Kept, so that moving the window reads nothing again. null: too many of them. */
async function keptIntervals(job: TrainingJob, key: string, ask: () => Promise<SqlResult>): Promise<Intervals | null> {
  const own = kept.get(job) ?? new Map<string, Intervals | null>();
  kept.set(job, own);
  const known = own.get(key);
  if (known !== undefined) return known;
  const answer = await ask();
  const found = answer.count > MOST_KEPT ? null : columnsOf(answer, intervalColumns);
  own.set(key, found);
  return found;
}

const intervalColumns = ['row', 'start_s', 'end_s', 'seconds'] as const satisfies (keyof Intervals)[];
const sumColumns = ['row', 'slice', 'share', 'weighted', 'opens', 'opened'] as const satisfies (keyof CellSums)[];

const columnsOf = <K extends string>(answer: SqlResult, names: readonly K[]): Record<K, Float64Array> =>
  Object.fromEntries(names.map((name) => [name, numbersOf(answer, name)])) as Record<K, Float64Array>;
