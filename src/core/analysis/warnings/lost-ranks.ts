import { formatUtc, nanos } from '../../../model/time.ts';
import type { EdgeFact, EntityFact, EventFact, Reader } from '../../store/facts/reader.ts';
import type { Warning } from './warning.ts';

const MOST_EVENTS = 100;
/** The GPU has fallen off the bus (NVIDIA's Xid catalogue): no process on it goes on. */
const OFF_BUS = 79;

const isLost = ({ type, details }: EventFact): boolean =>
  type === 'gpu_lost' || (type === 'xid_error' && details.xid === OFF_BUS);

/** Ranks that ran on a GPU when it was lost. Without a record of their job's steps or end that is no incident, and the only lead. */
export async function lostRankWarnings(
  reader: Reader,
  { entities, edges }: { readonly entities: readonly EntityFact[]; readonly edges: readonly EdgeFact[] },
): Promise<Warning[]> {
  const known = new Map(entities.map((one) => [one.entity_id, one]));
  const ranks = edges.filter(({ kind, from_id }) => kind === 'runs_on' && known.get(from_id)?.kind === 'rank');
  if (ranks.length === 0) return [];
  const found = new Map<number, Warning>();
  for (const event of await reader.patternEvents(['xid_error', 'gpu_lost'], MOST_EVENTS))
    for (const { from_id, to_id, valid_from_ns, valid_to_ns } of isLost(event) ? ranks : []) {
      const ranHere = to_id === event.entity && valid_from_ns <= event.time_ns && event.time_ns < valid_to_ns;
      if (!ranHere || found.has(from_id)) continue;
      const [rank, gpu] = [from_id, to_id].map((entity) => known.get(entity)?.id ?? '?') as [string, string];
      found.set(from_id, { kind: 'rank_lost_gpu', rank, gpu, at: formatUtc(nanos(event.time_ns)) });
    }
  return [...found.values()];
}
