import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { prometheusJson } from '../../src/main/sources/prometheus-json/index.ts';
import { FileHead } from '../../src/model/storage/source.ts';
import { countsOf, readSource, reasonsOf, samplesOf } from '../support/read-source.ts';
import { sharedData } from '../support/shared-data.ts';

const read = (json: unknown, name = 'hidden') => readSource(prometheusJson, JSON.stringify(json), { name });
const answer = (resultType: string, result: unknown) => ({ status: 'success', data: { resultType, result } });
const detects = (json: unknown) => prometheusJson.detect(new FileHead(Buffer.from(JSON.stringify(json))));
const up = { __name__: 'up', instance: 'a:1' };

test('claims answers, lists of promtool and exported lines, and nothing else', () => {
  expect(detects(answer('vector', []))).toBe(true);
  expect(detects([{ metric: up, value: [1767225600, '1'] }])).toBe(true);
  expect(detects({ metric: up, values: [1], timestamps: [1767225600000] })).toBe(true);
  expect(detects({ status: 'error', errorType: 'bad_data', error: 'parse error' })).toBe(true);
  for (const other of [
    { status: 'success', data: [] },
    { status: 'success', data: { result: [] } },
    { resourceMetrics: [] },
    [{ metric: 'cpu', value: 3 }],
    [],
    { metric: { name: 'x' } },
  ])
    expect(detects(other)).toBe(false);
});

describe('answers', () => {
  test('a vector is one value for each series', async () => {
    const reading = await read(answer('vector', [{ metric: up, value: [1767225600.781, '1'] }]));
    expect(samplesOf(reading)).toMatchObject([
      { entity: 'server:a', metric: 'up', value: 1, time_ns: 1767225600781000000n },
    ]);
  });

  test('a matrix is a series of values; NaN is a gap, infinities are values', async () => {
    const reading = await readSource(prometheusJson, readFileSync('fixtures/prometheus-json/gpu-power-range.json'));
    const power = samplesOf(reading).filter((s) => s.metric === 'hw.power');
    expect(power.map((s) => s.value)).toEqual([301.5, Number.NaN, 699.25]);
    expect(power.at(-1)?.time_ns).toBe(1767225630500000000n);
    expect(samplesOf(reading).filter((s) => s.metric === 'hw.energy')[0]).toMatchObject({ entity: 'server:node-a' });
    const infinite = await read(
      answer('matrix', [
        {
          metric: up,
          values: [
            [1, '+Inf'],
            [2, '-Inf'],
          ],
        },
      ]),
    );
    expect(samplesOf(infinite).map((s) => s.value)).toEqual([Infinity, -Infinity]);
  });

  test('a scalar and a result without a name are called like the file', async () => {
    const scalar = await read(answer('scalar', [1767225600, '42']), 'answers/load.json');
    expect(samplesOf(scalar)).toMatchObject([{ metric: 'load', value: 42 }]);
    const rate = await read([{ metric: { instance: 'a:1' }, value: [1767225600, '0.5'] }], 'rate.json');
    expect(samplesOf(rate)).toMatchObject([{ metric: 'rate', value: 0.5 }]);
    expect(rate.remarks.join()).toContain('"rate"');
  });

  test('exported lines have milliseconds', async () => {
    const reading = await readSource(
      prometheusJson,
      '{"metric":{"__name__":"up"},"values":[1,0],"timestamps":[1767225600123,1767225601123]}\n{"metric":{"__name__":"down"},"values":[1],"timestamps":[1767225600123]}\n',
    );
    expect(samplesOf(reading).map((s) => [s.metric, s.time_ns])).toEqual([
      ['up', 1767225600123000000n],
      ['up', 1767225601123000000n],
      ['down', 1767225600123000000n],
    ]);
  });

  test('an error is reported, warnings are passed on', async () => {
    await expect(read({ status: 'error', errorType: 'timeout', error: 'query timed out' })).rejects.toMatchObject({
      problem: { code: 'prometheus_json.error', message: expect.stringContaining('query timed out') },
    });
    const warned = await read({ ...answer('vector', []), warnings: ['partial'] });
    expect(warned.remarks).toEqual(['Prometheus reports: partial']);
  });

  test('bad elements are rejects, the rest is read', async () => {
    const reading = await read(
      answer('vector', [
        { metric: up, value: [1767225600, 'many'] },
        { metric: up, value: [1e300, '1'] },
        { metric: up, value: ['now', '1'] },
        { metric: up, value: null },
        { metric: up, histogram: [1767225600, {}] },
        { metric: up, value: [1767225600, '7'] },
      ]),
    );
    expect(countsOf(reading)).toEqual({ point: 1, reject: 5 });
  });

  test('both answers of the conformance record', async () => {
    for (const name of ['prom-api-vector-0.json', 'prom-api-vector-1.json']) {
      const file = sharedData(`prometheus/nvidia-aicr/${name}`);
      const reading = await readSource(prometheusJson, readFileSync(file));
      expect(countsOf(reading)['point']).toBe(16);
      expect(reasonsOf(reading)).toEqual([]);
      expect(new Set(samplesOf(reading).map((s) => s.entity)).size).toBe(16);
      const pods = reading.rows.edge.filter((row) => String(row.from_entity).startsWith('pod:'));
      expect(pods.map((row) => row.from_entity)).toEqual(['pod:dynamo-workload/vllm-agg-0-vllmdecodeworker-s65j5']);
    }
  });
});

test('a result type that is an object without a prototype is no response', () => {
  const head = new FileHead(
    Buffer.from('{"status":"success","data":{"resultType":{"toString":1,"valueOf":1},"result":[]}}'),
  );
  expect(prometheusJson.detect(head)).toBe(false);
});
