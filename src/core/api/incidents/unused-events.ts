import type { IncidentView } from '../../../model/contract/index.ts';
import type { Conclusion } from '../../analysis/conclude.ts';
import { type ContradictedReadings, readContradictions } from '../../analysis/contradictions/contradicted-readings.ts';
import type { EventFact } from '../../store/facts/reader.ts';
import type { OpenCase } from '../cases/open-case.ts';

type UnusedEvent = IncidentView['unused_events'][number];

/** How long before the last normal measurement and after the onset an event is near it. */
const NEAR_NS = 60_000_000_000n;
/** More than a reader checks; they are the nearest ones. */
const MOST_UNUSED = 20;
const CRITICAL = 0;

/** What the view of an incident shows that its conclusion does not hold. */
export interface AroundIncident {
  /** Critical events near the onset, by time. */
  readonly critical: readonly EventFact[];
  /** Of these events and of the chain. */
  readonly contradicted: ContradictedReadings;
}
/** Of a what-if: its events are those of the case, which are shown there. */
export const nothingAround: AroundIncident = { critical: [], contradicted: new Map() };

/** The critical events near the onsets of these incidents, and which events there the samples contradict. */
export async function readAround(opened: OpenCase, conclusions: readonly Conclusion[]): Promise<AroundIncident> {
  if (conclusions.length === 0) return nothingAround;
  const ranges = conclusions.map(({ window }) => near(window));
  const from = ranges.reduce((least, [start]) => (start < least ? start : least), ranges[0]![0]);
  const to = ranges.reduce((most, [, end]) => (end > most ? end : most), ranges[0]![1]);
  return opened.reading(async (reader) => {
    const critical = (await reader.events(from, to)).filter(({ severity }) => severity === CRITICAL);
    const chained = conclusions.flatMap(({ chain }) => chain.members.map(({ event }) => event));
    const ids = [...chained, ...critical].map(({ event_id }) => event_id);
    return { critical, contradicted: await readContradictions(reader, ids) };
  });
}

const near = ({ previous_ns, onset_ns }: Conclusion['window']): readonly [bigint, bigint] => [
  previous_ns - NEAR_NS,
  onset_ns + NEAR_NS,
];

/** Critical events near the onset that are no step of the chain, each with the reason; the nearest ones, by time. */
export function unusedEvents(
  { window, chain, graph, service }: Conclusion,
  { critical, contradicted }: AroundIncident,
): UnusedEvent[] {
  const [from, to] = near(window);
  const used = new Set(chain.members.map(({ event }) => event.event_id));
  const distance = ({ time_ns }: EventFact): bigint =>
    time_ns > window.onset_ns ? time_ns - window.onset_ns : window.onset_ns - time_ns;
  return critical
    .filter(({ event_id, time_ns }) => !used.has(event_id) && time_ns >= from && time_ns <= to)
    .toSorted((a, b) => Number(distance(a) - distance(b)))
    .slice(0, MOST_UNUSED)
    .toSorted((a, b) => Number(a.time_ns - b.time_ns))
    .map((event) => ({
      ref: `event:${event.event_id}`,
      time_ns: event.time_ns,
      type: event.type,
      device: event.device_id,
      reason: reasonOf(event, graph.relation(event.entity, window.service)),
      contradiction: contradicted.get(event.event_id) ?? null,
    }));

  function reasonOf({ device_id, time_ns }: EventFact, relation: ReturnType<typeof graph.relation>): string {
    if (relation === 'unmapped') return `no path in the topology from ${device_id} to ${service}`;
    if (relation === 'other') return `${device_id} serves other services, not ${service}`;
    if (time_ns > window.onset_ns) return 'reported after the onset, so not its cause by these clocks';
    return 'no known mechanism links it to the chain at its recorded time; check the clock of its source';
  }
}
