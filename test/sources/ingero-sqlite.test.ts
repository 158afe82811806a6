import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test, vi } from 'vitest';
import { openFileEngine } from '../../src/main/engine/file-engine.ts';
import { sources } from '../../src/main/sources/index.ts';
import { ingeroSqlite } from '../../src/main/sources/ingero-sqlite/index.ts';
import { ProblemError } from '../../src/model/problem.ts';
import { FileHead } from '../../src/model/storage/source.ts';
import { readSource, reasonsOf, samplesOf } from '../support/read-source.ts';
import { sharedData } from '../support/shared-data.ts';

const claims = (bytes: Uint8Array) =>
  sources.filter((source) => source.detect(new FileHead(bytes.subarray(0, 65_536)))).map(({ id }) => id);
const read = (bytes: Uint8Array, name = 'gpu.db', device: string | null = null) =>
  readSource(ingeroSqlite, bytes, { name, assume: { device } });

/** The tables of schema 0.8: numbered ids, nothing about nodes. */
const version8 = `
  create table events (id integer primary key autoincrement, timestamp integer not null, pid integer, tid integer,
    source integer, op integer, duration integer, gpu_id integer default 0, arg0 integer default 0, arg1 integer default 0,
    ret_code integer default 0, stack_hash integer default 0, stack_ips text default '', cgroup_id integer default 0);
  create table causal_chains (id text primary key, detected_at integer, severity text, summary text, root_cause text,
    explanation text, recommendations text, cuda_op text, cuda_p99_us integer, cuda_p50_us integer, tail_ratio real, timeline text);
  create table stack_traces (hash integer primary key, ips text, frames text);
  create table system_snapshots (id integer primary key, timestamp integer, cpu_pct real, mem_pct real, mem_avail integer,
    swap_mb integer, load_avg real);
  create table event_aggregates (bucket integer, source integer, op integer, pid integer, count integer, stored integer,
    sum_dur integer, min_dur integer, max_dur integer, sum_arg0 integer);
  create table cgroup_metadata (cgroup_id integer primary key, container_id text, cgroup_path text, pod_name text, namespace text);
  create table process_names (pid integer primary key, name text, seen_at integer);
  create table sources (id integer primary key, name text, description text);
  create table ops (source_id integer, op_id integer, name text, description text);
  insert into sources values (1, 'CUDA', ''), (3, 'HOST', ''), (4, 'DRIVER', '');
  insert into ops values (1, 1, 'cudaMalloc', ''), (4, 5, 'cuMemAlloc', ''), (3, 1, 'sched_switch', ''), (3, 4, 'oom_kill', ''), (3, 6, 'process_exit', '');
`;
/** And what 0.10 adds. */
const version10 = version8
  .replace(
    'id integer primary key autoincrement, timestamp',
    "comm text default '', node text default '', rank integer, world_size integer, id text primary key, timestamp",
  )
  .replace('timeline text', "timeline text, node text default ''");

function database(...statements: readonly string[]): Uint8Array {
  const path = join(mkdtempSync(join(tmpdir(), 'faultline-test-')), 'made.db');
  const made = new DatabaseSync(path);
  for (const statement of statements) made.exec(statement);
  made.close();
  return readFileSync(path);
}
const T = 1_774_015_573_210_000_000n;
const event = (values: Readonly<Record<string, string | number | bigint>>): string =>
  `insert into events (${Object.keys(values).join()}) values (${Object.values(values).join()});`;
const call = { timestamp: T, pid: 7, tid: 7, source: 1, op: 1, duration: 1000 };

describe('events', () => {
  test('calls are spans on their process, one inside the other by time', async () => {
    const bytes = database(
      version8,
      event({ ...call, timestamp: T + 100n, source: 4, op: 5, duration: 500, arg0: 4096, stack_hash: -5 }),
      event(call),
      event({ ...call, timestamp: T + 1000n, ret_code: 2 }),
      event({ ...call, timestamp: T + 200n, tid: 8 }),
      `insert into stack_traces values (-5, '', '[{"s":"cuMemAlloc+0x1","f":"libcuda.so"},{"i":"0x7f"}]');
       insert into process_names values (7, 'python3', 0);`,
    );
    const { rows, entities, remarks } = await read(bytes, 'folder/box.db');
    const [outer, inner, other, failed] = rows.span;
    expect(rows.span.map((row) => row['name'])).toEqual(['cudaMalloc', 'cuMemAlloc', 'cudaMalloc', 'cudaMalloc']);
    expect(outer).toMatchObject({
      start_ns: T,
      end_ns: T + 1000n,
      service: 'process:box/pid-7',
      parent_id: 0n,
      scope: 'ingero CUDA',
      kind: 1,
    });
    expect(inner).toMatchObject({ parent_id: outer?.['span_id'], trace_lo: outer?.['trace_lo'] });
    expect(JSON.parse(inner?.['attributes'] as string)).toMatchObject({
      source: 'DRIVER',
      arg0: 4096,
      stack: ['cuMemAlloc+0x1 (libcuda.so)', '0x7f'],
    });
    expect(other).toMatchObject({ parent_id: 0n });
    expect(failed).toMatchObject({ parent_id: 0n, status: 2, status_message: 'CUDA error 2' });
    expect(new Set(rows.span.map((row) => row['span_id'])).size).toBe(4);
    expect(entities.get('process:box/pid-7')?.attributes).toBe('{"name":"python3"}');
    expect(rows.edge).toMatchObject([{ from_entity: 'process:box/pid-7', kind: 'runs_on', to_entity: 'server:box' }]);
    expect(remarks).toEqual(['the traced machine has no name in the recording: it is called "box" after the file']);
  });

  test('a record without a duration, or one that ends a process, is an event', async () => {
    const host = { ...call, source: 3, duration: 0 };
    const { rows } = await read(
      database(version8, event({ ...host, op: 4 }), event({ ...host, op: 6, duration: 5 }), event({ ...host, op: 99 })),
      'x',
      'node-1',
    );
    expect(rows.span).toEqual([]);
    expect(rows.event.map((row) => [row['type'], row['severity'], row['message'], row['entity']])).toEqual([
      ['process_event', 3, 'process_exit (pid 7)', 'process:node-1/pid-7'],
      ['out_of_memory', 0, 'oom_kill (pid 7)', 'process:node-1/pid-7'],
      ['process_event', 3, 'HOST op 99 (pid 7)', 'process:node-1/pid-7'],
    ]);
  });

  test('version 0.10: nodes, ranks and names of processes', async () => {
    const bytes = database(
      version10,
      event({ ...call, id: "'n1:1'", node: "'n1'", rank: 3, world_size: 8, comm: "'trainer'", cgroup_id: 44 }),
      event({ ...call, id: "'n2:1'", node: "'n2'" }),
      "insert into cgroup_metadata values (44, 'abc', '/x', 'train-0', 'ml');",
    );
    const { rows, remarks } = await read(bytes);
    expect(rows.span.map((row) => row['service'])).toEqual(['rank:rank-3', 'process:n2/pid-7']);
    expect(rows.span[0]?.resource).toContain(
      '"host.name":"n1","process.pid":"7","process.name":"trainer","rank":"3","container.id":"abc","k8s.pod.name":"train-0"',
    );
    expect(rows.edge.map((row) => `${row['from_entity']} ${row['to_entity']}`)).toEqual([
      'rank:rank-3 server:n1',
      'rank:rank-3 pod:ml/train-0',
      'pod:ml/train-0 server:n1',
      'process:n2/pid-7 server:n2',
    ]);
    expect(remarks).toEqual([]);
  });
});

test('causal chains are events with their text', async () => {
  const bytes = database(
    version10,
    `insert into causal_chains values ('n1:tail', ${T}, 'HIGH', 'cuLaunchKernel p99=843us', '847 sched_switch events',
      'because', '["pin it"]', 'cuLaunchKernel', 843, 13, 63.9, '[{"layer":"HOST","op":"sched_switch"}]', 'n1');`,
  );
  const { rows } = await read(bytes);
  expect(rows.event).toMatchObject([
    {
      original_id: 'n1:tail',
      time_ns: T,
      entity: 'server:n1',
      origin: 'ingero',
      type: 'process_event',
      severity: 1,
      message: 'cuLaunchKernel p99=843us',
    },
  ]);
  expect(JSON.parse(rows.event[0]?.attributes as string)).toEqual({
    root_cause: '847 sched_switch events',
    explanation: 'because',
    cuda_op: 'cuLaunchKernel',
    cuda_p99_us: 843,
    cuda_p50_us: 13,
    tail_ratio: 63.9,
    recommendations: ['pin it'],
    chain: [{ layer: 'HOST', op: 'sched_switch' }],
  });
  expect(JSON.parse(rows.event[0]?.raw as string)).toMatchObject({ id: 'n1:tail', cuda_p99_us: 843 });
});

test('snapshots and aggregates are points, in base units', async () => {
  const bytes = database(
    version8,
    `insert into system_snapshots values (1, ${T}, 28.5, 5.5, 15091, 0, 0.35);
     insert into system_snapshots values (2, ${T + 1n}, null, null, null, null, null);
     insert into event_aggregates values (${T}, 1, 1, 7, 10, 2, 3000000000, 0, 2000000000, 5);`,
  );
  const samples = samplesOf(await read(bytes, 'x', 'node-1'));
  expect(samples.map(({ entity, metric, unit, value }) => [entity, metric, unit, value])).toEqual([
    ['server:node-1', 'system.cpu.utilization', '%', 28.5],
    ['server:node-1', 'system.memory.utilization', '%', 5.5],
    ['server:node-1', 'system.memory.available', 'By', 15091 * 2 ** 20],
    ['server:node-1', 'system.swap.usage', 'By', 0],
    ['server:node-1', 'system.cpu.load_average.1m', '1', 0.35],
    ['process:node-1/pid-7', 'ingero.operation.count', '{operation}', 10],
    ['process:node-1/pid-7', 'ingero.operation.time', 's', 3],
    ['process:node-1/pid-7', 'ingero.operation.time.max', 's', 2],
    ['process:node-1/pid-7', 'ingero.operation.arg0', '1', 5],
  ]);
  expect(samples[5]?.attributes).toEqual({ source: 'CUDA', operation: 'cudaMalloc', per: 'minute' });
});

describe('recordings', () => {
  test('one node: as many rows as Ingero counts', async () => {
    const { rows, entities, remarks } = await read(
      readFileSync(join(import.meta.dirname, '../../fixtures/ingero-sqlite/sample-gpu-node-01.db')),
    );
    expect([rows.span.length, rows.event.length, rows.reject.length]).toEqual([200, 4, 0]);
    expect(rows.point).toHaveLength(5 + 8 * 3);
    expect(JSON.parse(entities.get('server:gpu-node-01')!.attributes)).toMatchObject({
      gpu_model: 'Tesla T4, 15360 MiB',
      cpu_cores: 4,
    });
    expect(remarks).toEqual([]);
  });

  test('three nodes: the same spans as in the export of the same database', async () => {
    const file = sharedData('traces-other/ingero/sample-cluster.db');
    const twin = sharedData('traces-other/ingero/sample-cluster-trace.json');
    const { rows } = await read(readFileSync(file));
    const exported = (
      JSON.parse(readFileSync(twin, 'utf8')) as { ph: string; ts: number; dur: number; name: string }[]
    ).filter(({ ph }) => ph === 'X');
    const key = (name: unknown, micros: number) => `${name} ${micros}`;
    expect(rows.span.map((row) => key(row['name'], Number((row['start_ns'] as bigint) / 1000n))).sort()).toEqual(
      exported.map(({ name, ts }) => key(name, ts)).sort(),
    );
    expect(rows.event).toHaveLength(6);
    // Snapshots do not name their node; the sessions of the nodes do not overlap.
    expect(new Set(samplesOf({ rows } as never).map(({ entity }) => entity))).toEqual(
      new Set(['server:gpu-node-01', 'server:gpu-node-02', 'server:gpu-node-03']),
    );
  });

  test('version 0.8: the starved data loader', async () => {
    const file = sharedData('traces-other/ingero/pytorch-dataloader-starvation.db');
    const reading = await read(readFileSync(file), 'pytorch-dataloader-starvation.db');
    expect(reading.rows.reject).toEqual([]);
    expect(reading.rows.span).toHaveLength(3807 - 16);
    expect(reading.rows.event).toHaveLength(316 + 16);
    expect(reading.rows.event.filter((row) => row['severity'] === 1)).toHaveLength(120);
    expect(
      reading.rows.span.filter((row) => row['name'] === 'cuMemAlloc' && row['parent_id'] !== 0n).length,
    ).toBeGreaterThan(0);
  });
});

describe('hostile databases', () => {
  test('other databases are left alone', () => {
    expect(
      claims(database('create table events (id integer, timestamp integer); create table users (name text);')),
    ).toEqual([]);
    expect(claims(Buffer.from('SQLite format 3\0'))).toEqual([]);
    expect(claims(Buffer.from('causal_chains stack_traces system_snapshots event_aggregates'))).toEqual([]);
    expect(claims(database(version8))).toEqual(['ingero-sqlite']);
  });

  test('wrong types are rejects and their neighbours stay', async () => {
    const bytes = database(
      version8,
      event({ ...call, timestamp: "'soon'" }),
      event({ ...call, timestamp: -5 }),
      event({ ...call, timestamp: 'zeroblob(100000)' }),
      event({ ...call, duration: "'long'" }),
      event({ ...call, duration: 9_223_372_036_854_775_807n }),
      event({ ...call, duration: -1 }),
      event({ ...call, timestamp: 1.5 }),
      event({ ...call, pid: 'null', tid: "x'00ff'", source: "'x'", op: 'null', arg0: 1e308 }),
      `insert into causal_chains (id, detected_at, timeline) values ('a', 'never', ''), ('b', ${T}, '{"cut');
       insert into system_snapshots values (1, null, 1, 1, 1, 1, 1), (2, ${T}, 'x', zeroblob(9), 9e999, 1, 1);`,
    );
    const { rows } = await read(bytes);
    expect(rows.span).toHaveLength(1);
    expect(rows.event).toMatchObject([{ original_id: 'b', severity: 3 }]);
    expect(reasonsOf({ rows } as never)).toHaveLength(7 + 1 + 1);
    expect(rows.point).toHaveLength(2);
  });

  test('views and virtual tables are not read: they may compute anything', async () => {
    const endless =
      'with recursive c(x) as (select 1 union all select x + 1 from c) select x as id, x as timestamp from c';
    const bytes = database(
      version8.replace(/create table system_snapshots[^;]*;/, `create view system_snapshots as ${endless};`),
      event(call),
    );
    const { rows } = await read(bytes);
    expect(rows.span).toHaveLength(1);
    expect(rows.point).toEqual([]);
    await expect(
      read(database(`create view events as ${endless}; create table causal_chains (id text)`)),
    ).rejects.toThrow(ProblemError);
  });

  test('damage in the middle keeps what comes before it', async () => {
    const many = Array.from({ length: 5000 }, (_, i) => event({ ...call, timestamp: T + BigInt(i * 2000) })).join('');
    const bytes = Buffer.from(database(version8, 'begin', many, 'commit'));
    bytes.fill(0xff, bytes.length / 2, bytes.length / 2 + 8192);
    const reading = await read(bytes).catch((error: unknown) => error);
    if (reading instanceof ProblemError) throw reading;
    expect(reasonsOf(reading as never).join()).toContain('not a sound SQLite database');
  });

  test('no database at all is one problem', async () => {
    for (const bytes of [Buffer.from('SQLite format 3\0'), Buffer.alloc(5000, 1), Buffer.alloc(0)])
      await expect(read(bytes)).rejects.toThrow(ProblemError);
  });

  test('foreign tables are named, and nothing is written beside the file', async () => {
    const bytes = database(version8, 'create table annotations (a text)', 'pragma journal_mode = wal', event(call));
    let folder = '';
    const input = {
      name: 'x.db',
      chunks: (async function* () {})(),
      files: [
        {
          path: 'x.db',
          bytes: bytes.length,
          captured_ns: 0n as never,
          captured_from: 'file time' as const,
          open: async function* () {},
          onDisk: async () => {
            const path = join(mkdtempSync(join(tmpdir(), 'faultline-test-')), 'a b%20?#.db');
            folder = dirname(path);
            const { writeFileSync } = await import('node:fs');
            writeFileSync(path, bytes);
            return path;
          },
        },
      ],
      assume: { zone: null, device: 'n', mapping: null },
      database: openFileEngine,
    };
    const remarks: string[] = [];
    for await (const batch of ingeroSqlite.read(input)) remarks.push(...batch.remarks);
    expect(remarks).toEqual(['left out: the tables annotations']);
    expect(readdirSync(folder)).toEqual(['a b%20?#.db']);
  });

  test('a Node without SQLite gives a hint', async () => {
    const bytes = database(version8);
    vi.doMock('node:sqlite', () => {
      throw new Error('No such built-in module: node:sqlite');
    });
    await expect(read(bytes)).rejects.toMatchObject({ problem: { code: 'sqlite.unavailable' } });
    vi.doUnmock('node:sqlite');
  });
});
