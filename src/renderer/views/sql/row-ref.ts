import type { Table } from '../../../model/contract/index.ts';

type Row = Table['rows'][number];

/** The evidence id of the record that the columns of a row name; null: none. */
export function rowRef({ columns }: Table, row: Row): string | null {
  const cell = (name: string): string | null => {
    const at = columns.findIndex((column) => column.name === name);
    const value = at < 0 ? null : (row[at] ?? null);
    return value === null ? null : String(value);
  };
  const [trace, span] = [cell('trace_id'), cell('span_id')];
  const ref = cell('ref');
  if (ref !== null && /^[a-z]+:/.test(ref)) return ref;
  const event = cell('event_id');
  if (event !== null && /^\d+$/.test(event)) return `event:${event}`;
  // A log record has the ids of a span too, so it leads to the span.
  return trace !== null && span !== null ? `span:${trace}/${span}` : null;
}
