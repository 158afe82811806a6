import type { AppendRows, Session } from '../../../model/storage/engine.ts';

/** So many rows are worth an INSERT on the database's own threads; opening and closing an appender takes 3 ms of this one's. */
const MANY = 5000;

/** Whose rows may be stored in any order, as an INSERT does; records of others are known by their row. */
const unordered: ReadonlySet<string> = new Set(['span', 'point', 'trace_place', 'span_count']);

/** Rows of one flush, by table: what many batches bring is entered at once. */
export class LiveInserts {
  private readonly tables = new Map<string, AppendRows[]>();

  add(table: string, rows: AppendRows): void {
    if (rows.count === 0) return;
    const known = this.tables.get(table);
    if (known) known.push(rows);
    else this.tables.set(table, [rows]);
  }

  async flush(session: Session): Promise<void> {
    for (const [table, batches] of this.tables) {
      const [first, ...more] = batches as [AppendRows, ...AppendRows[]];
      if (!unordered.has(table) || (more.length === 0 && first.count < MANY))
        for (const { columns, count } of batches) await session.append(table, columns, count);
      else
        await session.insert(table, {
          types: first.columns.map(({ type }) => type),
          next: () => batches.shift() ?? 'end',
        });
    }
    this.tables.clear();
  }
}
