import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { prepareCase } from '../src/core/store/case-file/case-file.ts';
import { writeSpanDirectory } from '../src/core/store/writer/span-directory.ts';
import { openCaseFolder } from '../src/main/engine/case-folders.ts';
import { nativeSession } from '../src/main/engine/native-engine.ts';
import { timed } from './figures.ts';

export const SERVICES = 50;
export const HOUR_NS = 3_600_000_000_000n;
export const START_NS = 1_767_225_600_000_000_000n;

/** How the rows of a generated file lie. */
export interface SpanLayout {
  readonly spansPerTrace: number;
  /** Rows in no order of time at all. */
  readonly shuffled?: boolean;
}

/** Traces of different files never meet: each file counts from here. */
const FILE_STEP = 1_000_000_000;

/** The id of trace number `trace` of a file, as an SQL expression: 128 random bits. */
const high = (trace: string): string => `hash(${trace})`;
const low = (trace: string): string => `hash(${trace} + 7777777777)`;

/** Ids as hex of `count` traces spread over the files that were added, the k-th of every file alike. */
export const traceIds = (files: readonly number[], spansPerTrace: number, count: number): string =>
  files
    .map(
      (spans, file) =>
        `select printf('%016x%016x', ${high('t')}, ${low('t')}) as id from (
           select ${file * FILE_STEP} + (hash(k + ${file}) % ${Math.floor(spans / spansPerTrace)})::bigint as t
           from range(${Math.ceil(count / files.length)}) r(k))`,
    )
    .join(' union all ');

export async function makeSpanCase(folder: string): Promise<void> {
  const { engine } = await openCaseFolder(folder, { create: true });
  await prepareCase(engine, 'bench');
  const session = await engine.session();
  await session.execute(`
    insert into name select i, 'operation-' || i from range(400) r(i);
    insert into name values (400, 'bench-scope');
    insert into entity select i, 1, 'service', 'service-' || i, null from range(${SERVICES}) r(i);
    insert into canonical select i, i from range(${SERVICES}) r(i);
    insert into resource select i, 1, i, '{"service.name":"service-' || i || '","service.version":"1.4.' || i || '"}', null from range(${SERVICES}) r(i);
  `);
  session.close();
  await engine.close();
}

/**
 * Adds one file's worth of spans over one hour, by the path that the importer takes: one transaction of a parallel insert
 * in no kept order, and the directory of its traces. Rows lie as four threads leave them that take turns by 2048 rows.
 * @returns milliseconds of the insert and of the directory
 */
export async function addSpans(folder: string, file: number, spans: number, layout: SpanLayout) {
  const instance = await DuckDBInstance.create(join(folder, 'case.duckdb'), {
    memory_limit: '900MB',
    threads: '4',
    preserve_insertion_order: 'false',
  });
  const connection = await instance.connect();
  const session = nativeSession(connection);
  const source = file + 1;
  const rows = JSON.stringify({ span: spans });
  // A scan of a table is dealt out to all threads; range() is not.
  await session.execute(`create temp table position as select i from range(${spans}) r(i)`);
  await session.execute('begin transaction');
  const insert = await timed(() => session.execute(insertSpans(source, spans, layout)));
  const directory = await timed(() => writeSpanDirectory(session, source));
  await session.query("insert into source values ($1, $2, 'otlp-protobuf', '', 0, 0, $3, $4, 0, 0, $5, 0, '[]')", [
    source,
    `spans-${source}.binpb`,
    START_NS,
    START_NS + HOUR_NS,
    rows,
  ]);
  await session.execute('commit');
  await session.execute('checkpoint');
  session.close();
  instance.closeSync();
  return { insert_ms: insert.ms, directory_ms: directory.ms };
}

/** A random number below `limit`, the same for the same row. */
const dice = (salt: number, limit: number): string => `(hash(g * 64 + ${salt}) % ${limit})::bigint`;

function insertSpans(source: number, spans: number, { spansPerTrace, shuffled = false }: SpanLayout): string {
  const traces = Math.floor(spans / spansPerTrace);
  // Spans of one trace end, and so are exported, within about a second of each other, among those of other traces.
  const apart = Math.max(1, Math.floor(traces / 36_000));
  const place = shuffled
    ? `(i * 7368787) % ${spans}`
    : `case when i >= ${spans - (spans % 491_520)} then i
         else i - i % 491520 + i // 2048 % 4 * 122880 + i % 491520 // 8192 * 2048 + i % 2048 end`;
  const error = `${dice(1, 100)} = 0`;
  return `
insert into span
with placed as (select ${place} as row from position),
numbered as (
  select row % ${spansPerTrace} as step, (row // ${spansPerTrace} + row % ${spansPerTrace} * ${apart}) % ${traces} as nth,
    ${(source - 1) * FILE_STEP} + nth as trace, trace * 64 + step as g
  from placed
),
made as (
  select *, ${START_NS} + (nth * ${Number(HOUR_NS) / traces})::bigint + step * 20000000 + ${dice(2, 10_000_000)} as start_ns,
    ${dice(3, SERVICES)} as service, ${error} as failed
  from numbered
)
select ${source}, ${high('trace')}, ${low('trace')}, hash(g), case when step = 0 then 0 else hash(g - 1) end,
  start_ns, start_ns + 500000 + (${dice(4, 1000)} * ${dice(5, 1000)} * ${dice(6, 1000)}) // 4 * case when failed then 5 else 1 end,
  service * 8 + ${dice(7, 8)}, service, service, 400,
  case when step = 0 then 2 else [2, 3, 3, 1][1 + ${dice(8, 4)}] end, case when failed then 2 else 0 end, 1,
  null, case when failed then 'upstream failed' end, ${attributes}, 0
from made`;
}

/** Ten attributes: of few values, of many, and of nearly as many as spans; failed spans have three more with the reason. */
const attributes = `
  '{"http.request.method":"' || ['GET', 'POST', 'PUT'][1 + ${dice(10, 3)}] ||
  '","http.route":"/v1/models/' || ${dice(11, 40)} || '/completions","http.response.status_code":' ||
  case when failed then [500, 502, 503, 504][1 + ${dice(12, 4)}] else 200 end ||
  ',"server.address":"llama-inference-' || ${dice(13, 64)} || '.svc.cluster.local","server.port":8080,"network.peer.address":"10.' ||
  ${dice(14, 256)} || '.' || ${dice(15, 256)} || '.17","thread.id":' || ${dice(16, 97)} ||
  ',"gen_ai.request.model":"llama-3-' || [8, 70, 405][1 + ${dice(17, 3)}] || 'b","gen_ai.usage.output_tokens":' || ${dice(18, 4096)} ||
  ',"enduser.id":"u' || ${dice(19, 2_000_000)} || '"' ||
  case when failed then ',"error.type":"' || ['timeout', 'connection_reset', 'cuda_error', 'oom'][1 + ${dice(20, 4)}] ||
    '","exception.type":"' || ['TimeoutError', 'ConnectionResetError', 'RuntimeError'][1 + ${dice(21, 3)}] ||
    '","exception.message":"request ' || ${dice(22, 100_000)} || ' failed"' else '' end || '}'`;
