import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { writePointRanges } from '../../src/core/store/writer/point-ranges.ts';
import { nativeSession } from '../../src/main/engine/native-engine.ts';
import { addSpans, HOUR_NS, makeSpanCase, SERVICES, START_NS } from '../span-case.ts';
import { addTraces } from './make-traces.ts';

/** Rows of a generated case. */
export interface CaseSize {
  readonly spans: number;
  readonly points: number;
  readonly events: number;
}

/** Entities that report events and samples: servers and their GPUs. */
const SERVERS = 8;
const GPUS = 32;
/** Their entities are numbered after the services. */
const FIRST = SERVICES;
const METRICS = ['hw.power', 'hw.temperature', 'hw.gpu.clock.sm', 'hw.gpu.utilization', 'hw.gpu.memory.usage'] as const;
const ALWAYS = '-9223372036854775808, 9223372036854775807';

/**
 * One hour of a rack: spans of 50 services, samples of every GPU and server at one rate, scrape by scrape, and events
 * that come in bursts; one service did worse in the middle of it, after a sag.
 */
export async function makeUiCase(folder: string, size: CaseSize): Promise<void> {
  await makeSpanCase(folder);
  await addSpans(folder, 0, size.spans, { spansPerTrace: 10 });
  const instance = await DuckDBInstance.create(join(folder, 'case.duckdb'), { memory_limit: '900MB', threads: '4' });
  const session = nativeSession(await instance.connect());
  await session.execute('begin transaction');
  for (const statement of statements(size)) await session.execute(statement);
  await writePointRanges(session, 2);
  await session.execute('commit');
  await session.execute('checkpoint');
  session.close();
  instance.closeSync();
  await addTraces(folder, 4, size.spans);
}

function statements({ points, events }: CaseSize): string[] {
  const entityCount = SERVERS + GPUS;
  const series = entityCount * METRICS.length;
  const scrapes = Math.floor(points / series);
  const step = Number(HOUR_NS) / scrapes;
  const metrics = METRICS.map((metric) => `'${metric}'`).join();
  const source = (id: number, name: string, rows: object) =>
    `insert into source values (${id}, '${name}', 'bench', '', 0, 0, ${START_NS}, ${START_NS + HOUR_NS}, 0, 0, '${JSON.stringify(rows)}', 0, '[]')`;
  return [
    `insert into entity select ${FIRST} + i, 2, case when i < ${SERVERS} then 'server' else 'gpu' end,
       case when i < ${SERVERS} then 'node-' || i else 'node-' || (i - ${SERVERS}) // 4 || '/GPU-' || (i - ${SERVERS}) % 4 end, null
     from range(${entityCount}) r(i)`,
    `insert into canonical select ${FIRST} + i, ${FIRST} + i from range(${entityCount}) r(i)`,
    "insert into name values (500, 'contains'), (501, 'runs_on'), (502, 'bench'), (510, 'hw_slowdown'), (511, 'ecc_error'), (512, 'thermal_throttle'), (513, 'fan_failure')",
    `insert into edge select 2, ${FIRST} + (i // 4), 500, ${FIRST + SERVERS} + i, ${ALWAYS}, 502 from range(${GPUS}) r(i)`,
    `insert into edge select 2, i, 501, ${FIRST} + i % ${SERVERS}, ${ALWAYS}, 502 from range(${SERVICES}) r(i)`,
    `insert into series select i, 2, [${metrics}][1 + i % ${METRICS.length}], 'gauge', ${FIRST} + i // ${METRICS.length}, null,
       ['W', 'Cel', 'MHz', '%', 'By'][1 + i % ${METRICS.length}], null, 0, 0, null from range(${series}) r(i)`,
    `insert into point select 2, (i % ${series})::integer, 0, ${START_NS} + (i // ${series} * ${step})::bigint,
       300 + 100 * sin(i // ${series} / 50.0 + i % ${series}) + hash(i) % 20 from range(${scrapes * series}) r(i)`,
    source(2, 'samples.binpb', { point: points }),
    // Bursts: the time of an event is drawn around one of 200 centres.
    `insert into event select i, 3, null,
       ${START_NS} + ((hash(i // 50) % 1000000) / 1e6 * ${Number(HOUR_NS)} * 0.98)::bigint + (hash(i) % 60000000000)::bigint,
       ${FIRST} + (hash(i * 7) % ${entityCount})::integer, 502, 510 + (hash(i * 3) % 4)::integer, (hash(i * 5) % 4)::utinyint,
       'count ' || i, null, null, null from range(${events}) r(i)`,
    source(3, 'events.jsonl', { event: events }),
  ];
}
