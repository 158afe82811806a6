import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readSnappyBlock } from '../../src/main/sources/bytes/snappy.ts';
import { prometheusRemoteWrite } from '../../src/main/sources/prometheus-remote-write/index.ts';
import { FileHead } from '../../src/model/storage/source.ts';
import { type Field, message, packed } from '../support/otlp-wire.ts';
import { countsOf, readSource, reasonsOf, samplesOf } from '../support/read-source.ts';
import { labelField, sampleFields, snappyBlock, writeRequest, writeRequest2 } from '../support/remote-write.ts';

const read = (request: Uint8Array) => readSource(prometheusRemoteWrite, snappyBlock(request));
const at = 1_777_644_600_000;
const time_ns = BigInt(at) * 1_000_000n;
const power = { __name__: 'DCGM_FI_DEV_POWER_USAGE', gpu: '0', UUID: 'GPU-aa', Hostname: 'h100-1' };
const spans = (offset: number, length: number): Field[] => [
  [1, offset, 'zigzag'],
  [2, length],
];

test('what Prometheus 2.42 sent of itself is read whole', async () => {
  const reading = await readSource(
    prometheusRemoteWrite,
    readFileSync('fixtures/prometheus-remote-write/prometheus-2.42.snappy'),
  );
  expect(reasonsOf(reading)).toEqual([]);
  const up = samplesOf(reading).filter(({ metric }) => metric === 'up');
  expect(up.map(({ value }) => value)).toEqual([1]);
  // 353 series, as another decoder counted: 205 alone, 80 buckets and 68 other parts of 16 histograms and summaries.
  expect(countsOf(reading)).toEqual({ point: 205, distribution: 16 });
});

test('both versions mean the same', async () => {
  const sent = [{ labels: power, samples: [[at, 300] as const] }];
  const one = await read(writeRequest(sent));
  const two = await read(writeRequest2(sent));
  expect(samplesOf(one)).toEqual([
    { entity: 'gpu:GPU-aa', metric: 'hw.power', unit: 'W', value: 300, time_ns, attributes: {} },
  ]);
  expect(two).toEqual({ ...one, consumed: two.consumed });
});

test('version 2 states types, units and when a counter began', async () => {
  const metadata = (symbol: (text: string) => number): Field[] => [
    [
      5,
      [
        [1, 1],
        [3, symbol('how often')],
        [4, symbol('requests')],
      ],
    ],
    [2, [...sampleFields(at, 7), [3, BigInt(at - 5000)]]],
    [6, BigInt(at - 9000)],
  ];
  const reading = await read(
    writeRequest2([{ labels: { __name__: 'asked', job: 'a' }, samples: [[at - 1, 6]] }], metadata),
  );
  const [series] = reading.rows.point.map((row) => JSON.parse(String(row.series)) as Record<string, unknown>);
  expect(series).toMatchObject({ metric: 'asked', kind: 'sum', monotonic: true, description: 'how often' });
  expect(reading.rows.point.map(({ value, start_ns }) => [value, start_ns])).toEqual([
    [6, time_ns - 9_000_000_000n],
    [7, time_ns - 5_000_000_000n],
  ]);
});

test('classic histograms are assembled, native ones kept, a series that ended has no sample', async () => {
  const bucket = (le: string, value: number) => ({
    labels: { __name__: 'd_seconds_bucket', job: 'a', le },
    samples: [[at, value] as const],
  });
  const part = (ending: string, value: number) => ({
    labels: { __name__: `d_seconds_${ending}`, job: 'a' },
    samples: [[at, value] as const],
  });
  const stale = Buffer.from('020000000000f07f', 'hex');
  const native: Field[] = [
    labelField('__name__', 'n_seconds'),
    [
      4,
      [
        [1, 9],
        [3, 2.5, 'double'],
        [4, 1, 'zigzag'],
        [5, 0.001, 'double'],
        [6, 2],
        [11, spans(1, 2)],
        [11, spans(1, 1)],
        [12, Buffer.concat([packed([2], 'varint'), packed([2], 'varint'), packed([3], 'varint')])],
        [15, BigInt(at)],
      ],
    ],
  ];
  const ended: Field[] = [labelField('__name__', 'gone')];
  const reading = await read(
    Buffer.concat([
      writeRequest([bucket('0.5', 3), part('sum', 4.5), bucket('+Inf', 5), part('count', 5)]),
      message([
        [1, native],
        [1, [...ended, [2, Buffer.concat([Buffer.from([0x09]), stale, Buffer.from([0x10]), packed([at], 'varint')])]]],
      ]),
    ]),
  );
  expect(countsOf(reading)).toEqual({ distribution: 2 });
  expect(reading.rows.distribution.map(({ count, sum, detail }) => [count, sum, detail])).toEqual([
    [
      9,
      2.5,
      '{"scale":1,"zero_count":2,"zero_threshold":0.001,"positive":{"offset":0,"counts":[1,2,0,0]},"negative":{"offset":0,"counts":[]}}',
    ],
    [5, 4.5, '{"bounds":[0.5],"counts":[3,2]}'],
  ]);
});

test('what is no series is a reject with its place, and the rest is read', async () => {
  const good = writeRequest([{ labels: power, samples: [[at, 300]] }]);
  const nameless = writeRequest([{ labels: { job: 'a' }, samples: [[at, 1]] }]);
  const twice = message([[1, [labelField('__name__', 'a'), labelField('__name__', 'b')]]]);
  const late = writeRequest([{ labels: power, samples: [[9e15, 1]] }]);
  const reading = await read(Buffer.concat([nameless, twice, late, good]));
  expect(samplesOf(reading)).toHaveLength(1);
  expect(reasonsOf(reading)).toEqual([
    'a series without a name',
    'a label without a name, or one name twice',
    'a time that is out of range',
  ]);
  const cut = await read(Buffer.concat([good, good.subarray(0, 20)]));
  expect(samplesOf(cut)).toHaveLength(1);
  expect(reasonsOf(cut)).toHaveLength(1);
  const missing = await read(
    message([
      [
        5,
        [
          [1, packed([7, 8], 'varint')],
          [2, sampleFields(at, 1)],
        ],
      ],
    ]),
  );
  expect(reasonsOf(missing)).toEqual(['a reference to a symbol that the request lacks']);
});

test('a table of symbols that fills the head is known by its beginning', () => {
  const labels = Object.fromEntries(Array.from({ length: 900 }, (_, i) => [`l${i}`, `v${i}`.padEnd(90, String(i))]));
  const body = snappyBlock(writeRequest2([{ labels: { __name__: 'a', ...labels }, samples: [[at, 1]] }]));
  expect(prometheusRemoteWrite.detect(new FileHead(body.subarray(0, 65_536)))).toBe(true);
});

test('a snappy block is checked before it is believed', () => {
  const block = (hex: string) => readSnappyBlock(Buffer.from(hex, 'hex'), 1000);
  // "abcd", then four bytes from four back, then eight bytes of the last one.
  const good = block('100c616263640104' + '1e0100');
  expect([Buffer.from(good.bytes).toString(), good.problem]).toEqual(['abcdabcddddddddd', '']);
  expect(block('0a0c6162').problem).toMatch(/end too early/);
  expect(block('040105').problem).toMatch(/before its start/);
  expect(block('010c61626364').problem).toMatch(/more than its length/);
  expect(block('e90700').problem).toMatch(/beyond 1000/);
  expect(block('ffffffffff01').problem).toMatch(/no length/);
  expect(prometheusRemoteWrite.detect(new FileHead(Buffer.from('{"a": 1}')))).toBe(false);
});
