import type { Output, Parsed } from '../../../model/contract/index.ts';
import { rowsOf } from '../../store/case-file/case-file.ts';
import { queries } from '../../store/queries/index.ts';
import { outdateDerivedEvents } from '../../store/writer/derived-events.ts';
import { resolveEntities } from '../../store/writer/resolve-entities.ts';
import type { Workspace } from '../workspace.ts';
import type { OpenCase } from './open-case.ts';

interface MergeRow {
  readonly kind: string;
  readonly id: string;
  readonly other_kind: string;
  readonly other_id: string;
  readonly as_kind: string;
  readonly as_id: string;
  readonly reason: string;
  readonly source: string | null;
  readonly other_source: string | null;
}

/** Merged names, and the investigator's corrections. */
export function nameHandlers(workspace: Workspace) {
  return {
    'names.list': async (): Promise<Output<'names.list'>> =>
      workspace.required().withSession(async (session) => {
        const merged = rowsOf<MergeRow>(await session.query(queries.merges)).map((row) => ({
          one: { kind: row.kind, id: row.id },
          other: { kind: row.other_kind, id: row.other_id },
          as: { kind: row.as_kind, id: row.as_id },
          reason: row.reason,
          sources: [...new Set([row.source, row.other_source].filter((name) => name !== null))],
        }));
        const apart = rowsOf<Pick<MergeRow, 'kind' | 'id' | 'other_kind' | 'other_id'>>(
          await session.query('select kind, id, other_kind, other_id from held_apart order by all'),
        ).map((row) => ({ one: { kind: row.kind, id: row.id }, other: { kind: row.other_kind, id: row.other_id } }));
        return { merged, apart };
      }),
    'names.hold_apart': ({ one, other }: Parsed<'names.hold_apart'>) =>
      decide(
        workspace.required(),
        `insert into held_apart select $1, $2, $3, $4 where not exists (
           select 1 from held_apart where kind = $1 and id = $2 and other_kind = $3 and other_id = $4)`,
        [one.kind, one.id, other.kind, other.id],
      ),
    'names.rejoin': ({ one, other }: Parsed<'names.rejoin'>) =>
      decide(
        workspace.required(),
        `delete from held_apart where (kind = $1 and id = $2 and other_kind = $3 and other_id = $4)
           or (kind = $3 and id = $4 and other_kind = $1 and other_id = $2)`,
        [one.kind, one.id, other.kind, other.id],
      ),
  };
}

async function decide(opened: OpenCase, sql: string, values: readonly string[]): Promise<Record<string, never>> {
  await opened.withSession(async (session) => {
    await session.execute('begin transaction');
    try {
      await session.query(sql, values);
      await resolveEntities(session);
      await outdateDerivedEvents(session);
      await session.execute('commit');
    } catch (error) {
      await session.execute('rollback');
      throw error;
    }
  });
  await opened.derive();
  return {};
}
