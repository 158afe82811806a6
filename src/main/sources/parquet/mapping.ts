import { fail } from '../../../model/problem.ts';
import type { ColumnMapping, TimeUnit } from '../../../model/storage/source.ts';
import { required, type Target, targets } from './targets.ts';

/** A column, or a field of a struct column as `resource.attributes`. */
export interface ForeignColumn {
  readonly name: string;
  /** DuckDB's name of its type. */
  readonly type: string;
  /** SQL that reads it, quoted. */
  readonly sql: string;
}

export const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

/** The first table for which every required column is there by one of its names; undefined when none is. */
export function guessMapping(columns: readonly ForeignColumn[]): ColumnMapping | undefined {
  const byName = new Map<string, ForeignColumn>();
  for (const column of columns) if (!byName.has(plain(column.name))) byName.set(plain(column.name), column);
  for (const [table, needs] of required) {
    const found: Record<string, { column: string; unit?: TimeUnit }> = {};
    for (const [name, target] of Object.entries(targets[table])) {
      const column = target.names.map((known) => byName.get(known)).find((one) => one && fits(target, one));
      if (column) found[name] = { column: column.name, ...unitIn(column.name, target) };
    }
    if (needs.every((choices) => choices.some((name) => name in found))) return { table, columns: found };
  }
  return undefined;
}

const nested = /^(STRUCT|MAP)|\[\]$|^JSON$/;

/** A struct is no text: `resource` may be a name in one layout and a struct of many fields in another. */
function fits({ shape }: Target, { type }: ForeignColumn): boolean {
  const isNested = nested.test(type);
  if (shape === 'json' || shape === 'list') return isNested || type === 'VARCHAR';
  if (shape === 'number' || shape === 'duration')
    return !isNested && type !== 'VARCHAR' && !type.startsWith('TIMESTAMP');
  return !isNested;
}

/** `duration_ms`, `DurationNano`: a unit that the name itself states. */
function unitIn(name: string, { shape }: Target): { unit?: TimeUnit } {
  if (shape !== 'time' && shape !== 'duration') return {};
  const match = /(nanos?|ns|micros?|us|millis?|ms|seconds?|secs?|_s)$/.exec(name.toLowerCase());
  const unit = match?.[1]?.replace('_', '');
  if (unit === undefined) return {};
  if (unit.startsWith('n')) return { unit: 'ns' };
  if (unit === 'us' || unit.startsWith('mic')) return { unit: 'us' };
  if (unit === 'ms' || unit.startsWith('mil')) return { unit: 'ms' };
  return { unit: 's' };
}

/**
 * A mapping of the investigator, checked against the existing columns.
 * @throws ProblemError parquet.mapping
 */
export function checkMapping(mapping: ColumnMapping, columns: readonly ForeignColumn[], file: string): void {
  const known = targets[mapping.table];
  const present = new Set(columns.map(({ name }) => name));
  for (const [target, { column }] of Object.entries(mapping.columns)) {
    if (!Object.hasOwn(known, target))
      fail('parquet.mapping', `a ${mapping.table} has no "${target}"`, {
        hint: Object.keys(known).join(', '),
        place: file,
      });
    if (!present.has(column))
      fail('parquet.mapping', `${file} has no column "${column}"`, { hint: [...present].join(', '), place: file });
  }
  const needs = required.find(([table]) => table === mapping.table)?.[1] ?? [];
  const missing = needs.filter((choices) => !choices.some((name) => Object.hasOwn(mapping.columns, name)));
  if (missing.length > 0) {
    const words = missing.map((choices) => choices.join(' or ')).join(', ');
    fail('parquet.mapping', `the mapping leaves out ${words}`, { place: file });
  }
}
