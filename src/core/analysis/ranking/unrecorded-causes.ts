import type { Layer } from '../../../model/entity.ts';
import { eventEntry } from '../../../model/telemetry/event-catalog.ts';
import type { EventFact } from '../../store/facts/reader.ts';
import { machinesShowing, sparseness, watchedBehind } from '../causality/coverage.ts';
import type { Mechanism } from '../causality/mechanisms.ts';
import { namesOf } from '../evidence/evidence-text.ts';
import { eventRef, line } from '../evidence/kind.ts';
import { unrecordedCause } from '../evidence/open.ts';
import { computed } from '../topology/links.ts';
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
  const coverage = (layer: Layer, strength: number) => bestCoverage(event, { layer, strength }, context);
  const { share, layers } = causesWithin(mechanisms.causesOf(event.type), { missing, own, coverage });
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
  /** Of the best device above it in a layer. */
  readonly coverage: (layer: Layer, strength: number) => number;
}

interface Supply {
  readonly layer: Layer;
  /** Of the mechanism. */
  readonly strength: number;
}

/**
 * How well a device above that reported nothing explains an event, by what the others behind it show, 0 to 1: a sag of a PDU of twenty
 * machines does not explain one that switches its supply, a fan of eight GPUs not one that is hot. Of several such devices the best one
 * counts; 1: none is known.
 */
function bestCoverage(event: EventFact, { layer, strength }: Supply, context: IncidentContext): number {
  const { graph } = context.input;
  const above = [...graph.above(event.entity)].filter(
    (key) => key !== event.entity && graph.node(key)?.layer === layer,
  );
  if (above.length === 0) return 1;
  const isPart = graph.node(event.entity)?.kind === 'gpu';
  const shown = context.once(noTypes);
  const showing = computed(shown, `${event.type} ${isPart}`, () => {
    const events = context.ofType(event.type);
    return isPart ? new Set(events.map(({ entity }) => entity)) : machinesShowing(events, context.input);
  });
  return Math.max(
    ...above.map((key) => {
      const { watchedMachines } = context;
      const behind = isPart ? partsBehind(key, context) : watchedBehind(key, { graph, watchedMachines });
      let count = 0;
      for (const one of behind) if (showing.has(one)) count++;
      return count > 1 ? 1 - sparseness(count, behind.size, strength) : alone(behind.size);
    }),
  );
}

/** Probability that a cause above concerns this one alone of some that show what befalls them, if any share of them is as likely. */
const alone = (of: number): number => 1 / Math.max(1, of);

/** GPUs of machines with data: what reported one of them would have reported the others. */
const partsBehind = (key: number, { input: { graph }, watchedMachines }: IncidentContext): ReadonlySet<number> =>
  new Set(
    [...graph.below(key)].filter(
      (one) => graph.node(one)?.kind === 'gpu' && graph.machinesOf(one).some((machine) => watchedMachines.has(machine)),
    ),
  );

const noTypes = (): Map<string, ReadonlySet<number>> => new Map();

/** Share of the known causes of an event in silent layers, weighted by strength, 0 to 1; and which layers these are. */
function causesWithin(
  causes: readonly Mechanism[],
  { missing, own, coverage }: Whereabouts,
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
    inside += strength * silence * (relation === 'below' ? coverage(layer, strength) : 1);
    layers.add(layer);
  }
  return { share: all === 0 ? 0 : inside / all, layers: [...layers] };
}
