import type { Annotation, AnnotationChange, AnnotationOf } from '../../../model/incident/annotation.ts';
import { annotationSchema } from '../../../model/incident/annotation-schema.ts';
import type { Session } from '../../../model/storage/engine.ts';
import { rowsOf } from './case-file.ts';
import { applyManualClocks } from './manual-clocks.ts';

interface AnnotationRow {
  readonly annotation_id: string;
  readonly kind: string;
  readonly text: string;
  readonly at_ns: bigint | null;
  readonly until_ns: bigint | null;
  readonly made_at_ns: bigint;
  readonly body: string;
}

/** All of them, in the order in which they were made. */
export async function readAnnotations(session: Session): Promise<Annotation[]> {
  const rows = rowsOf<AnnotationRow>(
    await session.query('select * from annotation order by made_at_ns, annotation_id'),
  );
  return rows.map(toAnnotation);
}

/** A case may come from outside: an unreadable annotation is shown as a note. */
function toAnnotation({ annotation_id: id, body, ...common }: AnnotationRow): Annotation {
  try {
    return annotationSchema.parse({ ...(JSON.parse(body) as object), ...common, id });
  } catch {
    const { at_ns, until_ns, made_at_ns, kind, text } = common;
    return {
      kind: 'note',
      id,
      text: `unreadable ${kind}: ${text}`,
      at_ns,
      until_ns,
      made_at_ns,
      target: null,
    };
  }
}

export const readEdgeEdits = async (session: Session): Promise<AnnotationOf<'edge'>[]> =>
  (await readAnnotations(session)).filter((annotation) => annotation.kind === 'edge');

/** Atomic; an existing id is replaced. */
export async function changeAnnotations(session: Session, { put, remove }: AnnotationChange): Promise<void> {
  await session.execute('begin transaction');
  try {
    for (const id of remove) await session.query('delete from annotation where annotation_id = $1', [id]);
    for (const annotation of put) {
      const { id, kind, text, at_ns, until_ns, made_at_ns, ...body } = annotation;
      await session.query('insert or replace into annotation values ($1, $2, $3, $4, $5, $6, $7)', [
        id,
        kind,
        text,
        at_ns,
        until_ns,
        made_at_ns,
        JSON.stringify(body),
      ]);
    }
    const clocks = (await readAnnotations(session)).filter((annotation) => annotation.kind === 'clock');
    await applyManualClocks(session, clocks);
    await session.execute('commit');
  } catch (error) {
    await session.execute('rollback');
    throw error;
  }
}
