import { csvPatterns, csvText } from '../../../base/csv.ts';
import { isPlainType } from '../../../model/rows/csv-table.ts';

interface Column {
  readonly name: string;
  /** DuckDB's name of its type. */
  readonly type: string;
}

/** By which rows are put in order; the first ones present. */
const ordering = [
  [
    'time_ns',
    'start_ns',
    'created_utc',
    'created_ns',
    'from_ns',
    'from_utc',
    'made_at_utc',
    'made_at_ns',
    'slice',
    'valid_from',
  ],
  ['trace_id', 'trace_hi', 'event_id', 'entity', 'from_id', 'series', 'rank'],
  ['span_id', 'metric', 'body', 'name', 'to_id', 'operation', 'id'],
] as const;

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** SQL whose one column is the lines of a relation as CSV, cell by cell as `base/csv.ts` writes them; and the line of its names. */
export function csvSelect(
  relation: string,
  columns: readonly Column[],
): { readonly head: string; readonly sql: string } {
  const safe = columns.map(({ name, type }) => `${safeCell(quoted(name), type)} as ${quoted(name)}`);
  const cells = columns.map(({ name, type }) => finished(quoted(name), type));
  const keys = ordering.flatMap((names) => names.find((name) => columns.some((column) => column.name === name)) ?? []);
  const places = keys.map((key, at) => `r.${quoted(key)} as ${quoted(`order ${at}`)}`);
  const order = keys.length === 0 ? '' : `order by ${keys.map((_, at) => quoted(`order ${at}`)).join(', ')}`;
  return {
    head: `${columns.map(({ name }) => csvText(name)).join(',')}\r\n`,
    sql: `select ${cells.join(` || ',' || `)} || chr(13) || chr(10) as line
      from (select ${[...safe, ...places].join(', ')} from ${quoted(relation)} r) ${order}`,
  };
}

function safeCell(column: string, type: string): string {
  if (isPlainType(type)) return `r.${column}::varchar`;
  const text = `r.${column}::varchar`;
  // Not by strftime, whose nanoseconds end in bytes of something else (DuckDB 1.5).
  if (type === 'TIMESTAMP_NS')
    return `left(${text}, 10) || 'T' || substr(${text}, 12, 8) || '.' || rpad(substr(${text}, 21), 9, '0') || 'Z'`;
  return `case when regexp_matches(${text}, ${literal(csvPatterns.formula)}) then '''' || ${text} else ${text} end`;
}

function finished(column: string, type: string): string {
  if (isPlainType(type) || type === 'TIMESTAMP_NS') return `coalesce(${column}, '')`;
  const within = `'"' || replace(${column}, '"', '""') || '"'`;
  return `coalesce(case when regexp_matches(${column}, ${literal(csvPatterns.special)}) then ${within} else ${column} end, '')`;
}
