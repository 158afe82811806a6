import type { AnnotationOf } from '../../../model/incident/annotation.ts';
import { ALWAYS_FROM, ALWAYS_TO } from '../../../model/rows/rows.ts';
import type { EdgeKind } from '../../../model/topology.ts';

export interface ValidEdge {
  readonly from_id: number;
  readonly kind: EdgeKind;
  readonly to_id: number;
  readonly valid_from_ns: bigint;
  readonly valid_to_ns: bigint;
}

/** As a case has it, with its provenance. */
export interface RecordedEdge extends ValidEdge {
  /** Found by a live feed between two devices: it does not count until the investigator accepts it. */
  readonly is_proposed: boolean;
  /** How it is known: `lldp`, `redfish links`. */
  readonly provenance: readonly string[];
  /** Names of its data sources. */
  readonly sources: readonly string[];
  /** When the first of them began to be read. */
  readonly reported_ns: bigint;
}

/** `edit`: the annotation that made it so; null as recorded. */
export type Edited<E extends ValidEdge> = E & { readonly edit: string | null };

export interface EditedEdges<E extends ValidEdge> {
  /** Valid edges. */
  readonly edges: readonly Edited<E | ValidEdge>[];
  /** Recorded edges that an edit removes, while the edit is valid. */
  readonly removed: readonly Edited<E>[];
}

/**
 * The recorded edges with the investigator's edits in order. Within the time of an edit only the edit counts; outside of it the
 * record does. An edit of unknown entities has no effect.
 * @param entityOf the canonical entity of a `kind:id`
 */
export function applyEdgeEdits<E extends ValidEdge>(
  recorded: readonly E[],
  edits: readonly AnnotationOf<'edge'>[],
  entityOf: (name: string) => number | undefined,
): EditedEdges<E> {
  let edges: readonly Edited<E | ValidEdge>[] = recorded.map((edge) => ({ ...edge, edit: null }));
  const removed: Edited<E>[] = [];
  for (const edit of edits) {
    const from_id = entityOf(edit.from);
    const to_id = entityOf(edit.to);
    if (from_id === undefined || to_id === undefined) continue;
    const valid_from_ns = edit.at_ns ?? ALWAYS_FROM;
    const valid_to_ns = edit.until_ns ?? ALWAYS_TO;
    const edgeRow = { from_id, kind: edit.edge, to_id, valid_from_ns, valid_to_ns, edit: edit.id };
    if (edit.change === 'add') {
      edges = [...edges, edgeRow];
      continue;
    }
    edges = edges.flatMap((edge) => {
      if (edge.from_id !== from_id || edge.to_id !== to_id || edge.kind !== edit.edge) return [edge];
      const cut = overlap(edge, edgeRow);
      if (!cut) return [edge];
      if (edge.edit === null) removed.push({ ...(edge as E), ...cut, edit: edit.id });
      return [
        ...(edge.valid_from_ns < cut.valid_from_ns ? [{ ...edge, valid_to_ns: cut.valid_from_ns }] : []),
        ...(edge.valid_to_ns > cut.valid_to_ns ? [{ ...edge, valid_from_ns: cut.valid_to_ns }] : []),
      ];
    });
  }
  return { edges, removed };
}

export interface JudgedProposals {
  /** Proposals without a decision. */
  readonly open: readonly RecordedEdge[];
  readonly rejected: readonly Edited<RecordedEdge>[];
}

/** Adding a proposed link accepts it, taking it away rejects it; the last word counts, and undoing it opens the proposal again. */
export function judgeProposals(
  proposed: readonly RecordedEdge[],
  edits: readonly AnnotationOf<'edge'>[],
  entityOf: (name: string) => number | undefined,
): JudgedProposals {
  const editByEdge = new Map(edits.map((edit) => [`${entityOf(edit.from)} ${edit.edge} ${entityOf(edit.to)}`, edit]));
  const editOf = ({ from_id, kind, to_id }: ValidEdge) => editByEdge.get(`${from_id} ${kind} ${to_id}`);
  return {
    open: proposed.filter((edge) => !editOf(edge)),
    rejected: proposed.flatMap((edge) => {
      const edit = editOf(edge);
      return edit?.change === 'remove' ? [{ ...edge, edit: edit.id }] : [];
    }),
  };
}

function overlap(a: ValidEdge, b: ValidEdge): Pick<ValidEdge, 'valid_from_ns' | 'valid_to_ns'> | undefined {
  const valid_from_ns = a.valid_from_ns > b.valid_from_ns ? a.valid_from_ns : b.valid_from_ns;
  const valid_to_ns = a.valid_to_ns < b.valid_to_ns ? a.valid_to_ns : b.valid_to_ns;
  return valid_from_ns < valid_to_ns ? { valid_from_ns, valid_to_ns } : undefined;
}
