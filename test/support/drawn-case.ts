import { onTestFinished } from 'vitest';
import { OpenCase } from '../../src/core/api/cases/open-case.ts';
import { mechanismsInUse, thresholdsInUse } from '../../src/core/api/cases/own-file.ts';
import { SourceWriter } from '../../src/core/store/writer/append.ts';
import { openNativeEngine } from '../../src/main/engine/native-engine.ts';
import { readDetails } from '../../src/main/sources/event-details/read-details.ts';
import { writeLine } from '../../src/main/sources/hand-written/index.ts';
import { WrittenRows } from '../../src/main/sources/hand-written/written-rows.ts';
import { readPlaces } from '../../src/main/sources/workload/append-places.ts';
import { BatchBuilder } from '../../src/model/rows/batch-builder.ts';

const START_NS = 1_767_225_600_000_000_000n;

/** A case of rows as a recording written by hand has them (`src/main/sources/hand-written`), after 2026-01-01T00:00:00Z. */
export async function drawnCase(drawing: string): Promise<OpenCase> {
  const engine = await openNativeEngine(':memory:');
  const queries = { has: async () => false, add: async () => undefined };
  const stored = { engine, name: 'drawn', path: ':memory:' };
  const own = { mechanisms: mechanismsInUse(async () => null), thresholds: thresholdsInUse(async () => null) };
  const opened = await OpenCase.from(stored, { ...own, queries, readDetails, readPlaces });
  onTestFinished(() => opened.close());
  await opened.withSession(async (session) => {
    const source = { name: 'drawn', format: 'test', imported_at_ns: 0n, clock_offset_ns: 0n, clock_uncertainty_ns: 0n };
    const writer = await SourceWriter.begin(session, source);
    const builder = new BatchBuilder();
    const rows = new WrittenRows(builder, START_NS);
    for (const line of drawing.split('\n')) if (line.trim() !== '') writeLine(rows, line.trim());
    await writer.append(builder.finish(0));
    await writer.commit({ digest: '', bytes: 0 });
  });
  await opened.derive();
  return opened;
}
