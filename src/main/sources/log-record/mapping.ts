import { fail } from '../../../model/problem.ts';
import type { ColumnMapping, TableColumns, TimeUnit } from '../../../model/storage/source.ts';

/** What a column or field of a log can be, and its name in `fields.ts`. */
const TARGETS: ReadonlyMap<string, string> = new Map([
  ['time', 'time'],
  ['body', 'body'],
  ['severity_text', 'severity_text'],
  ['service', 'service'],
  ['trace_id', 'trace_id'],
  ['span_id', 'span_id'],
  ['scope', 'scope'],
  ['rank', 'rank'],
  ['request_id', 'request_id'],
  ['host', 'host.name'],
]);
const REQUIRED = new Set(['time', 'body']);

/** What columns of a log can be mapped to. */
export const logColumns = (names: readonly string[]): TableColumns => ({
  columns: names.map((name) => ({ name, type: 'VARCHAR' })),
  mapping: null,
  targets: { log: [...TARGETS.keys()].map((name) => ({ name, required: REQUIRED.has(name) })) },
});

/** Names under which mapped columns are read. */
export interface MappedLog {
  /** By column. */
  readonly names: ReadonlyMap<string, string>;
  /** Of times that are bare numbers; undefined: their size shows it. */
  readonly unit: TimeUnit | undefined;
}

/** @throws ProblemError csv.mapping when a column does not exist, or is given a meaning that a log record does not have */
export function mappedLog({ table, columns }: ColumnMapping, known: ReadonlySet<string>, file: string): MappedLog {
  if (table !== 'log') fail('csv.mapping', `${file} can only be read as a table of log records`, { place: file });
  for (const target of Object.keys(columns))
    if (!TARGETS.has(target))
      fail('csv.mapping', `a log has no "${target}"`, { hint: [...TARGETS.keys()].join(', '), place: file });
  const names = new Map(Object.entries(columns).map(([target, { column }]) => [column, TARGETS.get(target)!]));
  for (const column of names.keys())
    if (!known.has(column))
      fail('csv.mapping', `${file} has no column "${column}"`, { hint: [...known].join(', '), place: file });
  return { names, unit: columns.time?.unit };
}
