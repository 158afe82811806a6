import type { IncidentView } from '../../../model/contract/index.ts';
import { harmText, impactedText, impactTypes, isMeasuredHarm, slowedText } from '../../../model/incident/incident.ts';
import { fail } from '../../../model/problem.ts';
import type { Conclusion } from '../../analysis/conclude.ts';
import { worstMeasurements } from '../../analysis/impact/impact.ts';
import { measurementRef } from '../../analysis/impact/measurement-ref.ts';
import { latencyMetric } from '../../analysis/impact/measurement-table.ts';
import { recoveredNs } from '../../analysis/impact/recovered.ts';
import { writtenIncident } from '../../analysis/written-incident.ts';
import type { EventFact } from '../../store/facts/reader.ts';
import { eventLane, metricLane } from '../lanes/lane-catalog.ts';
import { type ChainPath, causesOf, chainPath } from './chain-path.ts';
import { onsetText } from './onset-text.ts';
import { type AroundIncident, nothingAround, unusedEvents } from './unused-events.ts';

/** @throws ProblemError incident.unknown */
export function unknownIncident(id: string): never {
  return fail('incident.unknown', `there is no incident ${id} in this case`);
}

type View = IncidentView['steps'][number];

/** An incident for the window, with what was read of the case beside it. */
export function toView(conclusion: Conclusion, around: AroundIncident = nothingAround): IncidentView {
  const { window, service, start_ns, chain } = conclusion;
  const path = chainPath(conclusion);
  const incident = onPath(conclusion.incident, path);
  const causes = causesOf(incident.causal_chain);
  const members = path.steps.map((at) => chain.members[at]!.event);
  const steps = members.map((event, i): View => {
    const cause = members[causes[i] ?? -1];
    // Two clocks may each be off by their uncertainty; a smaller difference proves no order.
    const doubt =
      cause && cause.source_id !== event.source_id ? cause.clock_uncertainty_ns + event.clock_uncertainty_ns : 0n;
    return {
      ...eventStep(conclusion, event, around),
      cause: causes[i] ?? null,
      edge_probability: incident.causal_chain[i]?.probability ?? null,
      undecided: cause !== undefined && event.time_ns - cause.time_ns < doubt,
    };
  });
  const { impact } = incident;
  const impacted = impactedText(incident);
  const degradation = {
    ref: measurementRef(impacted, window.onset_ns),
    lane: metricLane(
      conclusion.graph.node(window.service)?.kind ?? 'service',
      service,
      isMeasuredHarm(incident.harm) ? latencyMetric(window.measurements) : 'service.throughput',
    ),
    time_ns: window.onset_ns,
    type: impactTypes[incident.harm],
    device: impacted,
    layer: 'service',
    summary: !isMeasuredHarm(incident.harm)
      ? harmText({ ...incident, harm: incident.harm })
      : incident.slowed_times !== null
        ? slowedText(incident.slowed_times)
        : onsetText(impact, incident.work),
    cause: causes[members.length] ?? null,
    edge_probability: incident.causal_chain.at(-1)?.probability ?? null,
    undecided: false,
    contradiction: null,
  };
  return {
    incident: writtenIncident(incident),
    start_ns,
    end_ns: window.end_ns,
    recovered_ns: recoveredNs(window),
    onset_ns: window.onset_ns,
    onset_earliest_ns: window.onset_earliest_ns,
    previous_ns: window.previous_ns,
    service,
    onset_ref: measurementRef(impacted, window.onset_ns),
    peak_ref: measurementRef(impacted, window.peak_ns),
    worst_refs: worstRefs(conclusion),
    steps: [...steps, degradation],
    also_affected: path.beside.map((at) => eventStep(conclusion, chain.members[at]!.event, around)),
    unused_events: unusedEvents(conclusion, around),
  };
}

function worstRefs({ window, incident }: Conclusion): IncidentView['worst_refs'] {
  const { p99, error_rate, throughput } = worstMeasurements(window);
  const ref = (index: number) =>
    index < 0 ? null : measurementRef(impactedText(incident), window.measurements.time_ns[index]!);
  return { p99: ref(p99), error_rate: ref(error_rate), throughput: ref(throughput) };
}

/** The chain without events that are no step of it. */
const onPath = (incident: Conclusion['incident'], { steps }: ChainPath): Conclusion['incident'] => ({
  ...incident,
  causal_chain: [...steps, incident.causal_chain.length - 1].flatMap((at) => incident.causal_chain[at] ?? []),
});

/** An event of the chain, without its place in it. */
function eventStep({ graph }: Conclusion, event: EventFact, { contradicted }: AroundIncident) {
  const node = graph.node(event.entity);
  return {
    ref: `event:${event.event_id}`,
    lane: eventLane(node?.kind ?? 'device', node?.id ?? event.device_id),
    time_ns: event.time_ns,
    type: event.type,
    device: event.device_id,
    layer: node?.layer ?? 'server',
    summary: event.message,
    contradiction: contradicted.get(event.event_id) ?? null,
  };
}
