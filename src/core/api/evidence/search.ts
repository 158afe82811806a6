import type { Output, Parsed } from '../../../model/contract/index.ts';
import { type EntityKind, entityKey, layerOf } from '../../../model/entity.ts';
import type { Session, SqlValue } from '../../../model/storage/engine.ts';
import { rowsOf } from '../../store/case-file/case-file.ts';
import { queries } from '../../store/queries/index.ts';

type Found = Output<'search'>;

/** `Xid 79`, `xid: 79`, `XID=79`. */
const XID = /^xid[\s:=#-]*(\d{1,4})$/i;
/** Ids as W3C Trace Context writes them; of a `traceparent` both, and a trace id of 64 bits is as long as a span id. */
const ID = /^(?:0x)?(?:([0-9a-f]{32})|([0-9a-f]{16})|[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2})$/i;

/** Finds a text in names, events, spans and logs, and traces, spans and Xids by their ids; at most so many of each. */
export async function search(
  session: Session,
  { text, limit }: Parsed<'search'>,
  signal?: AbortSignal,
): Promise<Found> {
  const runQuery = async <T>(sql: string, ...values: readonly SqlValue[]): Promise<T[]> =>
    rowsOf<T>(await session.query(sql, [...values], signal));
  const wanted = text.trim();
  const entities = await runQuery<EntityRow>(queries.searchEntities, wanted, limit);
  const [, whole = '', short = '', ofParent = '', span = ''] = ID.exec(wanted) ?? [];
  const trace = (whole || ofParent || short).toLowerCase();
  const xid = BigInt(XID.exec(wanted)?.[1] ?? -1);
  return {
    entities: entities.map((row) => ({ ...row, key: entityKey(row.kind, row.id), layer: layerOf(row.kind) })),
    ids:
      trace === ''
        ? []
        : await runQuery<Found['ids'][number]>(queries.searchIds, trace, (span || short).toLowerCase(), limit),
    events: await runQuery<Found['events'][number]>(queries.searchEvents, wanted, limit, xid),
    spans: await runQuery<Found['spans'][number]>(queries.searchSpans, wanted, limit),
    logs: await runQuery<Found['logs'][number]>(queries.searchLogs, wanted, limit),
  };
}

interface EntityRow {
  readonly kind: EntityKind;
  readonly id: string;
  readonly name: string;
  readonly what: string;
}
