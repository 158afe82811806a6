import { rankId } from '../../../model/rank-name.ts';
import type { DerivedEvent } from '../../../model/telemetry/derived-event.ts';
import { NO_DETAILS } from '../../../model/telemetry/event-details.ts';
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
