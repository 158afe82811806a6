import type { EventFact } from '../../store/facts/reader.ts';
import { severityWeight } from '../causality/event-traits.ts';
import type { Mechanisms } from '../causality/mechanisms.ts';
import type { ImpactWindow } from '../impact/impact.ts';
import type { EntityGraph } from '../topology/entity-graph.ts';
import type { ClockEstimate, SupposedZone } from './clock-estimate.ts';
import { perhapsZoneText, zoneName } from './clock-text.ts';
import { clocks } from './parameters.ts';
import { MOST_QUARTERS, QUARTER_S } from './shift-votes.ts';

const HOUR_S = 3600;
export interface Impacted {
  readonly windows: readonly Pick<ImpactWindow, 'service' | 'onset_ns' | 'causes_from_ns'>[];
  readonly graph: Pick<EntityGraph, 'relation'>;
  readonly mechanisms: Pick<Mechanisms, 'harmOf'>;
}

/** Correction of a data source that puts one of its events at an onset, seconds. */
interface Reach {
  readonly low: number;
  readonly high: number;
  readonly event: EventFact;
}

/**
 * Time zone of a separate data source without linked events: the only zone in which one of its events would have harmed a
 * service right at an onset. Nothing is assumed if two zones fit, or if chance explains as much in one of seven cases.
 *
 * @param alone data sources with no time in common with any other
 */
export function supposeByOnset<T extends ClockEstimate>(
  estimates: readonly T[],
  events: readonly EventFact[],
  { alone, ...impacted }: Impacted & { readonly alone: ReadonlySet<number> },
): T[] {
  const isOpen = ({ source_id, method, perhaps }: ClockEstimate) =>
    alone.has(source_id) && method === 'unknown' && perhaps === null;
  if (!estimates.some(isOpen)) return [...estimates];
  const bySource = Map.groupBy(events, ({ source_id }) => source_id);
  return estimates.map((clock) => {
    const perhaps = isOpen(clock) ? zoneOfOnset(bySource.get(clock.source_id) ?? [], impacted) : null;
    return perhaps ? { ...clock, perhaps, remark: perhapsZoneText(perhaps) } : clock;
  });
}

function zoneOfOnset(events: readonly EventFact[], impacted: Impacted): SupposedZone | null {
  const harmful = events.filter(({ type, entity }) => entity >= 0 && impacted.mechanisms.harmOf(type) !== undefined);
  if (harmful.length * impacted.windows.length > clocks.mostZoneFits) return null;
  const reaches = harmful.flatMap((event) => reachesOf(event, impacted));
  if (reaches.length === 0 || hourCovered(reaches) > clocks.zoneChance) return null;
  const fits = Array.from({ length: 2 * MOST_QUARTERS + 1 }, (_, i) => i - MOST_QUARTERS).flatMap((quarters) => {
    const shift = quarters * QUARTER_S;
    const fitting = reaches.filter(({ low, high }) => low <= shift && shift <= high);
    return quarters === 0 || fitting.length === 0 || zoneName(quarters) === null ? [] : [{ shift, fitting }];
  });
  const [only] = fits;
  if (!only || fits.length > 1) return null;
  const ids = [...new Set(only.fitting.map(({ event }) => event.event_id))];
  return {
    correction_ns: BigInt(only.shift) * 1_000_000_000n,
    otherSource: null,
    refs: ids.map((id) => `event:${id}`),
  };
}

function reachesOf(event: EventFact, { windows, graph, mechanisms }: Impacted): Reach[] {
  const harm = mechanisms.harmOf(event.type);
  if (!harm || harm.strength * severityWeight(event) < clocks.zoneHarm) return [];
  const [least, most] = harm.delay_s;
  return windows.flatMap(({ service, onset_ns, causes_from_ns }) => {
    const relation = graph.relation(event.entity, service);
    if (relation !== 'mapped' && relation !== 'caller') return [];
    const low = Number(causes_from_ns - event.time_ns) / 1e9 - most - clocks.zoneErrorSeconds;
    const high = Number(onset_ns - event.time_ns) / 1e9 - least + clocks.zoneLateSeconds;
    return high - low > clocks.zoneHarmSeconds ? [] : [{ low, high, event }];
  });
}

/** Share of an hour that is covered, in any hour. */
function hourCovered(reaches: readonly Reach[]): number {
  const parts = reaches.flatMap(({ low, high }) => {
    const from = ((low % HOUR_S) + HOUR_S) % HOUR_S;
    const to = from + high - low;
    return to <= HOUR_S
      ? [{ from, to }]
      : [
          { from, to: HOUR_S },
          { from: 0, to: to - HOUR_S },
        ];
  });
  let [covered, end] = [0, 0];
  for (const { from, to } of parts.sort((a, b) => a.from - b.from)) {
    if (to <= end) continue;
    covered += to - Math.max(from, end);
    end = to;
  }
  return covered / HOUR_S;
}
