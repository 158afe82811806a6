import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { writeSpanDirectory } from '../../src/core/store/writer/span-directory.ts';
import { nativeSession } from '../../src/main/engine/native-engine.ts';
import { SERVICES, START_NS } from '../span-case.ts';

/** Spans of the traces that are added to a generated case. */
export const TRACE_SIZES = [1_000, 10_000, 100_000] as const;
/** Every size is linked with one more trace of a tenth of its spans. */
const LINKED = 0.1;
/** Of all spans of the case, one in so many bears a link to somewhere. */
const LINKS = 10;

export const traceIdOfSize = (spans: number): string => spans.toString(16).padStart(32, '0');

/**
 * Adds large traces to a case: every span has up to four children, one at a time, of 50 services; and links between the
 * other traces, so that looking for those of one trace is looking among many.
 */
export async function addTraces(folder: string, source: number, spansInCase: number): Promise<void> {
  const instance = await DuckDBInstance.create(join(folder, 'case.duckdb'), { memory_limit: '900MB', threads: '4' });
  const session = nativeSession(await instance.connect());
  await session.execute('begin transaction');
  for (const size of TRACE_SIZES) {
    await session.execute(insertTrace(source, size, BigInt(size), 0n));
    const later = BigInt(size) * 2_000_000n;
    await session.execute(insertTrace(source, size * LINKED, BigInt(size) << 32n, later));
    await session.execute(
      `insert into span_link values (${source}, 0, ${BigInt(size) << 32n}, 1, 0, ${size}, 1, null, null)`,
    );
  }
  await session.execute(
    `insert into span_link select ${source}, hash(i), hash(i + 1), hash(i + 2), hash(i * 3), hash(i * 3 + 1), hash(i * 5), null, null
     from range(${Math.floor(spansInCase / LINKS)}) r(i)`,
  );
  await writeSpanDirectory(session, source);
  const spans = TRACE_SIZES.reduce((sum, size) => sum + size * (1 + LINKED), 0);
  await session.execute(
    `insert into source values (${source}, 'stories.binpb', 'bench', '', 0, 0, ${START_NS}, ${START_NS}, 0, 0, '{"span":${spans}}', 0, '[]')`,
  );
  await session.execute('commit');
  await session.execute('checkpoint');
  session.close();
  instance.closeSync();
}

/** Span i (from 1) is a child of i / 4 and lies within it: begins a little after it, and ends before. */
const insertTrace = (source: number, spans: number, trace: bigint, later_ns: bigint): string => `
insert into span
with placed as (
  select i, case when i = 1 then 0 else (i + 2) // 4 end as parent, floor(log(3 * i + 1) / log(4))::integer as level,
    (hash(i) % 1000)::bigint as dice
  from range(1, ${spans + 1}) r(i)
)
select ${source}, 0, ${trace}, i, parent, ${START_NS} + ${later_ns} + i * 15000, 
  ${START_NS} + ${later_ns} + i * 15000 + greatest(1000, ${spans * 15000} // pow(4, level)::bigint + dice * 1000),
  (hash(i // 4) % 400)::integer, (hash(i // 16) % ${SERVICES})::integer, (hash(i // 16) % ${SERVICES})::integer, 400,
  1, case when dice < 3 then 2 else 0 end, 1, null, null, '{"n":' || i || '}', 0
from placed`;
