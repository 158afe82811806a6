import type { Output, Parsed } from '../../../model/contract/index.ts';
import { type EntityKind, entityKey, layerOf } from '../../../model/entity.ts';
import type { Session } from '../../../model/storage/engine.ts';
import { rowsOf } from '../../store/case-file/case-file.ts';
import { questions } from '../../store/queries/index.ts';

type Found = Output<'search'>;

/** Finds a text in names, events, spans and logs; at most so many of each. */
export async function search(
  session: Session,
  { text, limit }: Parsed<'search'>,
  signal?: AbortSignal,
): Promise<Found> {
  const ask = async <T>(sql: string): Promise<T[]> => rowsOf<T>(await session.query(sql, [text, limit], signal));
  const things = await ask<{ kind: EntityKind; id: string; name: string }>(questions.searchThings);
  return {
    things: things.map(({ kind, id, name }) => ({ key: entityKey(kind, id), kind, id, name, layer: layerOf(kind) })),
    events: await ask<Found['events'][number]>(questions.searchEvents),
    spans: await ask<Found['spans'][number]>(questions.searchSpans),
    logs: await ask<Found['logs'][number]>(questions.searchLogs),
  };
}
