import { expect } from 'vitest';
import { exportTables } from '../../src/core/store/exports/index.ts';
import type { ExportEvent, Table } from '../../src/model/contract/index.ts';
import type { TestCore } from './core.ts';

type Done = Extract<ExportEvent, { kind: 'done' }>;

/** Result of an export. */
export async function finished(events: AsyncIterable<ExportEvent>): Promise<Done> {
  for await (const event of events) if (event.kind === 'done') return event;
  throw new Error('the export was not finished');
}

/** Differs between a case and one that was made of its export: which file a row came from, and numbers that a case gives. */
const OWN = new Set(['source', 'evidence']);

/** The rows of a table as others get them, in one order. */
export async function exportedRows(core: TestCore, table: keyof typeof exportTables): Promise<string[]> {
  const answer: Table = await core.api['query.sql']({ sql: exportTables[table], limit: 1_000_000 });
  expect(answer.truncated).toBe(false);
  const foreignColumns = answer.columns.flatMap(({ name }, i) => (OWN.has(name) ? [] : [[name, i] as const]));
  /** Derived events are numbered by the case that makes them. */
  const cellText = (name: string, value: unknown) =>
    name === 'id' && typeof value === 'string' && value.startsWith('derived:') ? 'derived' : value;
  const text = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);
  // Distinguished from recordings, which tables hold no longer apart.
  const isStall = (row: Table['rows'][number]) => row.includes('collective_stalled');
  return answer.rows
    .filter((row) => !isStall(row))
    .map((row) =>
      JSON.stringify(
        Object.fromEntries(foreignColumns.map(([name, i]) => [name, cellText(name, row[i] ?? null)])),
        text,
      ),
    )
    .sort();
}
