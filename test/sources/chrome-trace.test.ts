import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { chromeTrace } from '../../src/main/sources/chrome-trace/index.ts';
import { sources } from '../../src/main/sources/index.ts';
import { ProblemError } from '../../src/model/problem.ts';
import { FileHead } from '../../src/model/storage/source.ts';
import { type Reading, type Row, readSource, reasonsOf, samplesOf } from '../support/read-source.ts';
import { sharedData } from '../support/shared-data.ts';
import { CAPTURED_NS } from '../support/source-input.ts';

const fixture = (name: string) => readFileSync(join(import.meta.dirname, '../../fixtures/chrome-trace', name));
const read = (document: unknown, name = 'trace.json') =>
  readSource(chromeTrace, typeof document === 'string' ? document : JSON.stringify(document), { name });
const named = ({ rows }: Reading, name: string): Row => rows.span.find((row) => row['name'] === name) ?? {};
/** Name of each span with that of its parent. */
const tree = ({ rows }: Reading) => {
  const names = new Map(rows.span.map((row) => [row['span_id'], row['name']]));
  return rows.span.map((row) => `${row['name']} < ${names.get(row['parent_id']) ?? '-'}`);
};
/** Microseconds of a day on which clocks count from 1970. */
const NOW = 1_700_000_000_000_000;
const slice = (name: string, ts: number, dur: number, over: Readonly<Record<string, unknown>> = {}) => ({
  name,
  ph: 'X',
  ts: NOW + ts,
  dur,
  pid: 1,
  tid: 1,
  ...over,
});

const unclosed = await read(fixture('no-closing-bracket.json').toString());
describe('a trace without its closing bracket', () => {
  const reading = unclosed;
  const end = CAPTURED_NS;
  test('is no damage', () => {
    expect(reading.rows.reject).toEqual([]);
    expect(reading.remarks).toEqual([
      'left out: 1 events of phase N',
      'times count from an unknown start: the end is taken as 2026-01-01T00:00:00.000Z (file time)',
    ]);
  });
  test('spans nest by time on their thread, and by id when they are asynchronous', () => {
    expect(tree(reading).sort()).toEqual([
      'dns < load',
      'inner < outer',
      'load < -',
      'outer < -',
      'stuck < -',
      'work < -',
    ]);
    expect(named(reading, 'outer')).toMatchObject({
      start_ns: end - 200_000n,
      end_ns: end - 100_000n,
      service: 'process:browser/1',
      kind: 1,
      attributes: '{"category":"a","x":1,"y":2}',
    });
    expect(named(reading, 'outer')['resource']).toContain(
      '"process.pid":"1","process.name":"browser","thread.id":"2","thread.name":"main"',
    );
    expect(named(reading, 'inner')['trace_lo']).toBe(named(reading, 'outer')['span_id']);
    expect(named(reading, 'dns')['trace_lo']).toBe(named(reading, 'load')['span_id']);
  });
  test('a slice without an end lasts until the end of the trace', () => {
    expect(named(reading, 'stuck')).toMatchObject({ end_ns: end, attributes: '{"unfinished":true}' });
  });
  test('instants inside a slice belong to it, others to the process', () => {
    expect(reading.rows.span_event).toMatchObject([
      { name: 'tick', span_id: named(reading, 'inner')['span_id'], time_ns: end - 185_000n },
      { name: 'found', span_id: named(reading, 'dns')['span_id'] },
    ]);
    expect(reading.rows.event).toMatchObject([
      { message: 'whole', type: 'process_event', entity: 'process:browser/1', origin: 'chrome trace' },
    ]);
  });
  test('a flow links the later slice to the earlier one', () => {
    expect(reading.rows.span_link).toMatchObject([
      {
        span_id: named(reading, 'work')['span_id'],
        linked_span_id: named(reading, 'inner')['span_id'],
        attributes: '{"flow":"send"}',
      },
    ]);
  });
  test('counters are points', () => {
    expect(samplesOf(reading)).toMatchObject([
      {
        metric: 'memory',
        value: 5,
        entity: 'process:browser/1',
        time_ns: end - 170_000n,
        attributes: { series: 'used', pid: '1' },
      },
      { metric: 'memory', value: 7.5, attributes: { series: 'free', pid: '1' } },
    ]);
  });
});

describe('times', () => {
  test('count from baseTimeNanoseconds if given, anywhere in the file', async () => {
    const reading = await read(fixture('kineto-nccl.json').toString());
    expect(named(reading, 'cudaLaunchKernelExC')).toMatchObject({
      start_ns: 1719853884001000500n,
      end_ns: 1719853884001012500n,
    });
    expect(reading.remarks).toEqual([]);
  });
  test('are microseconds since 1970 when they look it, base or not', async () => {
    for (const extra of [{}, { baseTimeNanoseconds: 1719853884000000000 }, { displayTimeUnit: 'ns' }]) {
      const { rows } = await read({ traceEvents: [slice('a', 0.25, 1.5)], ...extra });
      expect(rows.span[0]).toMatchObject({ start_ns: 1700000000000000250n, end_ns: 1700000000000001750n });
    }
  });
  test('a stray zero among them is no time', async () => {
    const reading = await read([slice('a', 0, 1), slice('zero', -NOW, 1)]);
    expect(reasonsOf(reading)).toEqual(['the time is out of range']);
    expect(reading.rows.span).toHaveLength(1);
  });
});

describe('nesting', () => {
  test('is by time, whatever the order in the file', async () => {
    const events = [
      slice('d', 12, 3),
      slice('a', 0, 100),
      slice('c', 10, 20),
      slice('b', 5, 50),
      slice('e', 60, 5),
      slice('other', 12, 1, { tid: 2 }),
    ];
    const expected = ['a < -', 'b < a', 'c < b', 'd < c', 'e < a', 'other < -'];
    expect(tree(await read(events)).sort()).toEqual(expected);
    expect(tree(await read(events.toReversed())).sort()).toEqual(expected);
  });
  test('siblings that touch and slices that overlap do not nest', async () => {
    expect(tree(await read([slice('a', 0, 10), slice('b', 10, 10), slice('c', 15, 10)]))).toEqual([
      'a < -',
      'b < -',
      'c < -',
    ]);
    // A slice inside both is a child of the inner one.
    expect(tree(await read([slice('a', 0, 10), slice('b', 5, 10), slice('c', 11, 1)]))).toEqual([
      'a < -',
      'b < -',
      'c < b',
    ]);
  });
  test('of equal slices the first is around the second, and equal records are two spans', async () => {
    const reading = await read([slice('a', 0, 10), slice('a', 0, 10), slice('b', 0, 10)]);
    expect(tree(reading)).toEqual(['a < -', 'a < a', 'b < a']);
    expect(new Set(reading.rows.span.map((row) => row['span_id'])).size).toBe(3);
  });
  test('a slice of no length has a parent and no children', async () => {
    expect(
      tree(await read([slice('a', 0, 10), slice('zero', 5, 0), slice('zero too', 5, 0), slice('b', 6, 2)])),
    ).toEqual(['a < -', 'zero < a', 'zero too < a', 'b < a']);
  });
  test('ten thousand slices inside each other, and overlapping ones, are no effort', async () => {
    const deep = Array.from({ length: 10_000 }, (_, i) => slice(`${i}`, i, 30_000 - 2 * i));
    const stairs = Array.from({ length: 10_000 }, (_, i) => slice(`${i}`, i, 20_000 + i, { tid: 2 }));
    const reading = await read([...deep, ...stairs]);
    expect(reading.rows.span.filter((row) => row['parent_id'] === 0n)).toHaveLength(10_001);
  });
});

describe('who', () => {
  test('a recording of PyTorch is one rank, on CPU threads and GPU streams', async () => {
    const reading = await read(fixture('kineto-nccl.json').toString());
    expect(new Set(reading.rows.span.map((row) => row['service']))).toEqual(new Set(['rank:rank-3']));
    expect(JSON.parse(reading.entities.get('rank:rank-3')?.attributes ?? '')).toMatchObject({
      backend: 'nccl',
      world_size: 8,
    });
    const [, kernel] = reading.rows.span;
    expect(kernel?.['resource']).toContain(
      '"rank":3,"process.pid":"0","process.labels":"GPU 0","cuda.stream":"20","thread.name":"stream 20"',
    );
  });
  test('else the rank may be in the name of a process, or of the file', async () => {
    const meta = { ph: 'M', name: 'process_name', pid: 1, args: { name: 'node-7 (rank 12)' } };
    expect((await read([meta, slice('a', 0, 1)])).rows.span[0]).toMatchObject({ service: 'rank:rank-12' });
    const kineto = { schemaVersion: 1, deviceProperties: [], traceEvents: [slice('a', 0, 1)] };
    const reading = await read(kineto, 'trace_rank_9.json');
    expect(reading.rows.span[0]).toMatchObject({ service: 'rank:rank-9' });
    expect(reading.remarks.join()).toContain("9 is read from the file's name");
  });
  test('else each pid is a process', async () => {
    const reading = await read([slice('a', 0, 1), slice('b', 0, 1, { pid: 2 })], 'folder/run.json.gz');
    expect(reading.rows.span.map((row) => row['service'])).toEqual(['process:run/pid-1', 'process:run/pid-2']);
    expect(reading.remarks.join()).toContain('called after the file');
  });
  test('the machine that the investigator names is where it ran', async () => {
    const options = { name: 'x', assume: { device: 'node-4' } };
    const reading = await readSource(chromeTrace, JSON.stringify([slice('a', 0, 1)]), options);
    expect(reading.rows.edge).toMatchObject([
      { from_entity: 'process:node-4/pid-1', kind: 'runs_on', to_entity: 'server:node-4' },
    ]);
  });
  test('ids come from the content, not from the name of the file', async () => {
    const one = await read([slice('a', 0, 1)], 'one.json');
    const two = await read({ traceEvents: [slice('a', 0, 1)] }, 'two.json');
    expect(two.rows.span[0]?.span_id).toBe(one.rows.span[0]?.span_id);
    expect(two.rows.span[0]?.trace_hi).toBe(one.rows.span[0]?.trace_hi);
    const other = await read({ distributedInfo: { rank: 1 }, traceEvents: [slice('a', 0, 1)] });
    expect(other.rows.span[0]?.span_id).not.toBe(one.rows.span[0]?.span_id);
  });
});

test('NCCL kernels are collectives as well; ranks that a name leaves out come from the header or stay unknown', async () => {
  const { rows } = await read(fixture('kineto-nccl.json').toString());
  expect(rows.collective).toMatchObject([
    {
      rank: 'rank:rank-3',
      group_id: '0',
      group_name: 'default_pg',
      group_ranks: '0,1,2,3,4,5,6,7',
      sequence: 41n,
      operation: 'allreduce',
      state: 'completed',
      created_ns: 0n,
      started_ns: 1719853884001020000n,
      completed_ns: 1719853884001100250n,
      dtype: 'Float',
      input_sizes: '[[4096]]',
    },
    { group_id: '9', group_ranks: '', sequence: -1n, operation: 'reduce_scatter', input_sizes: '' },
  ]);
  expect(JSON.parse(rows.collective[0]?.attributes as string)).toMatchObject({ stream: 20, 'Group size': 8 });
  expect(rows.span_link).toHaveLength(1);
});

test('a node per process and causal chains: an export of Ingero', async () => {
  const { rows } = await readSource(chromeTrace, fixture('ingero-cluster.json'));
  expect(rows.span).toHaveLength(600);
  expect(rows.event).toHaveLength(6);
  expect(rows.event.filter((row) => row['severity'] === 1)).toHaveLength(2);
  expect(new Set(rows.event.map((row) => row['entity']))).toEqual(
    new Set(['server:gpu-node-01', 'server:gpu-node-02', 'server:gpu-node-03']),
  );
});

describe('detection', () => {
  const claims = (text: string) =>
    sources.filter((source) => source.detect(new FileHead(Buffer.from(text)))).map(({ id }) => id);
  test('by traceEvents, by the first event of a list, by the header of PyTorch', () => {
    for (const text of [
      '{"traceEvents":[]}',
      '{"traceEvents":[{"name":"a","cat":',
      '{"displayTimeUnit":"ns","traceEvents":[{"ph":"X"',
      '[{"name":"a","ph":"X","ts":1',
      '{"schemaVersion":1,"deviceProperties":[{"id":0,"name":"NVIDIA',
    ])
      expect([text, claims(text)]).toEqual([text, ['chrome-trace']]);
  });
  test('others are left alone', () => {
    for (const text of [
      '[]',
      '{}',
      '[{"ph":7.2,"ts":1}]',
      '[{"ph":"7.2","temperature":5,"ts":1}]',
      '{"traceEvents":5}',
      '{"schemaVersion":1}',
    ])
      expect([text, claims(text)]).toEqual([text, []]);
  });
});

describe('hostile traces', () => {
  test('bad events are rejects and their neighbours stay', async () => {
    const bad = [
      5,
      null,
      { name: 'no phase' },
      { ph: 'X', ts: 'soon' },
      { ph: 'X', dur: 5 },
      slice('backwards', 0, -5),
      slice('endless', 0, 1e300),
      { ph: 'C', ts: NOW, pid: 1, args: { a: 'text' } },
    ];
    const reading = await read([...bad, slice('good', 0, 1, { args: 7, cat: {}, pid: {}, tid: null })]);
    expect(reasonsOf(reading)).toHaveLength(bad.length);
    expect(reading.rows.span).toHaveLength(1);
  });
  test('arguments nested a hundred thousand deep are one reject', async () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const text = JSON.stringify([slice('a', 0, 1, { args: { deep: 0 } }), slice('b', 5, 1)]).replace(
      '"deep":0',
      `"deep":${deep}`,
    );
    const reading = await read(text);
    expect(reasonsOf(reading)).toEqual(['nested too deeply']);
    expect(reading.rows.span).toHaveLength(1);
  });
  test('ends without beginnings and flows without ends are counted', async () => {
    const reading = await read([
      { ph: 'E', ts: NOW, pid: 1, tid: 1 },
      { ph: 'e', ts: NOW, pid: 1, id: 1, cat: 'a', name: 'x' },
      { ph: 's', ts: NOW, pid: 1, tid: 1, id: 4, cat: 'a', name: 'x' },
      { ph: 'f', ts: NOW + 9, pid: 1, tid: 1, id: 4, cat: 'a', name: 'x' },
      slice('a', 0, 1),
    ]);
    expect(reading.remarks).toEqual([
      'left out: 2 ends without a beginning',
      'left out: 2 flow events without both ends in slices',
      'processes have no names in the recording: they are called after the file',
    ]);
    expect(reading.rows.span_link).toEqual([]);
  });
  test('a file without events is refused', async () => {
    await expect(read('{"traceEvents":[]}')).rejects.toThrow(ProblemError);
    await expect(read('{"a":1}')).rejects.toThrow(ProblemError);
  });
  test('a truncated file keeps its complete records', async () => {
    const text = JSON.stringify({ traceEvents: [slice('a', 0, 1), slice('b', 5, 1)] });
    const reading = await read(text.slice(0, -20));
    expect(reading.rows.span).toHaveLength(1);
    expect(reasonsOf(reading)).toHaveLength(1);
  });
});

describe('recordings', () => {
  test('the parent of a slice is the smallest one around it on its thread', async () => {
    const reading = await readSource(chromeTrace, fixture('kineto-simple-add.json.gz'));
    const { traceEvents } = JSON.parse(gunzipSync(fixture('kineto-simple-add.json.gz')).toString()) as {
      traceEvents: { ph: string; pid: unknown; tid: unknown; ts: number; dur: number; name: string }[];
    };
    const slices = traceEvents.filter(({ ph }) => ph === 'X');
    expect(reading.rows.span).toHaveLength(slices.length);
    const byId = new Map(reading.rows.span.map((row, i) => [row['span_id'], slices[i]]));
    reading.rows.span.forEach((row, i) => {
      const own = slices[i]!;
      const around = slices.filter(
        (one) =>
          one !== own &&
          one.pid === own.pid &&
          one.tid === own.tid &&
          one.ts <= own.ts &&
          one.ts + one.dur >= own.ts + own.dur &&
          one.dur > own.dur &&
          one.ts + one.dur > own.ts,
      );
      const smallest = Math.min(...around.map(({ dur }) => dur));
      const parent = byId.get(row['parent_id']);
      if (parent && parent.dur === own.dur) return; // Equal slices: either may be around the other.
      expect([own.name, own.ts, parent?.dur ?? Number.POSITIVE_INFINITY]).toEqual([own.name, own.ts, smallest]);
    });
  });

  test('kernels link to the call that launched them: both carry the same correlation', async () => {
    const file = sharedData('pytorch-trace/hta/nccl_parser_config/nccl_data.json.gz');
    const { rows } = await readSource(chromeTrace, readFileSync(file));
    expect(rows.span).toHaveLength(26_933);
    expect(rows.reject).toEqual([]);
    expect(rows.collective).toHaveLength(21);
    const correlations = new Map(
      rows.span.map((row) => [row['span_id'], /"correlation":(\d+)/.exec(String(row['attributes']))?.[1]]),
    );
    const launches = rows.span_link.filter((link) => link['attributes'] === '{"flow":"ac2g"}');
    expect(launches.length).toBeGreaterThan(3_000);
    const wrong = launches.filter(
      (link) => correlations.get(link['span_id']) !== correlations.get(link['linked_span_id']),
    );
    expect(wrong).toEqual([]);
  });

  test('absolute times without a base', async () => {
    const file = sharedData('pytorch-trace/hta/timeline_analysis/sampled_rank-0.json.gz');
    const { rows, remarks } = await readSource(chromeTrace, readFileSync(file));
    expect(remarks).toEqual([]);
    expect(rows.span[0]).toMatchObject({ start_ns: 1682725898236567000n, service: 'rank:rank-0' });
    expect(new Set(rows.collective.map((row) => row['operation']))).toEqual(new Set(['send_recv']));
  });
});
