import type { Session } from '../../../model/storage/engine.ts';
import { storedMacros, storedTables, storedViews } from '../tables/index.ts';
import { rowsOf } from './case-file.ts';

/** Objects in a database that Faultline does not create. */
export interface ForeignPart {
  readonly kind: 'function' | 'index' | 'schema' | 'sequence' | 'table' | 'type' | 'view';
  readonly name: string;
  /** Takes it out; null: it is a table of ours, with more in it than columns. */
  readonly drop: string | null;
}

interface Entry {
  readonly kind: ForeignPart['kind'];
  readonly place: string;
  readonly in_schema: string;
  readonly name: string;
  /** Of a table, as it would be made; of a function, its kind. */
  readonly made: string | null;
  /** Of a view, its SQL; of a function, what it returns. */
  readonly text: string | null;
  /** Of a function. */
  readonly parameters: string | null;
}

/**
 * All that a file of the engine's can hold. A macro takes the place of any function of that name, also of those that list what
 * is there: so these are called by their full names, and nothing else is called.
 */
const CATALOG = `
  select distinct kind, place, in_schema, name, made, text, parameters from (
    select 'schema' as kind, database_name as place, schema_name as in_schema, schema_name as name, null as made, null as text,
        null as parameters
      from system.main.duckdb_schemas() where schema_name <> 'main'
    union all select 'view', database_name, schema_name, view_name, null, sql, null from system.main.duckdb_views()
    union all select 'function', database_name, schema_name, function_name, function_type, macro_definition,
        parameters::varchar from system.main.duckdb_functions()
      where function_type in ('macro', 'table_macro')
    union all select 'sequence', database_name, schema_name, sequence_name, null, null, null from system.main.duckdb_sequences()
    union all select 'type', database_name, schema_name, type_name, null, null, null from system.main.duckdb_types() where not internal
    union all select 'index', database_name, schema_name, index_name, null, null, null from system.main.duckdb_indexes()
    union all select 'table', database_name, schema_name, table_name, sql, null, null from system.main.duckdb_tables()
  ) where place not in ('system', 'temp') order by kind, name`;

const tables: ReadonlySet<string> = new Set([...storedTables, 'call_path', 'path_slice']);
const views: ReadonlySet<string> = new Set(storedViews);
const macros: ReadonlySet<string> = new Set(storedMacros);

/** Active parts of a table: computed columns, checks, collations; our defaults are none. */
const active = /\b(?:check|collate|foreign|generated)\b|\bdefault\s*\((?!0\)|'\[\]'\))/i;

/** What an untrusted database holds besides rows. */
export interface CaseParts {
  readonly foreign: readonly ForeignPart[];
  /** Texts of its views and functions, in order and joined. To list all functions takes the engine 15 ms: it is done once. */
  readonly views: string;
}

/** For an untrusted database; must run before any other query. */
export async function readParts(session: Session): Promise<CaseParts> {
  const entries = rowsOf<Entry>(await session.query(CATALOG));
  const foreign = entries
    .filter((entry) => !isOurs(entry))
    .map((entry) => ({
      kind: entry.kind,
      name: entry.kind === 'schema' || entry.in_schema === 'main' ? entry.name : `${entry.in_schema}.${entry.name}`,
      drop: isOurTable(entry) ? null : dropOf(entry),
    }));
  const texts = entries.flatMap(({ kind, name, text, parameters }) =>
    kind === 'view' ? [text ?? ''] : kind === 'function' ? [`${name}${parameters}${text}`] : [],
  );
  return { foreign, views: texts.sort().join(';') };
}

const isOurTable = ({ kind, in_schema, name }: Entry): boolean =>
  kind === 'table' && in_schema === 'main' && tables.has(name);

function isOurs(entry: Entry): boolean {
  const { kind, in_schema, name, made } = entry;
  if (kind === 'table') return isOurTable(entry) && !active.test(made ?? '');
  return in_schema === 'main' && ((kind === 'view' && views.has(name)) || (kind === 'function' && macros.has(name)));
}

function dropOf({ kind, place, in_schema, name, made }: Entry): string {
  const what = kind !== 'function' ? kind : made === 'table_macro' ? 'macro table' : 'macro';
  const path = kind === 'schema' ? [place, name] : [place, in_schema, name];
  return `drop ${what} ${path.map((part) => `"${part.replaceAll('"', '""')}"`).join('.')} cascade`;
}
