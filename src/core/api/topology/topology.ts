import type { Topology, TopologyEdge, TopologyNode } from '../../../model/contract/index.ts';
import { entityKey, layerOf } from '../../../model/entity.ts';
import { ALWAYS_FROM, ALWAYS_TO } from '../../../model/rows/rows.ts';
import type { MapDoubt } from '../../../model/topology.ts';
import { mapDoubts } from '../../analysis/causality/map-doubts.ts';
import { EntityGraph } from '../../analysis/topology/entity-graph.ts';
import { readEdgeEdits } from '../../store/case-file/annotations.ts';
import { rowsOf } from '../../store/case-file/case-file.ts';
import {
  applyEdgeEdits,
  type Edited,
  judgeProposals,
  type RecordedEdge,
  type ValidEdge,
} from '../../store/facts/edited-edges.ts';
import { createReader, type EntityFact, type Reader } from '../../store/facts/reader.ts';
import { readRecordedEdges } from '../../store/facts/recorded-edges.ts';
import { queries } from '../../store/queries/index.ts';
import type { OpenCase } from '../cases/open-case.ts';
import { named, readGpuNames } from '../gpus/gpu-names.ts';

/** The topology with edits and contradictions by records. */
export async function readTopology(opened: OpenCase, signal?: AbortSignal): Promise<Topology> {
  const { conclusions } = await opened.conclusions();
  const { lanes } = await opened.recordedLanes();
  // Spans, logs and collective operations refer to entities as events and samples do.
  const entitiesWithLanes = new Set(lanes.map(({ entity_kind, entity_id }) => `${entity_kind}:${entity_id}`));
  return opened.withSession(async (session) => {
    const reader = createReader(session, signal);
    const entities = await reader.entities();
    const watched = new Set(await reader.watchedEntities());
    const units = new Map(
      rowsOf<{ entity: number; unit: number }>(await session.query(queries.rackUnits)).map((row) => [
        row.entity,
        row.unit,
      ]),
    );
    const names = await readGpuNames(session, reader);
    const nodes = entities
      .filter(({ entity_id, canonical_id }) => entity_id === canonical_id)
      .map(({ canonical_id, kind, id }): TopologyNode & { readonly entity: number } => ({
        entity: canonical_id,
        key: entityKey(kind, id),
        kind,
        id,
        ...named(names, id),
        layer: layerOf(kind),
        recorded: watched.has(canonical_id) || entitiesWithLanes.has(entityKey(kind, id)),
        unit: units.get(canonical_id) ?? null,
      }));
    const byName = new Map(entities.map(({ kind, id, canonical_id }) => [entityKey(kind, id), canonical_id]));
    const all = await readRecordedEdges(session, signal);
    const proposed = all.filter(({ is_proposed }) => is_proposed);
    const edits = await readEdgeEdits(session);
    const entityOf = (name: string) => byName.get(name);
    const recorded = all.filter(({ is_proposed }) => !is_proposed);
    const { edges, removed } = applyEdgeEdits(recorded, edits, entityOf);
    const { open, rejected } = judgeProposals(proposed, edits, entityOf);
    const places = new Map(nodes.map(({ entity }, at) => [entity, at]));
    const found = new Map(proposed.map((edge) => [linkKey(edge), edge.provenance]));
    return {
      nodes: nodes.map(({ entity: _, ...node }) => node),
      edges: edges.flatMap((edge) => toEdge(edge, places, found.get(linkKey(edge)))),
      removed: [...removed, ...rejected].flatMap((edge) => toEdge(edge, places)),
      proposed: open.flatMap((edge) => {
        const { sources, reported_ns } = edge;
        return toEdge({ ...edge, edit: null }, places).map((one) => ({ ...one, sources: [...sources], reported_ns }));
      }),
      doubts: await readDoubts(reader, opened, conclusions, entities),
    };
  });
}

const linkKey = ({ from_id, kind, to_id }: ValidEdge): string => `${from_id} ${kind} ${to_id}`;

/** @param found provenance of an accepted proposal */
function toEdge(
  edge: Edited<ValidEdge | RecordedEdge>,
  places: ReadonlyMap<number, number>,
  found: readonly string[] = [],
): TopologyEdge[] {
  const from = places.get(edge.from_id);
  const to = places.get(edge.to_id);
  if (from === undefined || to === undefined) return [];
  return [
    {
      from,
      to,
      kind: edge.kind,
      from_ns: edge.valid_from_ns === ALWAYS_FROM ? null : edge.valid_from_ns,
      until_ns: edge.valid_to_ns === ALWAYS_TO ? null : edge.valid_to_ns,
      provenance: 'provenance' in edge ? [...edge.provenance] : [...found, 'investigator'],
      edit: edge.edit,
    },
  ];
}

/** Number of incidents that the topology is compared with. */
const MOST_INCIDENTS = 5;
const BEFORE_NS = 120_000_000_000n;
const AFTER_NS = 60_000_000_000n;

type Conclusions = Awaited<ReturnType<OpenCase['conclusions']>>['conclusions'];

async function readDoubts(
  reader: Reader,
  opened: OpenCase,
  conclusions: Conclusions,
  entities: readonly EntityFact[],
): Promise<MapDoubt[]> {
  const edges = await reader.edges();
  const reporters = new Set((await reader.reporters()).map(({ entity, source_id }) => `${entity} ${source_id}`));
  const { value: mechanisms } = await opened.mechanisms.current();
  const found = new Map<string, MapDoubt>();
  const onsets = conclusions.slice(0, MOST_INCIDENTS).map(({ window }) => window.onset_ns);
  // Without incidents the topology may still contradict itself.
  if (onsets.length === 0) onsets.push((await opened.info()).last_ns ?? 0n);
  for (const at_ns of onsets) {
    const graph = new EntityGraph(entities, edges, at_ns);
    const events = await reader.events(at_ns - BEFORE_NS, at_ns + AFTER_NS);
    const isWatchedBy = (entity: number, source: number): boolean => reporters.has(`${entity} ${source}`);
    for (const doubt of mapDoubts({ graph, edges, at_ns, events, mechanisms, isWatchedBy }))
      found.set(`${doubt.doubt} ${doubt.entity}`, doubt);
  }
  return [...found.values()];
}
