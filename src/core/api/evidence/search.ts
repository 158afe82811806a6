import type { Output, Parsed } from '../../../model/contract/index.ts';
import { type EntityKind, entityKey, layerOf } from '../../../model/entity.ts';
import type { Session } from '../../../model/storage/engine.ts';
import { rowsOf } from '../../store/case-file/case-file.ts';
import { queries } from '../../store/queries/index.ts';

type Found = Output<'search'>;

/** Finds a text in names, events, spans and logs; at most so many of each. */
export async function search(
  session: Session,
  { text, limit }: Parsed<'search'>,
  signal?: AbortSignal,
): Promise<Found> {
  const runQuery = async <T>(sql: string): Promise<T[]> => rowsOf<T>(await session.query(sql, [text, limit], signal));
  const entities = await runQuery<{ kind: EntityKind; id: string; name: string }>(queries.searchEntities);
  return {
    entities: entities.map(({ kind, id, name }) => ({
      key: entityKey(kind, id),
      kind,
      id,
      name,
      layer: layerOf(kind),
    })),
    events: await runQuery<Found['events'][number]>(queries.searchEvents),
    spans: await runQuery<Found['spans'][number]>(queries.searchSpans),
    logs: await runQuery<Found['logs'][number]>(queries.searchLogs),
  };
}
