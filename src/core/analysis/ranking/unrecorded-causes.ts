import type { Layer } from '../../../model/entity.ts';
import { eventEntry } from '../../../model/telemetry/event-catalog.ts';
import type { EventFact } from '../../store/facts/reader.ts';
import type { Mechanism } from '../causality/mechanisms.ts';
import { namesOf } from '../evidence/evidence-text.ts';
import { eventRef, line } from '../evidence/kind.ts';
import { unrecordedCause } from '../evidence/open.ts';
import { rootType } from './event-evidence/type.ts';
import { logOdds, type Suspect } from './hypothesis-line.ts';
import { missingUnder, physical } from './impacted-services.ts';
import type { IncidentContext } from './incident-context.ts';
import type { Weights } from './weights.ts';

/** Layers without recordings, each with the probability that it was not monitored, 0 to 1. */
type Silences = ReadonlyMap<Layer, number>;

/** Less than this share of the known causes of an event is none. */
const LEAST_SHARE = 0.01;
/** An event with a smaller share of the probability of all unrecorded causes is not named. */
const LEAST_NAMED = 0.1;

/** A cause that nobody recorded, and the event that it may have had as an effect. */
export interface UnrecordedCause extends Suspect {
  readonly effect: EventFact;
  /** Where such causes are. */
  readonly layers: readonly Layer[];
}

/**
 * The cause of a suspect in a layer that nobody recorded. All evidence on the event is evidence on its cause too, except how often
 * its type begins an incident: so a layer without a recorder makes a recorded root less sure, and outweighs only what is usually an
 * effect. None: the event has a recorded cause, or its typical causes would have been recorded.
 */
export function suspectUnrecorded({ event, lines }: Suspect, context: IncidentContext): UnrecordedCause[] {
  const missing = context.once(silences);
  if (!event || missing.size === 0 || context.links.causesOf(event).length > 0) return [];
  const { mechanisms, graph } = context.input;
  const own = graph.node(event.entity)?.layer;
  const { share, layers } = causesWithin(mechanisms.causesOf(event.type), { missing, own });
  if (share < LEAST_SHARE) return [];
  const kept = lines.filter(({ kind }) => kind !== rootType);
  const cause = line(unrecordedCause, Math.log(share), {
    devices: namesOf([event.device_id]),
    layers,
  });
  return [
    {
      event: null,
      subject: null,
      type: 'insufficient_evidence',
      effect: event,
      layers,
      lines: [...kept, cause],
    },
  ];
}

/** "Not enough evidence" with all causes that nobody recorded: one hypothesis, as probable as they are together. */
export function withUnrecorded(
  nothing: Suspect,
  causes: readonly UnrecordedCause[],
  { context, weights }: { readonly context: IncidentContext; readonly weights: Weights },
): Suspect {
  if (causes.length === 0) return nothing;
  const own = logOdds(nothing, weights);
  const odds = causes.map((cause) => logOdds(cause, weights));
  const highest = Math.max(own, ...odds);
  const total = odds.reduce((sum, value) => sum + Math.exp(value - highest), 0);
  const named = causes.filter((_, i) => Math.exp(odds[i]! - highest) >= LEAST_NAMED * total);
  const layers = new Set(named.flatMap((one) => one.layers));
  const parameters = {
    devices: namesOf([...new Set(named.map(({ effect }) => effect.device_id))]),
    layers: [...context.once(silences).keys()].filter((layer) => layers.has(layer)),
  };
  const gain = Math.log(Math.exp(own - highest) + total) + highest - own;
  const refs = named.map(({ effect }) => eventRef(effect));
  return { ...nothing, lines: [...nothing.lines, line(unrecordedCause, gain, parameters, refs)] };
}

/**
 * Layers under the service without recordings. Two chillers may have had nothing to report, sixty GPUs hardly: estimated from
 * the share of entities in recorded layers that reported anything (Laplace's rule, as they may be few).
 */
export function silences({ input: situation }: IncidentContext): Silences {
  const { graph, background } = situation;
  const { recordedLayers } = background;
  const missing = missingUnder(situation, recordedLayers);
  if (missing.length === 0) return new Map();
  let [entityCount, reportingCount] = [0, 0];
  // If no known entity reported anything, all of them could have.
  for (const { key, layer } of graph.all())
    if (recordedLayers.size === 0 ? physical.includes(layer) : recordedLayers.has(layer)) {
      entityCount++;
      if (background.isWatched(key)) reportingCount++;
    }
  const quiet = 1 - (reportingCount + 1) / (entityCount + 2);
  return new Map(missing.map((layer) => [layer, 1 - quiet ** graph.entityCount(layer)]));
}

interface Whereabouts {
  readonly missing: Silences;
  /** Layer of the entity that reported the effect: a cause on the same entity is in that layer. */
  readonly own: Layer | undefined;
}

/** Share of the known causes of an event in silent layers, weighted by strength, 0 to 1; and which layers these are. */
function causesWithin(
  causes: readonly Mechanism[],
  { missing, own }: Whereabouts,
): { readonly share: number; readonly layers: readonly Layer[] } {
  let [inside, all] = [0, 0];
  const layers = new Set<Layer>();
  for (const { cause, strength, relation, configured } of causes) {
    // Not typical: a site may have it or not.
    if (configured) continue;
    const layer = relation === 'same' ? own : eventEntry(cause)?.layer;
    all += strength;
    const silence = layer === undefined ? undefined : missing.get(layer);
    if (layer === undefined || silence === undefined) continue;
    inside += strength * silence;
    layers.add(layer);
  }
  return { share: all === 0 ? 0 : inside / all, layers: [...layers] };
}
