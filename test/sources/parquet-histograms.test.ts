import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parquet } from '../../src/main/sources/parquet/index.ts';
import { prometheus } from '../../src/main/sources/prometheus/index.ts';
import { parquetOf } from '../support/parquet-of.ts';
import { countsOf, type Reading, readSource, samplesOf } from '../support/read-source.ts';
import { sharedData } from '../support/shared-data.ts';

interface Answer {
  readonly data: {
    readonly result: readonly {
      readonly metric: Readonly<Record<string, string>>;
      readonly values: readonly (readonly [number, string])[];
    }[];
  };
}
const entitiesOf = ({ rows }: Reading) =>
  new Set(rows.distribution.map(({ series }) => (JSON.parse(String(series)) as { entity: string }).entity));
const pointsOf = ({ rows }: Reading) =>
  rows.distribution.map(({ time_ns, count, sum, detail }) => ({ time_ns, count, sum, detail }));
const text = (value: unknown) => `'${JSON.stringify(value).replaceAll("'", "''")}'`;
const sample = (name: string, labels: object, seconds: number, value: string, more = '') =>
  `('${name}', ${text(labels)}, ${seconds}000000000::bigint, '${value}'::double${more})`;
const tableOf = (rows: readonly string[], more = '') =>
  parquetOf(`select * from (values ${rows.join(', ')}) t(metric, labels, time_ns, value${more})`);

test('a table of the samples of a histogram makes the rows that its text makes', async () => {
  const answer = JSON.parse(readFileSync(sharedData('defects/histograms/http.json'), 'utf8')) as Answer;
  const samples = answer.data.result.flatMap(({ metric: { __name__: name, ...labels }, values }) =>
    values.map(([time, value]) => sample(name!, labels, time, value)),
  );
  const table = await readSource(parquet, await tableOf(samples));
  const scrape = await readSource(prometheus, readFileSync(sharedData('defects/histograms/http.prom')));
  expect(pointsOf(table)).toHaveLength(120);
  expect(pointsOf(table)).toEqual(pointsOf(scrape));
  expect(entitiesOf(table)).toEqual(entitiesOf(scrape));
  expect(countsOf(table)).toMatchObject({ point: 240, distribution: 120 });
});

test('sums and counts that belong to no histogram stay, with their start', async () => {
  const samples = [
    sample('took_sum', { a: 'b' }, 10, '1.5', ', 0::bigint'),
    sample('took_count', { a: 'b' }, 10, '3', ', 5000000000::bigint'),
  ];
  const table = await readSource(parquet, await tableOf(samples, ', start_ns'));
  expect(new Set(samplesOf(table).map(({ metric, value }) => `${metric} ${value}`))).toEqual(
    new Set(['took_sum 1.5', 'took_count 3']),
  );
  expect(table.rows.point.map(({ start_ns }) => start_ns).toSorted()).toEqual([0n, 5_000_000_000n]);
});
