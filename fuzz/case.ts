import { prepareCase } from '../src/core/store/case-file/case-file.ts';
import { SourceWriter } from '../src/core/store/writer/append.ts';
import { openNativeEngine } from '../src/main/engine/native-engine.ts';
import { type RowBatch, tableNames, tables } from '../src/model/rows/rows.ts';
import type { Session } from '../src/model/storage/engine.ts';

type Counts = Readonly<Record<string, number>>;

async function repeats(session: Session): Promise<number> {
  const { columns } = await session.query(
    `select coalesce(sum(try_cast(e.attributes::json->>'$.count' as integer) - 1), 0)::integer from event e
     join name n on n.name_id = e.type where n.text in ('xid_error', 'nvswitch_error') and json_valid(e.attributes)`,
  );
  return Number(columns[0]?.[0]);
}

/**
 * Puts batches into a real case and reads every column back; throws unless each row is there that the case says.
 * @param onTaken told how many rows of its file each batch brought
 * @returns how many rows the case has, by table
 */
export async function checkInCase(
  batches: Iterable<RowBatch> | AsyncIterable<RowBatch>,
  format: string,
  onTaken: (rows: number) => void = () => undefined,
): Promise<Counts> {
  const engine = await openNativeEngine(':memory:');
  try {
    await prepareCase(engine, 'fuzz');
    const session = await engine.session();
    const about = { name: 'f', format, imported_at_ns: 1n, clock_offset_ns: 0n, clock_uncertainty_ns: 0n };
    const writer = await SourceWriter.begin(session, about);
    const brought: Record<string, number> = {};
    for await (const batch of batches) {
      const add = (table: string, rows: number) => {
        brought[table] = (brought[table] ?? 0) + rows;
      };
      for (const [table, { count }] of Object.entries(batch.tables)) add(table, count);
      await writer.append(batch, (taken) => {
        if (!batch.file) return;
        add(batch.file.table, taken);
        onTaken(taken);
      });
    }
    await writer.commit({ digest: 'x', bytes: 1 });
    const sourceRow = await session.query('select rows, rejects::integer from source');
    const rowCounts = { ...JSON.parse(String(sourceRow.columns[0]?.[0])), reject: sourceRow.columns[1]?.[0] };
    for (const table of tableNames) {
      const columns = Object.keys(tables[table]).map((column) => `count("${column}"::varchar)`);
      const found = await session.query(`select count(*)::integer, ${columns.join()} from ${table}`);
      const addedRows = brought[table] ?? 0;
      // Spans and edges that are said twice are stored once; a repeated error of a driver is one event that counts them.
      const isOnce = table === 'span' || table.startsWith('span_') || table === 'edge';
      const expected = isOnce ? (rowCounts[table] ?? 0) : addedRows - (table === 'event' ? await repeats(session) : 0);
      if (found.columns[0]?.[0] !== expected || (addedRows > 0 && expected === 0))
        throw new Error(`${table}: ${addedRows} rows in, ${expected} said, ${found.columns[0]?.[0]} out`);
    }
    session.close();
    return rowCounts;
  } finally {
    await engine.close();
  }
}
