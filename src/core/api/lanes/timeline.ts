import type { CallContext, Parsed, SilenceView, Table } from '../../../model/contract/index.ts';
import type { Session, SqlValue } from '../../../model/storage/engine.ts';
import { rowsOf } from '../../store/case-file/case-file.ts';
import { listText } from '../../store/list-text.ts';
import { queries } from '../../store/queries/index.ts';
import { toTable } from '../evidence/table.ts';
import type { Workspace } from '../workspace.ts';
import { readLanes, readOverview } from './lane-data.ts';
import { readStatistics } from './lane-statistics.ts';

/** Lanes, what is drawn in them, and the rows behind. */
export function timelineHandlers(workspace: Workspace) {
  return {
    'timeline.lanes': async ({ concluded }: Parsed<'timeline.lanes'>) => {
      const opened = workspace.required();
      return [...(await (concluded ? opened.catalog() : opened.recordedLanes())).lanes];
    },
    'timeline.data': async (input: Parsed<'timeline.data'>, { signal }: CallContext) => {
      const opened = workspace.required();
      const catalog = await opened.catalogOf(input.lanes);
      return readLanes(opened, catalog, input, signal);
    },
    'timeline.silences': async () => workspace.required().withSession(readSilences),
    'timeline.statistics': async (input: Parsed<'timeline.statistics'>, { signal }: CallContext) => {
      const opened = workspace.required();
      const catalog = await opened.catalogOf(input.lanes);
      return opened.withSession((session) => readStatistics(session, catalog, input, signal));
    },
    'timeline.overview': async (input: Parsed<'timeline.overview'>, { signal }: CallContext) =>
      workspace.required().withSession((session) => readOverview(session, input, signal)),
    'rows.list': async (input: Parsed<'rows.list'>, { signal }: CallContext) =>
      workspace.required().withSession((session) => listRows(session, input, signal)),
  };
}

export const readSilences = async (session: Session): Promise<SilenceView[]> =>
  rowsOf<SilenceView>(await session.query(queries.silences));

async function listRows(
  session: Session,
  { start_ns, end_ns, table, entities, limit }: Parsed<'rows.list'>,
  signal?: AbortSignal,
): Promise<Table> {
  const sql = { event: queries.eventRows, span: queries.spanRows, log: queries.logRows }[table];
  const values: SqlValue[] = [start_ns, end_ns, BigInt(limit), listText(entities)];
  const result = await session.query(sql, values, signal);
  return toTable({ ...result, count: Math.min(result.count, limit) }, result.count > limit);
}
