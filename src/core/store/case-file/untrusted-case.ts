import { fail, ProblemError } from '../../../model/problem.ts';
import type { Engine, Session } from '../../../model/storage/engine.ts';
import { pathTables } from '../facts/call-paths.ts';
import { storedTables, tablesScript, viewsScript } from '../tables/index.ts';
import { one, prepareCase, rowsOf } from './case-file.ts';
import { foreignParts } from './foreign-parts.ts';

/**
 * {@link prepareCase} of a file that anybody may have made, not of tables that a bundle has just brought: what answers could be made to lie or to hang with is refused before
 * anything else is asked, and views and functions of ours are ours.
 * @throws ProblemError case.foreign
 */
export async function prepareFoundCase(engine: Engine, name: string): Promise<boolean> {
  const session = await engine.session();
  try {
    const found = await foreignParts(session);
    if (found.length > 0)
      refuse(
        found.map(({ kind, name: of }) => `the ${kind} ${of.slice(0, 60)}`),
        WITHOUT,
      );
    if (await prepareCase(engine, name).catch(ofOtherColumns)) return true;
    const others = await tablesOfOtherColumns(session);
    if (others.length > 0)
      refuse(
        others.map((table) => `other columns in the table ${table}`),
        ASK_FOR_BUNDLE,
      );
    await refreshViews(session);
    return false;
  } finally {
    session.close();
  }
}

const WITHOUT =
  'it could make answers look otherwise; to copy nothing but the rows of its tables: faultline repair CASE';
const ASK_FOR_BUNDLE = 'ask whoever made it for a bundle, or for the files that it was made of';

function refuse([first = '', ...others]: readonly string[], hint: string): never {
  const rest = others.length === 0 ? '' : ` and ${others.length} more`;
  return fail('case.foreign', `this case holds what no Faultline puts into one: ${first}${rest}`, { hint });
}

/** What the engine says of a script of ours is that it does not fit these tables. */
function ofOtherColumns(error: unknown): never {
  if (error instanceof ProblemError) throw error;
  const firstLine = (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
  return refuse([`tables that are not those of its schema (${firstLine.slice(0, 200)})`], ASK_FOR_BUNDLE);
}

/** Made when somebody asks for what they hold. */
const madeLater: ReadonlySet<string> = new Set(['call_path', 'path_slice']);

/** Rows are appended by the order of columns. */
async function tablesOfOtherColumns(session: Session): Promise<string[]> {
  await session.execute(
    `begin transaction;\n${(tablesScript + pathTables).replaceAll('create table', 'create temp table')}`,
  );
  const columns = rowsOf<{ place: string; name: string; column: string; type: string }>(
    await session.query(
      `select database_name as place, table_name as name, column_name as "column", data_type as type
       from duckdb_columns() where database_name <> 'system' order by column_index`,
    ),
  );
  await session.execute('rollback');
  const listed = new Map<string, string>();
  for (const { place, name, column, type } of columns) {
    const key = `${place === 'temp' ? 'wanted' : 'found'} ${name}`;
    listed.set(key, `${listed.get(key) ?? ''}${column} ${type}, `);
  }
  return [...storedTables, ...madeLater].filter((table) => {
    const found = listed.get(`found ${table}`);
    return found !== listed.get(`wanted ${table}`) && !(found === undefined && madeLater.has(table));
  });
}

/** SHA-256 of the text of our views and functions, as this engine gives it back of a case that is opened again; a test knows it. */
const VIEWS_AS_STORED = 'b55679b1f1d0b98adf29c83af8c0605f8103e3d1890e6657fa7e9f3b8b2720b6';

/** Views hold no rows. Those of an older Faultline, or of somebody who calls his own like ours, are made anew. */
async function refreshViews(session: Session): Promise<void> {
  const stored = await one<{ digest: string }>(
    session,
    `select sha256(string_agg(text, ';' order by text)) as digest from (
       select sql as text from duckdb_views() where database_name not in ('system', 'temp')
       union all select function_name || parameters::varchar || macro_definition
       from duckdb_functions() where function_type in ('macro', 'table_macro') and database_name <> 'system'
     )`,
  );
  if (stored?.digest !== VIEWS_AS_STORED) await session.execute(`begin transaction;\n${viewsScript}\ncommit;`);
}
