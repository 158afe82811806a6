import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { writeSpanDirectory } from '../../src/core/store/writer/span-directory.ts';
import { nativeSession } from '../../src/main/engine/native-engine.ts';
import { SERVICES, START_NS } from '../span-case.ts';

/** Spans of the traces that are added to a generated case. */
const TRACE_SIZES = [1_000, 10_000, 100_000] as const;
/** Every size is linked with one more trace of a tenth of its spans. */
const LINKED = 0.1;
/** Of all spans of the case, one in so many bears a link to somewhere. */
const LINKS = 10;

/** One model request with a span for each output token. */
const TOKENS = 100_000;
/** Name codes of the case beyond its own. */
const TOKEN_NAMES = 600;

export interface LargeTrace {
  readonly what: string;
  readonly spans: number;
  /** As hex. */
  readonly trace_id: string;
}

const hexId = (id: number): string => id.toString(16).padStart(32, '0');

/** The traces that {@link addTraces} adds, each linked with one more except the token trace. */
export const LARGE_TRACES: readonly LargeTrace[] = [
  ...TRACE_SIZES.map((spans) => ({ what: 'spans', spans, trace_id: hexId(spans) })),
  { what: 'spans, of tokens', spans: TOKENS + 3, trace_id: hexId(TOKENS + 3) },
];

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
    `insert into name values (${TOKEN_NAMES}, 'llm.request'), (${TOKEN_NAMES + 1}, 'prefill'), (${TOKEN_NAMES + 2}, 'decode'), (${TOKEN_NAMES + 3}, 'decode.token')`,
  );
  await session.execute(insertTokens(source));
  await session.execute(
    `insert into span_link select ${source}, hash(i), hash(i + 1), hash(i + 2), hash(i * 3), hash(i * 3 + 1), hash(i * 5), null, null
     from range(${Math.floor(spansInCase / LINKS)}) r(i)`,
  );
  await writeSpanDirectory(session, source);
  const spans = TRACE_SIZES.reduce((sum, size) => sum + size * (1 + LINKED), TOKENS + 3);
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

/** A request, its prefill and its decode, and 20 ms for each token below that; every 997th token is late. */
const insertTokens = (source: number): string => `
insert into span
with placed as (
  select i, case i when 1 then 0 when 2 then 1 when 3 then 1 else 3 end as parent,
    ${START_NS} + case when i <= 2 then 0 else 1000000000 + greatest(i - 4, 0) * 20000000 end as start_ns,
    case when i = 1 then 1000000000 + ${TOKENS}::bigint * 20000000 when i = 2 then 1000000000 when i = 3 then ${TOKENS}::bigint * 20000000
      when i % 997 = 0 then 5000000 else 19000000 end as length_ns
  from range(1, ${TOKENS + 4}) r(i)
)
select ${source}, 0, ${TOKENS + 3}, i, parent, start_ns, start_ns + length_ns, ${TOKEN_NAMES} + least(i - 1, 3), 1, 1, 400,
  1, 0, 1, null, null, '{"n":' || i || '}', 0
from placed`;
