import type { Output, Parsed } from '../../../model/contract/index.ts';
import { entityKey } from '../../../model/entity.ts';
import type { Annotation, AnnotationOf } from '../../../model/incident/annotation.ts';
import { fail } from '../../../model/problem.ts';
import { changeAnnotations, readAnnotations } from '../../store/case-file/annotations.ts';
import { createReader } from '../../store/facts/reader.ts';
import type { OpenCase } from '../cases/open-case.ts';
import type { Workspace } from '../workspace.ts';

/** Annotations of the investigator. @param onJudged a hypothesis was judged: what is stored about the verdict is out of date */
export function annotationHandlers(workspace: Workspace, onJudged: (opened: OpenCase) => Promise<void>) {
  return {
    'annotations.list': async (): Promise<Output<'annotations.list'>> =>
      workspace.required().withSession((session) => readAnnotations(session)),
    'annotations.change': async (change: Parsed<'annotations.change'>): Promise<Record<string, never>> => {
      const opened = workspace.required();
      const touches = await opened.withSession(async (session) => {
        const before = new Map((await readAnnotations(session)).map((one) => [one.id, one]));
        const touched = [...change.put, ...change.remove.flatMap((id) => before.get(id) ?? [])];
        const all = [...touched, ...change.put.flatMap(({ id }) => before.get(id) ?? [])];
        const put = change.put.filter(isEdgeEdit);
        if (put.length > 0) refuseUnknown(put, await createReader(session).entities());
        const clocks = change.put.filter((one) => one.kind === 'clock');
        if (clocks.length > 0) refuseUnknownSources(clocks, await opened.sources());
        await changeAnnotations(session, change);
        for (const one of change.put)
          if (one.kind === 'query' && isWord(one, before.get(one.id))) await workspace.queries.add(one.sql);
        return new Set(all.map(({ kind }) => kind));
      });
      // Events derived from samples of several data sources depend on the clocks.
      if (touches.has('clock')) await opened.derive();
      else if (touches.has('edge')) opened.edgesChanged();
      if (touches.has('query') || touches.has('search')) opened.lanesChanged();
      if (touches.has('judgement')) await onJudged(opened);
      return {};
    },
  };
}

/** Marks the SQL as trusted if it was written or drawn just now; renaming does not. */
const isWord = ({ sql, lane }: AnnotationOf<'query'>, before: Annotation | undefined): boolean =>
  before?.kind !== 'query' || before.sql !== sql || (before.lane === null && lane !== null);

const isEdgeEdit = (annotation: Annotation): annotation is AnnotationOf<'edge'> => annotation.kind === 'edge';

/** @throws ProblemError annotation.unknown_source */
function refuseUnknownSources(
  clocks: readonly AnnotationOf<'clock'>[],
  sources: readonly { readonly source_id: number }[],
): void {
  const known = new Set(sources.map(({ source_id }) => source_id));
  for (const { source, name } of clocks)
    if (!known.has(source)) fail('annotation.unknown_source', `there is no source ${source} (${name}) in this case`);
}

type Entities = Awaited<ReturnType<ReturnType<typeof createReader>['entities']>>;

/** @throws ProblemError annotation.unknown_entity, annotation.own_feed */
function refuseUnknown(edits: readonly AnnotationOf<'edge'>[], entities: Entities): void {
  const known = new Map(entities.map(({ kind, id, canonical_id }) => [entityKey(kind, id), canonical_id]));
  for (const { from, to, edge } of edits) {
    for (const name of [from, to])
      if (!known.has(name))
        fail('annotation.unknown_entity', `there is no ${name} in this case`, {
          hint: 'choose an entity named in the records',
        });
    if (known.get(from) === known.get(to))
      fail('annotation.own_link', `${from} ${edge} ${to} would link an entity with itself`);
  }
}
