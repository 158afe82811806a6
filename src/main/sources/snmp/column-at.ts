import { lazy } from '../../../base/lazy.ts';
import { profiles } from './profiles.ts';
import type { Column, Table } from './read-profile.ts';

export interface ColumnPlace {
  readonly table: Table;
  readonly column: Column;
  readonly index: string;
}

const columns = lazy(
  (): ReadonlyMap<string, Omit<ColumnPlace, 'index'>> =>
    new Map(
      profiles().flatMap(({ tables }) =>
        tables.flatMap((table) =>
          Object.entries(table.columns).map(([key, column]) => [`${table.at}.${key}`, { table, column }]),
        ),
      ),
    ),
);

/** The table and column that a value belongs to, and its index; undefined for objects that are in no profile. */
export function columnAt(oid: string): ColumnPlace | undefined {
  for (let end = oid.lastIndexOf('.'); end > 0; end = oid.lastIndexOf('.', end - 1)) {
    const found = columns().get(oid.slice(0, end));
    if (found) return { ...found, index: oid.slice(end + 1) };
  }
  return undefined;
}
