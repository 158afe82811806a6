import type { ProposedEdge, TopologyNode } from '../contract/topology.ts';
import type { AnnotationOf } from './annotation.ts';

export const verdicts = { add: 'accepted', remove: 'rejected' } as const;

/** The investigator's word on a proposed link: adding it as it is accepts it, taking it away rejects it. */
export function verdictOn(
  { from, kind, to, from_ns, until_ns, sources, provenance }: ProposedEdge,
  nodes: readonly TopologyNode[],
  { change, ...made }: Pick<AnnotationOf<'edge'>, 'change' | 'id' | 'made_at_ns'>,
): AnnotationOf<'edge'> {
  return {
    kind: 'edge',
    ...made,
    text: `${verdicts[change]} as found by ${sources.join(', ')} (${provenance.join(', ')})`,
    at_ns: from_ns,
    until_ns,
    change,
    from: nodes[from]?.key ?? '',
    edge: kind,
    to: nodes[to]?.key ?? '',
  };
}
