import type { CallFact, EdgeFact, EntityFact } from '../../store/facts/reader.ts';
import { EntityGraph } from './entity-graph.ts';
import { computed } from './links.ts';

/** Graphs of a case: times between the same changes of its links, with the same calls, share one and what it has computed. */
export class GraphsByTime {
  private readonly entities: readonly EntityFact[];
  private readonly edges: readonly EdgeFact[];
  /** When links begin or end, ascending. */
  private readonly changes: readonly bigint[];
  private readonly graphs = new Map<string, EntityGraph>();

  constructor(entities: readonly EntityFact[], edges: readonly EdgeFact[]) {
    this.entities = entities;
    this.edges = edges;
    const times = edges.flatMap(({ valid_from_ns, valid_to_ns }) => [valid_from_ns, valid_to_ns]);
    this.changes = [...new Set(times)].sort((a, b) => (a < b ? -1 : 1));
  }

  /** Entities and the links that are valid at a time, with these calls between services. */
  at(time_ns: bigint, calls: readonly CallFact[] = []): EntityGraph {
    const edition = this.changes.findLastIndex((change) => change <= time_ns);
    const key = [edition, ...calls.map(({ caller, callee }) => `${caller}-${callee}`)].join(' ');
    return computed(this.graphs, key, () => {
      const graph = new EntityGraph(this.entities, this.edges, time_ns);
      graph.addCalls(calls);
      return graph;
    });
  }
}
