import type { ProposedEdge, Topology, TopologyEdge } from '../../../model/contract/index.ts';
import type { AnnotationOf } from '../../../model/incident/annotation.ts';
import { verdictOn } from '../../../model/incident/proposal.ts';
import type { EdgeKind } from '../../../model/topology.ts';
import { freshAnnotation } from '../../state/annotations.ts';
import { nodeName } from './map-model.ts';
import { messages } from './messages.ts';

/** When an edit is valid: always, from the playhead on, or up to it. */
export type EditTime = 'always' | 'since' | 'until';

export interface EditContext {
  readonly time: EditTime;
  readonly playhead: bigint;
  readonly text: string;
}

type EdgeEdit = AnnotationOf<'edge'>;
interface Link {
  readonly from: string;
  readonly edge: EdgeKind;
  readonly to: string;
}

export function edgeEdit(change: 'add' | 'remove', link: Link, { time, playhead, text }: EditContext): EdgeEdit {
  return {
    kind: 'edge',
    ...freshAnnotation(text),
    at_ns: time === 'since' ? playhead : null,
    until_ns: time === 'until' ? playhead : null,
    change,
    ...link,
  };
}

/** `PDU-B feeds node-7`. */
export function linkText({ from, kind, to }: TopologyEdge, { nodes }: Topology): string {
  return [from, to].map((at) => nodes[at] && nodeName(nodes[at])).join(` ${active[kind]} `);
}

/** The decision on a proposed link, as a link edit. */
export function judged(change: 'add' | 'remove', edge: ProposedEdge, { nodes }: Topology): EdgeEdit {
  const { id, made_at_ns } = freshAnnotation('');
  return verdictOn(edge, nodes, { change, id, made_at_ns });
}

export interface OwnLink {
  readonly edge: TopologyEdge;
  /** The entity at the other end. */
  readonly other: string;
  readonly label: string;
  readonly link: Link;
}

const active: Readonly<Record<EdgeKind, string>> = {
  feeds: messages.links.active.feeds,
  contains: messages.links.active.contains,
  runs_on: messages.links.active.runs_on,
  connects: messages.links.active.connects,
  calls: messages.links.active.calls,
  member_of: messages.links.active.member_of,
};
const passive: Readonly<Record<EdgeKind, string>> = {
  feeds: messages.links.passive.feeds,
  contains: messages.links.passive.contains,
  runs_on: messages.links.passive.runs_on,
  connects: messages.links.passive.connects,
  calls: messages.links.passive.calls,
  member_of: messages.links.passive.member_of,
};

/** Every link of an entity, described from its side; supplies first. */
export function linksOf({ nodes, edges }: Topology, entityKey: string): OwnLink[] {
  const found = edges.flatMap((edge): OwnLink[] => {
    const from = nodes[edge.from]?.key ?? '';
    const to = nodes[edge.to]?.key ?? '';
    const link = { from, edge: edge.kind, to };
    if (to === entityKey) return [{ edge, other: from, label: passive[edge.kind], link }];
    if (from === entityKey) return [{ edge, other: to, label: active[edge.kind], link }];
    return [];
  });
  const rank = ({ edge, link }: OwnLink): number => (edge.kind === 'feeds' && link.to === entityKey ? 0 : 1);
  return found.sort((a, b) => rank(a) - rank(b) || a.label.localeCompare(b.label) || a.other.localeCompare(b.other));
}

/** What people call an entity of the map, by its key. */
export function nameIn({ nodes }: Pick<Topology, 'nodes'>, entityKey: string): string {
  const node = nodes.find(({ key }) => key === entityKey);
  return node ? nodeName(node) : entityKey.slice(entityKey.indexOf(':') + 1);
}

const supplyKinds: ReadonlySet<string> = new Set(['ups', 'pdu', 'outlet', 'breaker', 'cooling', 'switch']);
export const suppliesIn = ({ nodes }: Topology): string[] =>
  nodes.filter(({ kind }) => supplyKinds.has(kind)).map(({ key }) => key);

/** The supply of this name or key: `PDU-A`, in any case; undefined if none, or several, are called so. */
export function supplyNamed(topology: Topology, text: string): string | undefined {
  const wanted = text.trim().toLowerCase();
  const keys = suppliesIn(topology);
  const byKey = keys.find((key) => key.toLowerCase() === wanted);
  if (byKey !== undefined) return byKey;
  const named = keys.filter((key) => key.slice(key.indexOf(':') + 1).toLowerCase() === wanted);
  return named.length === 1 ? named[0] : undefined;
}

/** Replaces a supply as one change. */
export function refeed(
  entityKey: string,
  { supply, insteadOf }: { readonly supply: string; readonly insteadOf: readonly string[] },
  context: EditContext,
): EdgeEdit[] {
  return [
    ...insteadOf.map((old) => edgeEdit('remove', { from: old, edge: 'feeds', to: entityKey }, context)),
    edgeEdit('add', { from: supply, edge: 'feeds', to: entityKey }, context),
  ];
}
