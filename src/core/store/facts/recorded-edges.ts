import type { Session } from '../../../model/storage/engine.ts';
import { queries } from '../queries/index.ts';
import type { RecordedEdge } from './edited-edges.ts';

/** Provenance and kind, shared by many links. */
type EdgeLabels = Pick<RecordedEdge, 'kind' | 'is_proposed' | 'reported_ns'> & {
  readonly provenance: string;
  readonly source: string;
};

/** Columns of `edges.sql`, in its order; the texts are null if the kind came before. */
type EdgeColumns = readonly [
  from: readonly number[],
  to: readonly number[],
  since: readonly bigint[],
  until: readonly bigint[],
  statement: readonly number[],
  kind: readonly (EdgeLabels['kind'] | null)[],
  provenance: readonly string[],
  source: readonly string[],
  reported: readonly bigint[],
  proposed: readonly boolean[],
];

/** Only what a live feed recorded may be a proposal: judged-edges.sql. */
export const mayPropose = async (session: Session): Promise<boolean> =>
  (await session.query("select 1 from source where starts_with(digest, 'capture:') limit 1")).count > 0;

/** Every link of the case's entities, recorded or proposed, with all its sources; in order of what it joins. */
export async function readRecordedEdges(session: Session, signal?: AbortSignal): Promise<RecordedEdge[]> {
  const sql = (await mayPropose(session)) ? queries.edges : queries.edgesAsStated;
  const { columns, count } = await session.query(sql, [], signal);
  if (count === 0) return [];
  const known = columns as unknown as EdgeColumns;
  const [from, to, since, until, labelCodes] = known;
  const labels = edgeLabelsOf(known, count);
  const edges: RecordedEdge[] = [];
  for (let row = 0; row < count; row++) {
    const { kind, provenance, source, reported_ns, is_proposed } = labels.get(labelCodes[row]!)!;
    const edge: RecordedEdge = {
      from_id: from[row]!,
      kind,
      to_id: to[row]!,
      valid_from_ns: since[row]!,
      valid_to_ns: until[row]!,
      is_proposed,
      provenance: [provenance],
      sources: [source],
      reported_ns,
    };
    const before = edges.at(-1);
    if (before && isSameLink(before, edge)) edges[edges.length - 1] = joined(before, edge);
    else edges.push(edge);
  }
  return edges;
}

function edgeLabelsOf(columns: EdgeColumns, count: number): ReadonlyMap<number, EdgeLabels> {
  const [, , , , statement, kind, provenance, source, reportedNs, proposed] = columns;
  const words = new Map<number, EdgeLabels>();
  for (let row = 0; row < count; row++)
    if (kind[row] !== null && !words.has(statement[row]!))
      words.set(statement[row]!, {
        kind: kind[row]!,
        provenance: provenance[row]!,
        source: source[row]!,
        reported_ns: reportedNs[row]!,
        is_proposed: proposed[row]!,
      });
  return words;
}

const isSameLink = (a: RecordedEdge, b: RecordedEdge): boolean =>
  a.from_id === b.from_id &&
  a.to_id === b.to_id &&
  a.kind === b.kind &&
  a.valid_from_ns === b.valid_from_ns &&
  a.valid_to_ns === b.valid_to_ns;

function joined(a: RecordedEdge, b: RecordedEdge): RecordedEdge {
  return {
    ...a,
    provenance: [...new Set([...a.provenance, ...b.provenance])].sort(),
    sources: [...new Set([...a.sources, ...b.sources])].sort(),
    reported_ns: a.reported_ns < b.reported_ns ? a.reported_ns : b.reported_ns,
  };
}
