import type { Session } from '../../model/engine.ts';
import type { RecordedEdge } from './edited-edges.ts';
import { questions } from './questions/index.ts';

/** Who says what kind of link since when: few words for many links. */
type Words = Pick<RecordedEdge, 'kind' | 'is_proposed' | 'told_ns'> & {
  readonly provenance: string;
  readonly source: string;
};

/** Every link of the case's things, recorded or proposed, with all who say so; in order of what it joins. */
export async function readRecordedEdges(session: Session, signal?: AbortSignal): Promise<RecordedEdge[]> {
  const { columns, count } = await session.query(questions.edges, [], signal);
  const [from = [], to = [], since = [], until = [], said = []] = columns;
  const words = wordsOf(columns, count);
  const edges: RecordedEdge[] = [];
  for (let row = 0; row < count; row++) {
    const { kind, provenance, source, told_ns, is_proposed } = words.get(said[row] as number) as Words;
    const edge: RecordedEdge = {
      from_id: from[row] as number,
      kind,
      to_id: to[row] as number,
      valid_from_ns: since[row] as bigint,
      valid_to_ns: until[row] as bigint,
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

function wordsOf(columns: readonly ArrayLike<unknown>[], count: number): ReadonlyMap<number, Words> {
  const [, , , , said = [], kind = [], provenance = [], source = [], told = [], proposed = []] = columns;
  const words = new Map<number, Words>();
  for (let row = 0; row < count; row++)
    if (kind[row] !== null && !words.has(said[row] as number))
      words.set(said[row] as number, {
        kind: kind[row] as Words['kind'],
        provenance: provenance[row] as string,
        source: source[row] as string,
        told_ns: told[row] as bigint,
        is_proposed: proposed[row] as boolean,
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
