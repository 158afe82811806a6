import type { JobHeat, JobMeasure, JobRankView, Parsed } from '../../../model/contract/index.ts';
import type { Session } from '../../../model/storage/engine.ts';
import type { JobRank, JobStall, RankPlace, TrainingJob } from '../../analysis/jobs/job.ts';
import { median } from '../../analysis/statistics.ts';
import { numbersOf } from '../../store/case-file/case-file.ts';
import { queries } from '../../store/queries/index.ts';
import type { HeatWindow } from './heat-cells.ts';
import { readCells } from './read-cells.ts';

/** A pixel of a row each, on a screen of double resolution the tallest canvas that browsers draw. */
const MOST_RANKS = 8192;
/** Of an answer, 3 MB: of 4,096 ranks about a hundred buckets, each ten pixels wide; a shorter window shows more. */
const MOST_CELLS = 400_000;
const MOST_MARKS = 2000;

/** The ranks of a job over a time. */
export async function readHeat(
  session: Session,
  job: TrainingJob,
  input: Parsed<'jobs.heat'>,
  signal?: AbortSignal,
): Promise<JobHeat> {
  const { start_ns, end_ns } = input;
  const ranks = job.ranks.slice(0, MOST_RANKS);
  const buckets = Math.max(1, Math.min(input.buckets, Math.floor(MOST_CELLS / Math.max(1, ranks.length))));
  const measures: JobMeasure[] = [
    ...(ranks.some(({ stepsFrom }) => stepsFrom !== null) ? ['step' as const] : []),
    ...(job.operation_ns === null ? [] : ['wait' as const]),
  ];
  const measure = measures.find((one) => one === input.measure) ?? measures[0] ?? null;
  const window = { start_ns, end_ns, buckets };
  const values =
    measure === null
      ? new Float64Array(ranks.length * buckets).fill(Number.NaN)
      : await readCells(session, { job, ranks, measure, window }, signal);
  const inWindow = job.marks.filter((mark) => mark.end_ns >= start_ns && mark.start_ns <= end_ns);
  return {
    id: job.id,
    ranks: ranks.map(rankView),
    ranks_total: job.ranks.length,
    buckets,
    measures,
    measure,
    values,
    usual: medians(values, buckets),
    operations:
      job.operation_ns === null ? new Float64Array(buckets) : await readOperations(session, ranks, window, signal),
    stalls: job.stalls.map((stall) => stallView(stall, job.operation_ns)),
    marks: thinned(inWindow, MOST_MARKS).map((mark) => ({ ...mark })),
    marks_total: inWindow.length,
  };
}

function rankView({ entityKey, name, runsOn, processes, first_ns, last_ns }: JobRank): JobRankView {
  const numbers = processes.flatMap(({ last_step }) => last_step ?? []);
  return {
    entity: entityKey,
    name,
    ...placeView(runsOn),
    steps: processes.some(({ steps }) => steps === null)
      ? null
      : processes.reduce((sum, { steps }) => sum + (steps ?? 0), 0),
    last_step: numbers.length === 0 ? null : Math.max(...numbers),
    usual_s: processes.length === 0 ? null : median(processes.map(({ usual_s }) => usual_s)),
    first_ns,
    last_ns,
  };
}

/** Where a rank runs, for the contract. */
export const placeView = ({ gpus, hosts, racks }: RankPlace) => ({
  gpus: [...gpus],
  hosts: [...hosts],
  racks: [...racks],
});

/** One that nothing ends lasts until the last record of the job's operations. */
const stallView = ({ from_ns, to_ns, wentOn }: JobStall, last_ns: bigint | null): JobHeat['stalls'][number] => ({
  from_ns,
  to_ns: !wentOn && last_ns !== null && last_ns > to_ns ? last_ns : to_ns,
  went_on: wentOn,
});

/** Evenly spread over the list. */
const thinned = <T>(list: readonly T[], most: number): readonly T[] =>
  list.length <= most ? list : Array.from({ length: most }, (_, at) => list[Math.floor((at * list.length) / most)]!);

/** Of the rows with steps, in each bucket; NaN: none has any. */
function medians(values: Float64Array, buckets: number): Float64Array<ArrayBuffer> {
  const column = new Float64Array(values.length / buckets);
  return Float64Array.from({ length: buckets }, (_, bucket) => {
    let known = 0;
    for (let at = bucket; at < values.length; at += buckets)
      if (Number.isFinite(values[at])) column[known++] = values[at]!;
    const sorted = column.subarray(0, known).sort();
    const middle = known >> 1;
    return known === 0 ? Number.NaN : known % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
  });
}

/** Collective operations that were completed in each bucket. */
async function readOperations(
  session: Session,
  ranks: readonly JobRank[],
  { start_ns, end_ns, buckets }: HeatWindow,
  signal?: AbortSignal,
): Promise<Float64Array<ArrayBuffer>> {
  const members = JSON.stringify(ranks.flatMap(({ entities }) => entities));
  const answer = await session.query(queries.jobOperations, [start_ns, end_ns, buckets, members], signal);
  const counts = new Float64Array(buckets);
  const [slices, operations] = [numbersOf(answer, 'slice'), numbersOf(answer, 'operations')];
  for (const [at, slice] of slices.entries()) if (slice < buckets) counts[slice] = operations[at]!;
  return counts;
}
