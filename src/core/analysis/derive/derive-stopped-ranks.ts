import { rankId } from '../../../model/rank-name.ts';
import type { RowBatch, TableRows } from '../../../model/rows/rows.ts';
import type { DerivedEvent } from '../../../model/telemetry/derived-event.ts';
import { NO_DETAILS } from '../../../model/telemetry/event-details.ts';
import { trainingMetric } from '../../../model/telemetry/training-metrics.ts';
import { nanoseconds } from '../../../model/time.ts';
import type { Reader } from '../../store/facts/reader.ts';
import { impact } from '../impact/parameters.ts';

/**
 * Ranks whose counters of steps show that they stopped before all others of their job: one event each. Of ranks that all stopped at the
 * same step nothing shows which one the others wait for.
 */
export async function deriveStoppedRanks(reader: Reader): Promise<DerivedEvent[]> {
  const stopped = await reader.stoppedRanks(impact.leastStallSeconds);
  if (stopped.length === 0) return [];
  const names = new Map((await reader.entities()).map(({ entity_id, id }) => [entity_id, id]));
  const ranks = new Map((await reader.rankEntities()).map(({ entity_id, id }) => [id, entity_id]));
  return stopped.map(({ work, rank, metric, series_id, source_id, step, own_step, stopped_ns, ...job }) => {
    const own = ['', names.get(work) ?? ''].map((name) => ranks.get(rankId(Number(rank), name)));
    return {
      id: `derived:stopped:${series_id}`,
      source_id,
      time_ns: stopped_ns,
      entity: own[1] ?? own[0] ?? work,
      type: 'collective_stalled',
      severity: 'high',
      message: `rank ${rank} stopped at step ${own_step}, the other ${job.ranks - 1} ranks at step ${step} (${metric})`,
      details: NO_DETAILS,
      attributes: {
        reason: 'stopped_first',
        metric,
        step: own_step,
        derived_from: { table: 'point', series: series_id },
      },
    };
  });
}

interface Counter {
  value: number;
  /** Times of the sample with its last step, and of its last sample. */
  moved_ns: bigint;
  last_ns: bigint;
  isStill: boolean;
}

/** Of `SeriesRow.temporality`: growth since the last sample, which {@link deriveStoppedRanks} does not compare. */
const DELTA = 1;

/** Finds out from live samples when {@link deriveStoppedRanks} may have another answer: a counter of steps stands for long enough, or goes on. */
export class StepWatch {
  /** By series; undefined: no sample yet. */
  private readonly counters = new Map<number, Counter | undefined>();
  /** Whether a metric counts steps, by its name. */
  private readonly metrics = new Map<string, boolean>();
  private isChanged = false;

  /** @param series the case's numbers of the batch's series, which its points have already */
  take(batch: RowBatch, series: Int32Array): void {
    for (const [at, { metric, temporality }] of batch.series.entries())
      if (temporality !== DELTA && !this.counters.has(series[at]!) && this.countsSteps(metric))
        this.counters.set(series[at]!, undefined);
    const points = batch.tables.point as TableRows<'point'> | undefined;
    if (!points || this.counters.size === 0) return;
    const { series: of, time_ns, value } = points.columns;
    for (let at = 0; at < points.count; at++)
      if (this.counters.has(of[at]!) && Number.isFinite(value[at])) this.add(of[at]!, time_ns[at]!, value[at]!);
  }

  /** Batches name their series again and again, and there are few metrics. */
  private countsSteps(metric: string): boolean {
    const known = this.metrics.get(metric) ?? trainingMetric(metric, '')?.means === 'steps';
    this.metrics.set(metric, known);
    return known;
  }

  private add(series: number, time_ns: bigint, value: number): void {
    const known = this.counters.get(series);
    if (!known) {
      this.counters.set(series, { value, moved_ns: time_ns, last_ns: time_ns, isStill: false });
      return;
    }
    if (time_ns < known.last_ns) return;
    if (value !== known.value) known.moved_ns = time_ns;
    known.value = value;
    known.last_ns = time_ns;
    const isStill = time_ns - known.moved_ns >= nanoseconds(impact.leastStallSeconds);
    this.isChanged ||= isStill !== known.isStill;
    known.isStill = isStill;
  }

  /** Whether there may be another answer since the last call. */
  next(): boolean {
    const { isChanged } = this;
    this.isChanged = false;
    return isChanged;
  }
}
