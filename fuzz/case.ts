import { SourceWriter } from '../src/core/store/append.ts';
import { prepareCase } from '../src/core/store/case-file.ts';
import { openNativeEngine } from '../src/main/engine/native-engine.ts';
import { type RowBatch, tableNames, tables } from '../src/model/rows.ts';

/** Puts batches into a real case and reads every column back; throws unless each row is there that the case says. */
export async function checkInCase(batches: readonly RowBatch[], format: string): Promise<void> {
  const engine = await openNativeEngine(':memory:');
  try {
    await prepareCase(engine, 'fuzz');
    const session = await engine.session();
    const about = { name: 'f', format, imported_at_ns: 1n, clock_offset_ns: 0n, clock_uncertainty_ns: 0n };
    const writer = await SourceWriter.begin(session, about);
    for (const batch of batches) await writer.append(batch);
    await writer.commit({ digest: 'x', bytes: 1 });
    const said = await session.query('select rows, rejects::integer from source');
    const kept = { ...JSON.parse(String(said.columns[0]?.[0])), reject: said.columns[1]?.[0] };
    for (const table of tableNames) {
      const columns = Object.keys(tables[table]).map((column) => `count("${column}"::varchar)`);
      const found = await session.query(`select count(*)::integer, ${columns.join()} from ${table}`);
      const given = batches.reduce((sum, batch) => sum + (batch.tables[table]?.count ?? 0), 0);
      // Spans and edges that are said twice are stored once.
      const expected = table === 'span' || table.startsWith('span_') || table === 'edge' ? (kept[table] ?? 0) : given;
      if (found.columns[0]?.[0] !== expected || (given > 0 && expected === 0))
        throw new Error(`${table}: ${given} rows in, ${expected} said, ${found.columns[0]?.[0]} out`);
    }
    session.close();
  } finally {
    await engine.close();
  }
}
