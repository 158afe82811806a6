import type { Layer } from '../../model/entity.ts';
import { pathValue } from './event-suspects.ts';
import { entityRef, eventRef, type Line, line, listed, RECORDED, type Suspect } from './hypothesis-line.ts';
import type { Story } from './situation.ts';

/** Layers whose absence leaves a physical cause open. */
const physical: readonly Layer[] = ['power', 'cooling', 'server', 'gpu', 'network', 'orchestrator'];

/** Layers under a service of which nothing was recorded; of what a provider keeps to itself nobody could have. */
export const missingLayers = (recorded: ReadonlySet<Layer>, known: ReadonlySet<Layer>): Layer[] =>
  physical.filter((layer) => known.has(layer) && !recorded.has(layer));

/** "No physical cause": load, deployments, software. */
export function suspectSoftware(story: Story): Suspect {
  const { candidates, service, graph, window, background } = story.situation;
  const related = candidates.filter(({ relation }) => relation !== 'unmapped');
  const lines = [line('prior_software', 1, 'software, load and deployments cause incidents too (prior)')];
  if (related.length === 0 && background.eventsInCase > 0 && graph.isPlaced(window.service))
    lines.push(
      line('quiet', 1, `no recorded event on anything that ${service} runs on, up to the first anomaly`, [
        ...entityRef(graph, window.service),
        ...RECORDED,
      ]),
    );
  if (related.length > 0 && related.every(({ event }) => event.severity === 3))
    lines.push(
      line(
        'low_only',
        1,
        `only low-severity events on what ${service} runs on`,
        related.map(({ event }) => eventRef(event)),
      ),
    );
  lines.push(...leadLines(story), ...surgeLines(story), ...rolloutLines(story));
  return { event: null, subject: null, type: 'no_physical_cause', lines };
}

/** How well the best of the events leads to the impact: the weaker, the likelier there is none. */
function leadLines(story: Story): Line[] {
  const { candidates, service } = story.situation;
  const paths = candidates.map(({ event }) => ({ event, path: story.path(event) }));
  const best = paths.toSorted((a, b) => b.path - a.path)[0];
  if (!best) return [];
  const text =
    best.path < 0.05
      ? `nothing recorded is known to harm a service like ${service}`
      : `${best.event.type} on ${best.event.device_id} may have harmed ${service}`;
  return [line('lead', -pathValue(best.path), text, [eventRef(best.event)])];
}

/** Pods of a service begin anew when somebody rolls out a version, seconds before the first anomaly. */
const ROLLOUT_S = 900;
const ROLLOUT =
  /\b(roll(ed|ing)?[ -]?out|deploy(ed|ment|ing)?|scaled up|new (version|replica|revision)|successfully pulled|pulling image|created container|started container)\b/i;

/** Somebody changed the software right before: what the orchestrator told of the service's own pods. */
function rolloutLines({ situation, lagOf, relationOf }: Story): Line[] {
  const told = situation.nearby.filter((event) => {
    const kind = situation.graph.node(event.entity)?.kind ?? 'device';
    const isOwn = kind === 'pod' || kind === 'container' || kind === 'service' || kind === 'job';
    if (!isOwn || !ROLLOUT.test(event.message)) return false;
    const lag = lagOf(event);
    const relation = relationOf(event);
    return lag >= 0 && lag <= ROLLOUT_S && (relation === 'mapped' || relation === 'caller');
  });
  if (told.length === 0) return [];
  const first = told[0] as (typeof told)[number];
  const text = `software was rolled out on ${first.device_id} before: ${first.message}`;
  return [line('rollout', 1, text, told.map(eventRef))];
}

/** Half of the window's requests lie above this share of them. */
const MIDDLE = 0.5;
const LEAST_SURGE = 0.2;

/** Throughput during the window over its usual value: load that rises breaks services by itself. */
function surgeLines({ situation }: Story): Line[] {
  const { measurements, baseline, first, last } = situation.window;
  const rates = measurements.throughput.subarray(first, last + 1).filter((rate) => !Number.isNaN(rate));
  const usual = rates.sort()[Math.floor(MIDDLE * (rates.length - 1))] ?? 0;
  if (!(usual > 0 && baseline.throughput > 0)) return [];
  const surge = Math.log(usual / baseline.throughput);
  if (surge < LEAST_SURGE) return [];
  const times = (usual / baseline.throughput).toFixed(1);
  const refs = entityRef(situation.graph, situation.window.service);
  return [line('surge', Math.min(2, surge), `requests rose to ${times} times the usual rate`, refs)];
}

/** "Not enough evidence". */
export function suspectNothing(story: Story): Suspect {
  const { service, graph, window, background } = story.situation;
  const lines = [line('prior_insufficient', 1, 'recordings usually hold enough to tell (prior)')];
  const missing = missingLayers(background.recordedLayers, graph.layersUnder(window.service));
  if (missing.length > 0)
    lines.push(line('layers_missing', missing.length, `not recorded: ${missing.join(', ')}`, RECORDED));
  lines.push(...orphanLines(story, missing));
  if (!graph.isPlaced(window.service)) {
    const text = `no topology says what ${service} runs on: no device can be tied to it, and none cleared`;
    lines.push(line('unplaced', 1, text, entityRef(graph, window.service)));
  }
  if (background.eventsInCase === 0)
    lines.push(line('no_events', 1, 'the case holds no events of any device', RECORDED));
  return { event: null, subject: null, type: 'insufficient_evidence', lines };
}

/** Layer of the things that usually report a type of event, by the start of the causes that mechanisms name. */
const layerOfCause: Readonly<Record<string, Layer>> = {
  ups_transfer: 'power',
  breaker_trip: 'power',
  voltage_sag: 'power',
  outlet_off: 'power',
  cooling_failure: 'cooling',
  coolant_flow_low: 'cooling',
  psu_failover: 'server',
  psu_failure: 'server',
  xid_error: 'gpu',
  gpu_lost: 'gpu',
  switch_reboot: 'network',
  link_down: 'network',
  link_flap: 'network',
};

/** Effects without a recorded cause whose known causes all belong to layers that were not recorded. */
function orphanLines(story: Story, missing: readonly Layer[]): Line[] {
  if (missing.length === 0) return [];
  const { candidates, mechanisms } = story.situation;
  const orphans = candidates.filter(({ event }) => {
    if (story.links.causesOf(event).length > 0) return false;
    const wanted = mechanisms.causesOf(event.type).map(({ cause }) => layerOfCause[cause]);
    return wanted.some((layer) => layer !== undefined && missing.includes(layer));
  });
  const devices = [...new Set(orphans.map(({ event }) => event.device_id))];
  if (devices.length === 0) return [];
  const text = `what ${listed(devices)} report has its usual causes in ${missing.join(', ')}, which nobody recorded`;
  return [
    line(
      'orphans',
      Math.log1p(devices.length),
      text,
      orphans.map(({ event }) => eventRef(event)),
    ),
  ];
}
