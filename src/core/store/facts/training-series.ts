import {
  type KnownTrainingMetric,
  type TrainingMeaning,
  trainingMetric,
} from '../../../model/telemetry/training-metrics.ts';
import { queries } from '../queries/index.ts';
import type { RunQuery } from './software-facts.ts';

/** The metrics of training programs among those of the case that mean one of these, as a JSON list for a query; null: there are none. */
export async function trainingSeries(runQuery: RunQuery, meanings: readonly TrainingMeaning[]): Promise<string | null> {
  const names = await runQuery<Pick<KnownTrainingMetric, 'metric' | 'unit'>>(queries.metricNames);
  const known = names
    .map(({ metric, unit }) => trainingMetric(metric, unit))
    .filter((one) => one !== undefined && meanings.includes(one.means));
  return known.length === 0 ? null : JSON.stringify(known);
}

export const STEPS: readonly TrainingMeaning[] = ['steps', 'step_time'];
/** What counts steps, for queries that read no times of steps. */
export const COUNTS: readonly TrainingMeaning[] = ['steps'];

/** Answers of a query that seeks the series of steps, whose list is the first value; nothing where the case has none of these. */
export async function ofSteps<T>(
  runQuery: RunQuery,
  sql: string,
  values: Parameters<RunQuery>[1] = [],
  meanings = STEPS,
): Promise<T[]> {
  const known = await trainingSeries(runQuery, meanings);
  return known === null ? [] : runQuery<T>(sql, [known, ...values]);
}
