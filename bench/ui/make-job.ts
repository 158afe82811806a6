import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { writeSpanDirectory } from '../../src/core/store/writer/span-directory.ts';
import { nativeSession } from '../../src/main/engine/native-engine.ts';
import { makeSpanCase, START_NS } from '../span-case.ts';

export interface JobSize {
  readonly ranks: number;
  readonly steps: number;
}

const GPUS = 8;
const STEP_NS = 2_000_000_000n;
/** Entities and resources after those of the case. */
const FIRST = 1000;
const ALWAYS = '-9223372036854775808, 9223372036854775807';

/** A job whose ranks run on GPUs of hosts, with a span for each step; from the middle on one rank is slow, and the others wait. */
export async function makeJobCase(folder: string, { ranks, steps }: JobSize): Promise<void> {
  await makeSpanCase(folder);
  const hosts = Math.ceil(ranks / GPUS);
  const [gpu, host] = [FIRST + ranks, FIRST + 2 * ranks];
  const job = host + hosts;
  const entities = job + 1 - FIRST;
  const end_ns = START_NS + BigInt(steps) * STEP_NS;
  const instance = await DuckDBInstance.create(join(folder, 'case.duckdb'), { memory_limit: '900MB', threads: '4' });
  const session = nativeSession(await instance.connect());
  await session.execute('begin transaction');
  for (const statement of [
    `insert into entity select ${FIRST} + i, 1, 'rank', 'llm/rank-' || i, null from range(${ranks}) r(i)`,
    `insert into entity select ${gpu} + i, 1, 'gpu', 'node-' || i // ${GPUS} || '/GPU-' || i % ${GPUS}, null from range(${ranks}) r(i)`,
    `insert into entity select ${host} + i, 1, 'server', 'node-' || i, null from range(${hosts}) r(i)`,
    `insert into entity values (${job}, 1, 'job', 'llm', null)`,
    `insert into canonical select ${FIRST} + i, ${FIRST} + i from range(${entities}) r(i)`,
    `insert into name values (500, 'contains'), (501, 'runs_on'), (502, 'bench'), (503, 'member_of'), (510, 'train_step')`,
    `insert into edge select 1, ${FIRST} + i, 501, ${gpu} + i, ${ALWAYS}, 502 from range(${ranks}) r(i)`,
    `insert into edge select 1, ${host} + i // ${GPUS}, 500, ${gpu} + i, ${ALWAYS}, 502 from range(${ranks}) r(i)`,
    `insert into edge select 1, ${FIRST} + i, 503, ${job}, ${ALWAYS}, 502 from range(${ranks}) r(i)`,
    `insert into resource select ${FIRST} + i, 1, ${FIRST} + i,
       '{"service.name":"llm","gen_ai.training.job_id":"llm","gen_ai.training.rank":"' || i || '","host.name":"node-' || i // ${GPUS} || '"}', null
     from range(${ranks}) r(i)`,
    `insert into span
     select 1, 0, rank + 1, step * ${ranks} + rank + 1, 0, ${START_NS} + step * ${STEP_NS}::bigint,
       ${START_NS} + step * ${STEP_NS}::bigint + case when rank = 77 and step > ${steps} // 2 then 1900000000 else 1400000000 + (hash(step * ${ranks} + rank) % 100000000)::bigint end,
       510, ${FIRST} + rank, ${FIRST} + rank, 400, 1, 0, 1, null, null, '{"step":' || step || '}', 0
     from range(${steps}) s(step), range(${ranks}) r(rank)`,
    `insert into source values (1, 'job.binpb', 'bench', '', 0, 0, ${START_NS}, ${end_ns}, 0, 0, '{"span":${ranks * steps}}', 0, '[]')`,
  ])
    await session.execute(statement);
  await writeSpanDirectory(session, 1);
  await session.execute('commit');
  await session.execute('checkpoint');
  session.close();
  instance.closeSync();
}
