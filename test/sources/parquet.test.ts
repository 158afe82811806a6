import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parquet } from '../../src/main/sources/parquet/index.ts';
import { ProblemError } from '../../src/model/problem.ts';
import { FileHead } from '../../src/model/storage/source.ts';
import { largeValue, parquetOf } from '../support/parquet-of.ts';
import { countsOf, type Row, readSource } from '../support/read-source.ts';
import { sharedData } from '../support/shared-data.ts';
import { inputOf } from '../support/source-input.ts';

const fixture = (name: string) => readFileSync(join(import.meta.dirname, '../../fixtures/parquet', name));

test("the ClickHouse exporter's spans, with maps, enumerations, events and entities", async () => {
  const reading = await readSource(parquet, fixture('clickhouse-traces.parquet'));
  expect(countsOf(reading)).toEqual({ span: 30, span_event: 5, edge: 4 });
  const first = reading.rows.span.find(({ span_id }) => span_id === 1n);
  expect(first).toMatchObject({
    trace_lo: 1n,
    span_id: 1n,
    parent_id: 0n,
    start_ns: 1_767_225_600_000_000_000n,
    end_ns: 1_767_225_600_001_000_000n,
    kind: 2,
    status: 2,
    service: 'service:front',
    scope: 'demo@1.0',
    attributes: '{"http.route":"/item"}',
  });
  expect(reading.rows.span_event[0]).toMatchObject({ time_ns: 1_767_225_600_500_000_000n, name: 'exception' });
  expect([...reading.entities.keys()]).toContain('pod:shop/pod-0');
});

test('a flat OTel Arrow export: binary ids, structs, durations', async () => {
  const reading = await readSource(parquet, fixture('otel-arrow-spans.parquet'));
  expect(countsOf(reading)).toEqual({ span: 5 });
  expect(reading.rows.span[4]).toMatchObject({
    trace_lo: 5n,
    start_ns: 1_767_225_600_004_000_000n,
    end_ns: 1_767_225_600_004_005_000n,
    service: 'service:arrow',
    status: 2,
    status_message: 'boom',
    scope: 'lib@2',
  });
});

test('a Tempo block gives its 134 traces, dedicated columns by the names of its meta.json', async () => {
  const folder = sharedData('parquet/tempo/vparquet4/b27b0e53-66a0-4505-afd6-434ae3cd4a10');
  const block = Object.fromEntries(
    ['data.parquet', 'meta.json'].map((name) => [name, readFileSync(join(folder, name))]),
  );
  for (const [name, bytes] of Object.entries(block)) {
    expect(parquet.detect(new FileHead(bytes.subarray(0, 65_536)))).toBe(true);
    expect(parquet.gather?.root(`block/${name}`, new FileHead(bytes))).toBe('block');
  }
  const reading = await readSource(parquet, block);
  const traces = new Set(reading.rows.span.map(({ trace_hi, trace_lo }) => `${trace_hi} ${trace_lo}`));
  expect(traces.size).toBe(134);
  expect(reading.rows.reject).toEqual([]);
  const times = reading.rows.span.map(({ start_ns }) => start_ns as bigint);
  const at = (text: string) => BigInt(Date.parse(text)) * 1_000_000n;
  expect(times.every((time) => time >= at('2022-07-04T11:11:09Z') && time <= at('2022-07-04T11:11:36Z'))).toBe(true);
  const resources = new Set(reading.rows.span.map(({ resource }) => resource as string));
  expect([...resources].some((text) => text.includes('"ip":'))).toBe(true);
  expect([...resources].every((text) => text.includes('"service.name":'))).toBe(true);
  expect(reading.rows.span.some(({ attributes }) => String(attributes).includes('"sampler.type"'))).toBe(true);
  expect(reading.rows.span.every(({ end_ns, start_ns }) => (end_ns as bigint) >= (start_ns as bigint))).toBe(true);
  const without = await readSource(parquet, { 'data.parquet': block['data.parquet'] as Buffer });
  expect(without.rows.span).toHaveLength(reading.rows.span.length);
  expect(without.remarks.join()).toContain('meta.json');
});

test('an event in a span without a time, or with one beyond 64 bits, is at the start of the span', async () => {
  const events = ['2024-13-45 00:00:00', '9999-01-01 00:00:00', '2024-01-15 14:32:01.5', '9999999999999999999']
    .map((time) => `{"Timestamp":"${time}","Name":"e"}`)
    .join();
  const bytes = await parquetOf(`select '2026-01-01 00:00:01'::timestamp as "Timestamp", repeat('ab', 16) as "TraceId",
    repeat('cd', 8) as "SpanId", 'GET' as "SpanName", 'cart' as "ServiceName", 5::bigint as "Duration", '[${events}]' as "Events"`);
  const { rows } = await readSource(parquet, bytes);
  const start = 1_767_225_601_000_000_000n;
  expect(rows.span_event.map(({ time_ns }) => time_ns)).toEqual([start, start, 1_705_329_121_500_000_000n, start]);
});

test('metrics, logs, events and topology as our own views and as others write them', async () => {
  const metrics =
    await parquetOf(`select 1767225600000000000::bigint as time_ns, 'gpu' as entity_kind, 'GPU-1' as entity,
    'hw.power' as metric, 412.5 as value, 'W' as unit, '{"phase":"L1"}' as attributes`);
  expect((await readSource(parquet, metrics)).rows.point[0]).toMatchObject({
    value: 412.5,
    time_ns: 1_767_225_600_000_000_000n,
  });
  const logs = await parquetOf(`select '2026-01-01 00:00:01.5'::timestamp as "Timestamp", repeat('ab', 16) as "TraceId",
    'WARN' as "SeverityText", 13 as "SeverityNumber", 'cart' as "ServiceName", 'slow' as "Body", map(['k'], ['v']) as "LogAttributes"`);
  expect((await readSource(parquet, logs)).rows.log[0]).toMatchObject({
    time_ns: 1_767_225_601_500_000_000n,
    severity: 13,
    body: 'slow',
    attributes: '{"k":"v"}',
  });
  const histogram =
    await parquetOf(`select 'x' as "MetricName", '2026-01-01'::timestamp_ns as "TimeUnix", 3::ubigint as "Count",
    1.5 as "Sum", [1, 2, 0]::ubigint[] as "BucketCounts", [0.1, 1]::double[] as "ExplicitBounds", 2 as "AggregationTemporality"`);
  expect((await readSource(parquet, histogram)).rows.distribution[0]).toMatchObject({
    count: 3,
    detail: '{"bounds":[0.1,1],"counts":[1,2,0]}',
  });
  const edges = await parquetOf(
    `select 'pdu' as from_kind, 'A' as from_id, 'feeds' as edge, 'server' as to_kind, 'n' as to_id`,
  );
  expect((await readSource(parquet, edges)).rows.edge[0]).toMatchObject({
    from_entity: 'pdu:A',
    to_entity: 'server:n',
  });
});

test('an unknown table is rejected with its columns, and read by a mapping', async () => {
  const bytes = await parquetOf(`select 1767225600123 as moment, 'rack-7' as target, 'sag' as what, 'CRITICAL' as how`);
  await expect(readSource(parquet, bytes)).rejects.toMatchObject({ problem: { code: 'parquet.unmapped' } });
  const mapping = {
    table: 'event' as const,
    columns: {
      time: { column: 'moment', unit: 'ms' as const },
      entity: { column: 'target' },
      type: { column: 'what' },
      severity: { column: 'how' },
    },
  };
  const { rows } = await readSource(parquet, bytes, { assume: { mapping } });
  expect(rows.event[0]).toMatchObject({
    time_ns: 1_767_225_600_123_000_000n,
    entity: 'device:rack-7',
    type: 'sag',
    severity: 0,
  });
  const wrong = { ...mapping, columns: { ...mapping.columns, message: { column: 'nowhere"; drop' } } };
  await expect(readSource(parquet, bytes, { assume: { mapping: wrong } })).rejects.toMatchObject({
    problem: { code: 'parquet.mapping' },
  });
});

test('bare numbers for times are read by their size, a stated unit is obeyed', async () => {
  for (const [time, expected] of [
    ['1767225600', 1_767_225_600_000_000_000n],
    ['1767225600123', 1_767_225_600_123_000_000n],
    ['1767225600123456', 1_767_225_600_123_456_000n],
    ['1767225600123456789', 1_767_225_600_123_456_789n],
  ] as const) {
    const bytes = await parquetOf(`select ${time}::bigint as timestamp, 'x' as message`);
    expect((await readSource(parquet, bytes)).rows.log[0]?.time_ns).toBe(expected);
  }
});

test('conformance files are rows or a refusal, damaged ones a refusal', async () => {
  const folder = sharedData('parquet/apache-testing');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.parquet'));
  expect(files.length).toBeGreaterThan(15);
  for (const name of files) {
    const outcome = await readSource(parquet, readFileSync(join(folder, name))).then(
      () => 'rows',
      (error: unknown) => {
        if (!(error instanceof ProblemError)) throw error;
        return error.problem.code;
      },
    );
    expect(['rows', 'parquet.unmapped', 'parquet.damaged'], name).toContain(outcome);
  }
});

test('a time or duration that does not fit is missing from its row; the others are read', async () => {
  const file = await parquetOf(
    "select unnest([timestamp '0001-01-01', timestamp '2024-01-01']) as time, 'xid' as type, 'gpu0' as entity",
  );
  expect(countsOf(await readSource(parquet, file))).toEqual({ event: 1, reject: 1 });
  const spans = await parquetOf(
    "select unnest([1e300, 1700000000.0]) as begun, unnest([9223372036854775807, 5]) as took, 'aa' as t, 'bb' as s, 'n' as n",
  );
  const columns = {
    start: { column: 'begun', unit: 's' },
    duration: { column: 'took', unit: 's' },
    trace_id: { column: 't' },
    span_id: { column: 's' },
    name: { column: 'n' },
  } as const;
  const reading = await readSource(parquet, spans, { assume: { mapping: { table: 'span', columns } } });
  expect(countsOf(reading)).toEqual({ span: 1, reject: 1 });
});

test('rows that are odd in every way are read as far as they can be, and nothing is lost between them', async () => {
  const bytes = await parquetOf(`select
      case i % 1000 when 7 then 'abc' when 8 then 'not hex' when 9 then null else printf('%032x', i + 1) end as trace_id,
      printf('%016x', i + 1) as span_id,
      case when i % 3 = 0 then null when i % 3 = 1 then '' else printf('%016x', i) end as parent_span_id,
      'name ' || (i % 7) as name, case i % 2 when 0 then 'SPAN_KIND_SERVER' else '3' end as kind,
      case i % 1000 when 11 then 0 else 1700000000000000000 + i end as start_ns, 5 + i % 10 as duration_ns,
      case i % 5 when 0 then 'STATUS_CODE_ERROR' else null end as status_code,
      'service-' || (i % 4) as service,
      case when i % 1000 = 12 then '[{"key":"k","value":{"stringValue":"v"}}]' when i % 1000 = 13 then '{"k":null,"n":1}'
        when i % 1000 = 14 then '{}' when i % 1000 = 15 then 'no json' when i % 2 = 0 then null
        else '{"k":"ü ' || i || '","n":' || i || '}' end as attributes
    from range(100000) r(i)`);
  const { rows } = await readSource(parquet, bytes);
  const odd = (n: number): boolean => n % 1000 === 8 || n % 1000 === 9 || n % 1000 === 11;
  expect(rows.reject.map(({ at }) => Number(at)).sort((a, b) => a - b)).toEqual(
    Array.from({ length: 100_000 }, (_, i) => i).filter(odd),
  );
  const byId = new Map(rows.span.map((row) => [Number(row.span_id) - 1, row]));
  expect(byId.size).toBe(rows.span.length);
  const special: Record<number, string> = { 12: '{"k":"v"}', 13: '{"n":1}', 14: '', 15: '{"value":"no json"}' };
  for (let i = 0; i < 100_000; i++) {
    if (odd(i)) continue;
    const wanted: Row = {
      trace_hi: 0n,
      trace_lo: i % 1000 === 7 ? 0xabcn : BigInt(i + 1),
      parent_id: i % 3 === 2 ? BigInt(i) : 0n,
      name: `name ${i % 7}`,
      kind: i % 2 === 0 ? 2 : 3,
      status: i % 5 === 0 ? 2 : 0,
      start_ns: 1_700_000_000_000_000_000n + BigInt(i),
      end_ns: 1_700_000_000_000_000_000n + BigInt(i + 5 + (i % 10)),
      service: `service:service-${i % 4}`,
      attributes: special[i % 1000] ?? (i % 2 === 0 ? '' : `{"k":"ü ${i}","n":${i}}`),
    };
    const row = byId.get(i);
    // To compare each of them by `toMatchObject` takes ten seconds.
    if (!row || Object.entries(wanted).some(([column, value]) => row[column] !== value))
      expect(row, `row ${i}`).toMatchObject(wanted);
  }
});

test('a file of which rows are neither taken nor odd has changed meanwhile', async () => {
  const bytes = await parquetOf(
    "select printf('%032x', i + 1) as trace_id, printf('%016x', i + 1) as span_id, 'n' as name, i + 1 as start_ns, 5 as duration_ns from range(10) r(i)",
  );
  const read = async (taken: number) => {
    for await (const { file } of parquet.read({ ...inputOf(bytes), taken: async () => taken }))
      expect(file).toMatchObject({ table: 'span', rows: 10, name: 'hidden' });
  };
  await read(10);
  await expect(read(9)).rejects.toMatchObject({ problem: { code: 'file.changed' } });
});

test('a page that takes more memory than there is for it is refused as such, not as damaged', async () => {
  await expect(readSource(parquet, largeValue())).rejects.toThrow(/take more memory to unpack/);
});
