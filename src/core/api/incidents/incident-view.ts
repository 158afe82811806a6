import type { IncidentView } from '../../../model/contract/index.ts';
import { harmTexts, impactedText, impactTypes, isMeasuredHarm, slowedText } from '../../../model/incident/incident.ts';
import { fail } from '../../../model/problem.ts';
import type { Conclusion } from '../../analysis/correlate.ts';
import { worstMeasurements } from '../../analysis/impact/impact.ts';
import { measurementRef } from '../../analysis/impact/measurement-ref.ts';
import { writtenIncident } from '../../analysis/written-incident.ts';
import { eventLane, metricLane } from '../lanes/lane-catalog.ts';
import { type AroundIncident, nothingAround, unusedEvents } from './unused-events.ts';

/** @throws ProblemError incident.unknown */
export function unknownIncident(id: string): never {
  return fail('incident.unknown', `there is no incident ${id} in this case`);
}

/** An incident for the window, with what was read of the case beside it. */
export function toView(conclusion: Conclusion, around: AroundIncident = nothingAround): IncidentView {
  const { incident, window, service, start_ns, chain } = conclusion;
  const { members } = chain;
  const causes = causesOf(incident.causal_chain);
  const steps = members.map(({ event }, i): IncidentView['steps'][number] => {
    const node = conclusion.graph.node(event.entity);
    const cause = members[causes[i] ?? -1]?.event;
    // Two clocks may each be off by their uncertainty; a smaller difference proves no order.
    const doubt =
      cause && cause.source_id !== event.source_id ? cause.clock_uncertainty_ns + event.clock_uncertainty_ns : 0n;
    return {
      ref: `event:${event.event_id}`,
      lane: eventLane(node?.kind ?? 'device', node?.id ?? event.device_id),
      time_ns: event.time_ns,
      type: event.type,
      device: event.device_id,
      layer: node?.layer ?? 'server',
      summary: event.message,
      cause: causes[i] ?? null,
      edge_probability: incident.causal_chain[i]?.probability ?? null,
      undecided: cause !== undefined && event.time_ns - cause.time_ns < doubt,
      contradiction: around.contradicted.get(event.event_id) ?? null,
    };
  });
  const { impact } = incident;
  const impacted = impactedText(incident);
  const degradation = {
    ref: measurementRef(impacted, window.onset_ns),
    lane: metricLane(
      conclusion.graph.node(window.service)?.kind ?? 'service',
      service,
      isMeasuredHarm(incident.harm) ? 'service.latency.p99' : 'service.throughput',
    ),
    time_ns: window.onset_ns,
    type: impactTypes[incident.harm],
    device: impacted,
    layer: 'service',
    summary: !isMeasuredHarm(incident.harm)
      ? harmTexts[incident.harm]
      : incident.slowed_times !== null
        ? slowedText(incident.slowed_times)
        : `P99 ${impact.p99_baseline_ms ?? 'unknown'} to ${impact.p99_first_anomaly_ms ?? 'unknown'} ms`,
    cause: causes[members.length] ?? null,
    edge_probability: incident.causal_chain.at(-1)?.probability ?? null,
    undecided: false,
    contradiction: null,
  };
  return {
    incident: writtenIncident(incident),
    start_ns,
    end_ns: window.end_ns,
    onset_ns: window.onset_ns,
    onset_earliest_ns: window.onset_earliest_ns,
    previous_ns: window.previous_ns,
    service,
    onset_ref: measurementRef(impacted, window.onset_ns),
    peak_ref: measurementRef(impacted, window.peak_ns),
    worst_refs: worstRefs(conclusion),
    steps: [...steps, degradation],
    unused_events: unusedEvents(conclusion, around),
  };
}

function worstRefs({ window, incident }: Conclusion): IncidentView['worst_refs'] {
  const { p99, error_rate, throughput } = worstMeasurements(window);
  const ref = (index: number) =>
    index < 0 ? null : measurementRef(impactedText(incident), window.measurements.time_ns[index]!);
  return { p99: ref(p99), error_rate: ref(error_rate), throughput: ref(throughput) };
}

/** Index of the cause of each step. */
function causesOf(chain: Conclusion['incident']['causal_chain']): (number | null)[] {
  const places = new Map(chain.map(({ event_id }, at) => [event_id, at]));
  return chain.map(({ caused_by }, at) => {
    const cause = caused_by === null ? undefined : places.get(caused_by);
    return cause !== undefined && cause < at ? cause : null;
  });
}
