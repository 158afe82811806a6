import type { Session } from '../../../model/storage/engine.ts';
import { questions } from '../queries/index.ts';
import type { RecordedEdge } from './edited-edges.ts';

/** Who says what kind of link since when: few words for many links. */
type Words = Pick<RecordedEdge, 'kind' | 'is_proposed' | 'told_ns'> & {
  readonly provenance: string;
  readonly source: string;
};

/** Columns of `edges.sql`, in its order; of a kind of link that came before, the words are null. */
type EdgeColumns = readonly [
  from: readonly number[],
  to: readonly number[],
  since: readonly bigint[],
  until: readonly bigint[],
  said: readonly number[],
  kind: readonly (Words['kind'] | null)[],
  provenance: readonly string[],
  source: readonly string[],
  told: readonly bigint[],
  proposed: readonly boolean[],
];

/** Every link of the case's entities, recorded or proposed, with all its sources; in order of what it joins. */
export async function readRecordedEdges(session: Session, signal?: AbortSignal): Promise<RecordedEdge[]> {
  const { columns, count } = await session.query(questions.edges, [], signal);
  if (count === 0) return [];
  const known = columns as unknown as EdgeColumns;
  const [from, to, since, until, said] = known;
  const words = wordsOf(known, count);
  const edges: RecordedEdge[] = [];
  for (let row = 0; row < count; row++) {
    const { kind, provenance, source, told_ns, is_proposed } = words.get(said[row]!)!;
    const edge: RecordedEdge = {
      from_id: from[row]!,
      kind,
      to_id: to[row]!,
      valid_from_ns: since[row]!,
      valid_to_ns: until[row]!,
      is_proposed,
      provenance: [provenance],
      sources: [source],
      told_ns,
    };
    const before = edges.at(-1);
    if (before && isSameLink(before, edge)) edges[edges.length - 1] = joined(before, edge);
    else edges.push(edge);
  }
  return edges;
}

function wordsOf(columns: EdgeColumns, count: number): ReadonlyMap<number, Words> {
  const [, , , , said, kind, provenance, source, told, proposed] = columns;
  const words = new Map<number, Words>();
  for (let row = 0; row < count; row++)
    if (kind[row] !== null && !words.has(said[row]!))
      words.set(said[row]!, {
        kind: kind[row]!,
        provenance: provenance[row]!,
        source: source[row]!,
        told_ns: told[row]!,
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
    told_ns: a.told_ns < b.told_ns ? a.told_ns : b.told_ns,
  };
}
