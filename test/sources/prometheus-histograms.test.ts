import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { prometheus } from '../../src/main/sources/prometheus/index.ts';
import { prometheusJson } from '../../src/main/sources/prometheus-json/index.ts';
import {
  type Assembled,
  DistributionAssembler,
  type LabelledSeries,
} from '../../src/main/sources/series-meaning/distribution-assembler.ts';
import { FileHead } from '../../src/model/storage/source.ts';
import { countsOf, type Reading, readSource, reasonsOf, samplesOf } from '../support/read-source.ts';
import { sharedData } from '../support/shared-data.ts';

type Sample = readonly [time: number, value: string];
const matrix = (...series: readonly (readonly [Record<string, string>, readonly Sample[]])[]) => ({
  status: 'success',
  data: { resultType: 'matrix', result: series.map(([metric, values]) => ({ metric, values })) },
});
const read = (json: unknown) => readSource(prometheusJson, JSON.stringify(json), { name: 'answer.json' });
const named = (name: string, more: Record<string, string> = {}) => ({ __name__: name, job: 'api', ...more });
const rowsOf = ({ rows }: Reading): Readonly<Record<string, unknown>>[] =>
  rows.distribution.map(({ series, ...row }) => ({
    ...row,
    ...(JSON.parse(String(series)) as object),
    detail: JSON.parse(String(row.detail)) as unknown,
  }));

test('a range query makes the rows that the same data make as text', async () => {
  const answer = await readSource(prometheusJson, readFileSync(sharedData('defects/histograms/http.json')));
  const scrape = await readSource(prometheus, readFileSync(sharedData('defects/histograms/http.prom')));
  expect(rowsOf(answer)).toHaveLength(120);
  expect(rowsOf(answer)).toEqual(rowsOf(scrape));
});

describe('classic histograms', () => {
  const text = `# TYPE took_seconds histogram
took_seconds_bucket{job="api",le="0.5"} 2 1000
took_seconds_bucket{job="api",le="+Inf"} 3 1000
took_seconds_sum{job="api"} 2.5 1000
took_seconds_count{job="api"} 3 1000
took_seconds_bucket{job="api",le="0.5"} 4 2000
took_seconds_bucket{job="api",le="+Inf"} 4 2000
took_seconds_sum{job="api"} 3 2000
took_seconds_count{job="api"} 4 2000
`;
  const parts = [
    [
      named('took_seconds_count'),
      [
        [1, '3'],
        [2, '4'],
      ],
    ],
    [
      named('took_seconds_bucket', { le: '+Inf' }),
      [
        [2, '4'],
        [1, '3'],
      ],
    ],
    [named('up'), [[1, '1']]],
    [
      named('took_seconds_sum'),
      [
        [1, '2.5'],
        [2, '3'],
      ],
    ],
    [named('took_seconds_bucket', { le: '0.5' }), [[1, '2']]],
    [named('took_seconds_bucket', { le: '0.5' }), [[2, '4']]],
  ] as const;

  test('parts may come in any order, far apart and in pieces', async () => {
    const answer = await read(matrix(...parts));
    const scrape = await readSource(prometheus, text);
    expect(rowsOf(answer)).toEqual(rowsOf(scrape));
    expect(countsOf(answer)).toEqual({ point: 1, distribution: 2 });
  });

  test('buckets alone count by their highest; without +Inf nothing is known of what is above', async () => {
    const whole = await read(matrix(parts[1], parts[4], parts[5]));
    expect(rowsOf(whole).map(({ count, sum }) => [count, sum])).toEqual([
      [3, Number.NaN],
      [4, Number.NaN],
    ]);
    const open = await read(matrix(parts[4]));
    expect(rowsOf(open)).toMatchObject([{ count: Number.NaN, detail: { bounds: [0.5], counts: [2, null] } }]);
    expect(open.remarks.join()).toContain('+Inf');
  });

  test('a sum and a count alone stay counters', async () => {
    const answer = await read(matrix(parts[0], parts[3]));
    expect(countsOf(answer)).toEqual({ point: 4 });
    expect(new Set(samplesOf(answer).map(({ metric }) => metric))).toEqual(
      new Set(['took_seconds_count', 'took_seconds_sum']),
    );
  });

  test('a bound that is no number leaves a plain series', async () => {
    const answer = await read(matrix([named('took_seconds_bucket', { le: 'x' }), [[1, '2']]]));
    expect(countsOf(answer)).toEqual({ point: 1 });
  });
});

test('a summary has its quantiles, and creation times are starts', async () => {
  const answer = await read(
    matrix(
      [named('took_seconds', { quantile: '0.9' }), [[5, '7']]],
      [named('took_seconds', { quantile: '0.5' }), [[5, 'NaN']]],
      [named('took_seconds_count'), [[5, '8']]],
      [named('took_seconds_created'), [[5, '2']]],
    ),
  );
  const quantiles = [
    [0.5, 'NaN'],
    [0.9, 7],
  ];
  expect(rowsOf(answer)).toMatchObject([
    { kind: 'summary', metric: 'took_seconds', count: 8, start_ns: 2_000_000_000n, detail: { quantiles } },
  ]);
});

describe('native histograms', () => {
  const native = (buckets: unknown, metric: object = named('took_seconds')) =>
    read([{ metric, histograms: [[1, { count: '6', sum: '9', buckets }]] }]);

  test('powers of a base are an exponential histogram', async () => {
    const answer = await native([
      [1, '-2', '-1', '1'],
      [3, '-0.001', '0.001', '2'],
      [0, '1', '2', '1'],
      [0, '4', '8', '2'],
    ]);
    expect(rowsOf(answer)).toMatchObject([
      {
        kind: 'exponential_histogram',
        temporality: 2,
        count: 6,
        detail: {
          scale: 0,
          zero_count: 2,
          zero_threshold: 0.001,
          positive: { offset: 0, counts: [1, 0, 2] },
          negative: { offset: 0, counts: [1] },
        },
      },
    ]);
  });

  test('other bounds are an explicit histogram with the gaps between them', async () => {
    const answer = await native([
      [0, '0', '0.5', '1'],
      [0, '1', '5', '3'],
      [0, '5', '+Inf', '2'],
    ]);
    const detail = { bounds: [0, 0.5, 1, 5], counts: [0, 1, 0, 3, 2] };
    expect(rowsOf(answer)).toMatchObject([{ kind: 'histogram', detail }]);
  });

  test('what an expression made of histograms does not accumulate', async () => {
    const answer = await native([[0, '1', '2', '6']], { job: 'api' });
    expect(rowsOf(answer)).toMatchObject([{ temporality: 0 }]);
  });

  test('malformed ones are counted', async () => {
    for (const buckets of [[[0, '2', '1', '1']], [[0, '1', 'x', '1']], [{}], 'x'])
      expect(reasonsOf(await native(buckets))).toEqual(['a native histogram without a time, a count or buckets']);
  });
});

test('what is too large to assemble stays as recorded', () => {
  const written: string[] = [];
  const remarks = new Set<string>();
  const assembler = new DistributionAssembler<LabelledSeries>(
    {
      *plain({ name, labels }, { value }) {
        written.push(`${name} ${labels.get('le') ?? ''} ${value.join()}`);
        yield;
      },
      *distribution({ name }, rows: Iterable<Assembled>) {
        written.push(`${name} ${[...rows].length}`);
        yield;
      },
      remark: (text) => remarks.add(text),
    },
    100,
  );
  const add = (name: string, le: string, values: number) => {
    const time_ns = BigInt64Array.from({ length: values }, (_, i) => BigInt(i));
    const value = Array.from(time_ns, Number);
    return [...assembler.add({ name, labels: new Map([['le', le]]), scope: '' }, { time_ns, value })];
  };
  add('a_bucket', '1', 3);
  add('b_bucket', '1', 3);
  add('a_bucket', '2', 3);
  add('a_bucket', '+Inf', 1);
  add('b_bucket', '+Inf', 3);
  [...assembler.end()];
  expect(written).toEqual(['a_bucket 1 0,1,2', 'a_bucket 2 0,1,2', 'a_bucket +Inf 0', 'b 3']);
  expect(remarks.size).toBe(1);
});

test('exemplars of buckets link their histogram to traces', async () => {
  const trace_id = '4bf92f3577b34da6a3ce929d0e0e4736';
  const seriesLabels = named('took_seconds_bucket', { le: '0.5' });
  const answer = {
    status: 'success',
    data: [{ seriesLabels, exemplars: [{ labels: { trace_id }, value: '0.4', timestamp: 1.5 }, { labels: {} }] }],
  };
  expect(prometheusJson.detect(new FileHead(Buffer.from(JSON.stringify(answer))))).toBe(true);
  const reading = await read(answer);
  expect(reading.rows.exemplar).toMatchObject([
    { time_ns: 1_500_000_000n, value: 0.4, trace_hi: 0x4bf92f3577b34da6n, trace_lo: 0xa3ce929d0e0e4736n },
  ]);
  expect(JSON.parse(String(reading.rows.exemplar[0]?.series))).toMatchObject({
    metric: 'took_seconds',
    kind: 'histogram',
    entity: 'service:api',
  });
  expect(reasonsOf(reading)).toEqual(['an exemplar without a time or a number']);
});
