import type { Reader, StepBucketFact } from '../../store/facts/reader.ts';
import { loopNames } from '../patterns/training/training-spans.ts';
import type { Measurements } from './measurement-table.ts';
import { impact } from './parameters.ts';
import { ofPart } from './request-buckets.ts';

/** The steps of training jobs that their spans show, by interval. */
export interface SpanSteps {
  /** Of the process of each job with the most steps: all do the same ones. */
  readonly whole: readonly StepBucketFact[];
  /** Of the processes of jobs with several. */
  readonly processes: readonly Measurements[];
}

const limits = () => ({ steps: impact.leastSteps, processes: impact.mostProcesses });

/** Facts ascend by service, process and time. */
export async function readSpanSteps(reader: Reader): Promise<SpanSteps> {
  const facts = await reader.serviceSpanSteps(loopNames, limits());
  const jobs = byProcess(facts);
  return {
    whole: jobs.flatMap((processes) => processes.reduce((most, one) => (stepsIn(one) > stepsIn(most) ? one : most))),
    processes: ofSeveral(jobs),
  };
}

/** The ranks of jobs whose log lines state what their steps took. */
export const readLoggedRanks = async (reader: Reader): Promise<Measurements[]> =>
  ofSeveral(byProcess(await reader.serviceLogRanks(limits())));

/** The ranks of jobs whose metrics state it. */
export const readMeasuredRanks = async (reader: Reader): Promise<Measurements[]> =>
  ofSeveral(byProcess(await reader.serviceMetricRanks(limits())));

/** Each of these jobs by its rank with the most steps. How many a gauge of their time does not show is unknown. */
export async function readMeasuredJobs(reader: Reader): Promise<Measurements[]> {
  const jobs = Map.groupBy(await readMeasuredRanks(reader), ({ service }) => service);
  const steps = ({ requests }: Measurements): number => requests.reduce((sum, count) => sum + count, 0);
  return [...jobs.values()].map((ranks) => {
    const { part: _, ...whole } = ranks.reduce((most, one) => (steps(one) > steps(most) ? one : most));
    return whole;
  });
}

const byProcess = (facts: readonly StepBucketFact[]): StepBucketFact[][][] =>
  [...Map.groupBy(facts, ({ service }) => service).values()].map((rows) => [
    ...Map.groupBy(rows, ({ name }) => name).values(),
  ]);

const ofSeveral = (jobs: readonly StepBucketFact[][][]): Measurements[] =>
  jobs.flatMap((processes) => (processes.length < 2 ? [] : processes.map(ofProcess)));

const stepsIn = (rows: readonly StepBucketFact[]): number => rows.reduce((sum, { requests }) => sum + requests, 0);

const ofProcess = (rows: readonly StepBucketFact[]): Measurements => ({
  ...ofPart(rows.map((row) => ({ ...row, part: row.name.startsWith('rank-') ? 'rank' : 'replica' }))),
  from: 'steps',
});
