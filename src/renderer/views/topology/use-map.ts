import { useEffect, useMemo, useRef } from 'react';
import type { IncidentView, Topology } from '../../../model/contract/index.ts';
import type { Annotation } from '../../../model/incident/annotation.ts';
import { useFocus } from '../../state/focus.ts';
import { useAnnotationList, useIncident } from '../../state/known.ts';
import { usePreferences } from '../../state/preferences.ts';
import { useSteadyWindow } from '../../state/use-settled-window.ts';
import { foldMap, type MapModel, reachOf } from './map-model.ts';
import { changesOf, type Flow, flowsAt } from './power-flow.ts';
import { layOut, type MapLayout } from './power-layout.ts';

export interface PowerMap {
  readonly model: MapModel;
  readonly layout: MapLayout;
  /** All links of supply and load that hold at the playhead. */
  readonly flows: readonly Flow[];
  /** Entity keys of the incident on screen, in chain order. */
  readonly chain: readonly string[];
  /** Pairs of cause and effect in the chain. */
  readonly links: readonly (readonly [cause: string, effect: string])[];
  /** Whether each step of the chain has happened at the playhead. */
  readonly happened: readonly boolean[];
}

/** The instant of the map. */
export const useInstant = (): bigint => {
  const { endNs } = useSteadyWindow();
  return useFocus((focus) => focus.playhead ?? focus.onset ?? endNs) as bigint;
};

/** The map at the playhead; recomputed only if a link starts or ends. */
export function usePowerMap(topology: Topology, unfolded: ReadonlySet<string>): PowerMap {
  const at = useInstant();
  const view = useIncident(useFocus((focus) => focus.incident));
  const selected = useFocus((focus) => focus.entities);
  const annotations = useAnnotationList();
  const scopeMode = usePreferences((state) => state.topologyScope);
  const changes = useMemo(() => changesOf(topology.edges), [topology]);
  const epoch = changes.filter((time) => time <= at).length;
  const flows = useMemo(
    () => flowsAt(topology, changes[epoch - 1] ?? (changes[0] ?? 0n) - 1n),
    [topology, changes, epoch],
  );
  const chain = useMemo(() => (view ? chainOf(view) : []), [view]);
  const model = useMemo(() => {
    const involved = new Set([
      ...chain,
      ...(view ? suspectsOf(view) : []),
      ...annotated(annotations),
      ...doubted(topology),
    ]);
    const alone = new Set([...involved, ...selected, ...unfolded, ...fewProposed(topology)]);
    const scope = view && scopeMode === 'incident' ? scopeOf(topology, flows, view, involved) : null;
    return foldMap(topology, flows, { alone, scope });
  }, [topology, flows, view, chain, selected, annotations, unfolded, scopeMode]);
  const former = useRef<MapLayout>(undefined);
  const layout = useMemo(() => layOut(model, former.current), [model]);
  useEffect(() => {
    former.current = layout;
  }, [layout]);
  // As text: the marks change only when another step happens, not with each move of the playhead.
  const past = happenedBy(view?.steps ?? [], at);
  const happened = useMemo(() => [...past].map((one) => one === '1'), [past]);
  const links = useMemo(() => (view ? linksOf(view, chain, happened) : []), [view, chain, happened]);
  return { model, layout, flows, chain, links, happened };
}

/** `events:pdu:PDU-B` and `metric:service:llama:service.latency.p99` both contain an entity key. */
function chainOf({ steps, service }: IncidentView): string[] {
  return steps.map(({ lane }) => (lane.startsWith('events:') ? lane.slice('events:'.length) : `service:${service}`));
}

/** `1101`: which steps have happened at an instant. */
export const happenedBy = (steps: readonly { readonly time_ns: bigint }[], at: bigint): string =>
  steps.map(({ time_ns }) => (time_ns <= at ? '1' : '0')).join('');

function linksOf(
  { steps }: IncidentView,
  chain: readonly string[],
  happened: readonly boolean[],
): (readonly [string, string])[] {
  return steps.flatMap(({ cause }, at) =>
    cause === null || !happened[at] ? [] : [[chain[cause]!, chain[at]!] as const],
  );
}

const MOST_SUSPECTS = 5;
const suspectsOf = ({ incident }: IncidentView): string[] =>
  incident.hypotheses
    .slice(0, MOST_SUSPECTS)
    .flatMap(({ subject }) => (subject ? `${subject.kind}:${subject.id}` : []));

function annotated(annotations: readonly Annotation[]): string[] {
  return annotations.flatMap((one) => {
    switch (one.kind) {
      case 'note':
        return one.target?.startsWith('entity:') ? [one.target.slice('entity:'.length)] : [];
      case 'arrow':
      case 'edge':
        return [one.from, one.to];
      case 'group':
        return one.members;
      case 'stamp':
        return [one.target];
      default:
        return [];
    }
  });
}

/** Up to this many proposed links unfold their entities. */
const FEW_PROPOSED = 24;
const fewProposed = ({ nodes, proposed }: Topology): string[] =>
  proposed.length > FEW_PROPOSED
    ? []
    : proposed.flatMap(({ from, to }) => [nodes[from]?.key ?? '', nodes[to]?.key ?? '']);

const doubted = ({ doubts }: Topology): string[] =>
  doubts.flatMap(({ entity, supply }) => (supply ? [entity, supply] : [entity]));

/** Entities that carry the service, and entities that depend on the suspects. */
function scopeOf(
  { nodes, proposed }: Topology,
  flows: readonly Flow[],
  view: IncidentView,
  involved: ReadonlySet<string>,
): ReadonlySet<number> {
  const indexOf = new Map(nodes.map(({ key }, index) => [key, index]));
  const named = (keys: Iterable<string>): number[] => [...keys].flatMap((key) => indexOf.get(key) ?? []);
  const service = named([`service:${view.service}`, `job:${view.service}`]);
  const reached = reachOf(flows, named(chainOf(view).slice(0, 1)), service);
  for (const index of named(involved)) reached.add(index);
  // Service, pod, machine: proposed links can lead two links away from known entities.
  for (let hop = 0; hop < 2; hop++) {
    const ends = proposed.filter(({ from, to }) => reached.has(from) || reached.has(to));
    for (const { from, to } of ends) reached.add(from).add(to);
  }
  return reached;
}
