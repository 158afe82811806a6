import type { CallContext, Parsed, Relation } from '../../model/contract/index.ts';
import { rowsOf } from '../store/case-file.ts';
import { questions } from '../store/questions/index.ts';
import type { Desk } from './desk.ts';
import { toTable } from './table.ts';

interface ColumnRow {
  readonly name: string;
  readonly kind: 'view' | 'table';
  readonly column: string;
  readonly type: string;
}

/** The investigator's own SQL. */
export function sqlHandlers(desk: Desk) {
  return {
    'sql.schema': async (): Promise<Relation[]> =>
      desk
        .required()
        .withSession(async (session) => toRelations(rowsOf<ColumnRow>(await session.query(questions.relations)))),
    'query.sql': async ({ sql, limit }: Parsed<'query.sql'>, { signal }: CallContext) =>
      desk.required().withSession(async (session) => {
        const result = await session.queryUntrusted(sql, limit, signal);
        return toTable(result, result.truncated);
      }),
    'query.parquet': async ({ sql }: Parsed<'query.parquet'>, { signal }: CallContext) =>
      desk.required().withSession(async (session) => ({ bytes: await session.queryParquet(sql, signal) })),
  };
}

function toRelations(rows: readonly ColumnRow[]): Relation[] {
  const relations: Relation[] = [...Map.groupBy(rows, ({ name }) => name)].map(([name, own]) => ({
    name,
    kind: own[0]?.kind ?? 'table',
    columns: own.map(({ column, type }) => ({ name: column, type })),
  }));
  const spans = relations.find(({ name }) => name === 'spans');
  return spans ? [{ ...spans, name: "trace('…')", kind: 'function' }, ...relations] : relations;
}
