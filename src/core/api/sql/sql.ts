import type { CallContext, Parsed, Relation } from '../../../model/contract/index.ts';
import { fail } from '../../../model/problem.ts';
import { readAnnotations } from '../../store/case-file/annotations.ts';
import { rowsOf } from '../../store/case-file/case-file.ts';
import { queries } from '../../store/queries/index.ts';
import { toTable } from '../evidence/table.ts';
import type { Workspace } from '../workspace.ts';

interface ColumnRow {
  readonly name: string;
  readonly kind: 'view' | 'table';
  readonly column: string;
  readonly type: string;
}

/** The investigator's own SQL. */
export function sqlHandlers(workspace: Workspace) {
  return {
    'sql.schema': async (): Promise<Relation[]> =>
      workspace
        .required()
        .withSession(async (session) => toRelations(rowsOf<ColumnRow>(await session.query(queries.relations)))),
    'query.sql': async ({ sql, limit, unread }: Parsed<'query.sql'>, { signal }: CallContext) => {
      const opened = workspace.required();
      const isKnown = await workspace.queries.has(sql);
      if (unread && !isKnown) refuseUnread();
      const table = await opened.withSession(async (session) => {
        const result = await session.queryUntrusted(sql, limit, signal);
        return toTable(result, result.truncated);
      });
      // Not before it has answered: a query that crashed the machine must not run again when the case is opened.
      if (!isKnown) {
        await workspace.queries.add(sql);
        const saved = await opened.withSession(readAnnotations);
        if (saved.some((one) => one.kind === 'query' && one.sql === sql)) opened.lanesChanged();
      }
      return table;
    },
    'query.parquet': async ({ sql }: Parsed<'query.parquet'>, { signal }: CallContext) =>
      workspace.required().withSession(async (session) => ({ bytes: await session.queryParquet(sql, signal) })),
  };
}

/** @throws ProblemError sql.from_elsewhere */
function refuseUnread(): never {
  return fail('sql.from_elsewhere', 'this query came with the case and was never run on this machine', {
    hint: 'read it, then press Ctrl+Enter to run it: SQL has no access to files or network, but it can use all memory',
  });
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
