import { fail, ProblemError } from '../../../model/problem.ts';
import type { Engine, Session } from '../../../model/storage/engine.ts';
import { pathTables } from '../facts/call-paths.ts';
import { storedTables, tablesScript, viewsScript } from '../tables/index.ts';
import { olderSchema, one, prepareCase, rowsOf } from './case-file.ts';
import { readParts } from './foreign-parts.ts';

/**
 * {@link prepareCase} for an untrusted file (not for tables loaded from a bundle): objects that could falsify or block answers are
 * refused before any other query, and our views and functions are verified.
 * @param stopsAtOlder a case of an older schema is left as it is
 * @returns whether it was empty, or the schema of an older case that was left as it is
 * @throws ProblemError case.foreign
 */
export async function prepareFoundCase(engine: Engine, name: string, stopsAtOlder = false): Promise<boolean | number> {
  const session = await engine.session();
  try {
    const { foreign, views } = await readParts(session);
    if (foreign.length > 0)
      refuse(
        foreign.map(({ kind, name: of }) => `the ${kind} ${of.slice(0, 60)}`),
        WITHOUT,
      );
    const older = stopsAtOlder ? await olderSchema(session).catch(ofOtherColumns) : null;
    if (older !== null) return older;
    if (await prepareCase(engine, name).catch(ofOtherColumns)) return true;
    const others = await tablesOfOtherColumns(session);
    if (others.length > 0)
      refuse(
        others.map((table) => `other columns in the table ${table}`),
        ASK_FOR_BUNDLE,
      );
    await refreshViews(session, views);
    return false;
  } finally {
    session.close();
  }
}

const WITHOUT = 'it could falsify query results; to copy only the rows of its tables: faultline repair CASE';
const ASK_FOR_BUNDLE = 'ask its author for a bundle, or for the original files';

function refuse([first = '', ...others]: readonly string[], hint: string): never {
  const rest = others.length === 0 ? '' : ` and ${others.length} more`;
  return fail('case.foreign', `this case contains foreign objects: ${first}${rest}`, { hint });
}

/** An engine error in our script means that the tables do not match. */
function ofOtherColumns(error: unknown): never {
  if (error instanceof ProblemError) throw error;
  const firstLine = (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
  return refuse([`tables that are not those of its schema (${firstLine.slice(0, 200)})`], ASK_FOR_BUNDLE);
}

/** Created on demand. */
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

/** SHA-256 of the text of our views and functions, as the engine reads it from a file: who changes one takes the new digest from the test of it. */
export const VIEWS_AS_STORED = '5bb4e7b33ebd9706fb537c5d343c6494d8a9de7b72577fbf4b333e32e4d8c646';

/** Views hold no rows. Those with other text, as a case had them that was just upgraded, are recreated. */
async function refreshViews(session: Session, texts: string): Promise<void> {
  const stored = await one<{ digest: string }>(session, 'select sha256($1) as digest', [texts]);
  if (stored?.digest !== VIEWS_AS_STORED) await session.execute(`begin transaction;\n${viewsScript}\ncommit;`);
}
