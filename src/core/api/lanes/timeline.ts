import type { CallContext, Parsed, SilenceView, Table } from '../../../model/contract/index.ts';
import type { Session, SqlValue } from '../../../model/storage/engine.ts';
import { rowsOf } from '../../store/case-file/case-file.ts';
import { listText } from '../../store/list-text.ts';
import { questions } from '../../store/queries/index.ts';
import type { Desk } from '../desk.ts';
import { toTable } from '../evidence/table.ts';
import { readLanes, readOverview } from './lane-data.ts';
import { readStatistics } from './lane-statistics.ts';

/** Lanes, what is drawn in them, and the rows behind. */
export function timelineHandlers(desk: Desk) {
  return {
    'timeline.lanes': async ({ concluded }: Parsed<'timeline.lanes'>) => {
      const opened = desk.required();
      return [...(await (concluded ? opened.catalog() : opened.recordedLanes())).lanes];
    },
    'timeline.data': async (input: Parsed<'timeline.data'>, { signal }: CallContext) => {
      const opened = desk.required();
      const catalog = await opened.catalogOf(input.lanes);
      return readLanes(opened, catalog, input, signal);
    },
    'timeline.silences': async () => desk.required().withSession(readSilences),
    'timeline.statistics': async (input: Parsed<'timeline.statistics'>, { signal }: CallContext) => {
      const opened = desk.required();
      const catalog = await opened.catalogOf(input.lanes);
      return opened.withSession((session) => readStatistics(session, catalog, input, signal));
    },
    'timeline.overview': async (input: Parsed<'timeline.overview'>, { signal }: CallContext) =>
      desk.required().withSession((session) => readOverview(session, input, signal)),
    'rows.list': async (input: Parsed<'rows.list'>, { signal }: CallContext) =>
      desk.required().withSession((session) => listRows(session, input, signal)),
  };
}

export const readSilences = async (session: Session): Promise<SilenceView[]> =>
  rowsOf<SilenceView>(await session.query(questions.silences));

async function listRows(
  session: Session,
  { start_ns, end_ns, table, entities, limit }: Parsed<'rows.list'>,
  signal?: AbortSignal,
): Promise<Table> {
  const sql = { event: questions.eventRows, span: questions.spanRows, log: questions.logRows }[table];
  const values: SqlValue[] = [start_ns, end_ns, BigInt(limit), listText(entities)];
  const result = await session.query(sql, values, signal);
  return toTable({ ...result, count: Math.min(result.count, limit) }, result.count > limit);
}
