import { type Field, message } from '../support/otlp-wire.ts';
import { parquetOf } from '../support/parquet-of.ts';
import { type Sent, snappyBlock, writeRequest, writeRequest2 } from '../support/remote-write.ts';
import { type Container, iso, START } from './matrix.ts';
import type { SeriesFact } from './series.ts';

const json = (value: unknown): string => JSON.stringify(value);
const quoted = (text: string): string => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
const selector = ({ series, labels }: SeriesFact): string =>
  `${series}{${Object.entries(labels)
    .map(([name, text]) => `${name}=${quoted(text)}`)
    .join()}}`;
const cell = (text: string): string => `"${text.replaceAll('"', '""')}"`;
const escaped = (text: string): string => text.replaceAll(/([,= ])/g, '\\$1');

const promText: Container<SeriesFact> = {
  name: 'Prometheus text',
  write: (facts) => ({
    file: 'scrape.prom',
    content: facts.map((fact) => `# TYPE ${fact.series} gauge\n${selector(fact)} ${fact.value} ${START}000\n`).join(''),
  }),
};
const openMetrics: Container<SeriesFact> = {
  name: 'OpenMetrics',
  write: (facts) => ({
    file: 'scrape.om',
    content: `${facts.map((fact) => `# TYPE ${fact.series} unknown\n${selector(fact)} ${fact.value} ${START}.0\n`).join('')}# EOF\n`,
  }),
};
const result = ({ series, labels, value }: SeriesFact) => ({
  metric: { __name__: series, ...labels },
  values: [[START, String(value)]],
});
const rangeQuery: Container<SeriesFact> = {
  name: 'range query',
  write: (facts) => ({
    file: 'answer.json',
    content: json({ status: 'success', data: { resultType: 'matrix', result: facts.map(result) } }),
  }),
};
const exportLines: Container<SeriesFact> = {
  name: 'VictoriaMetrics export',
  write: (facts) => ({
    file: 'export.jsonl',
    content: facts
      .map(
        ({ series, labels, value }) =>
          `${json({ metric: { __name__: series, ...labels }, values: [value], timestamps: [START * 1000] })}\n`,
      )
      .join(''),
  }),
};

const NANOSECONDS = 1_000_000_000n;
/** As the collector's Prometheus receiver has it: the target is the resource, labels are attributes of the data point. */
const targetOf = ({ labels }: SeriesFact) => {
  const { instance = 'localhost:9400', ...own } = labels;
  const [host = '', port = ''] = instance.split(':');
  const resource = {
    'service.name': 'exporter',
    'service.instance.id': instance,
    'server.address': host,
    'server.port': port,
    'url.scheme': 'http',
  };
  return { resource: Object.entries(resource), own: Object.entries(own) };
};
const attribute = ([key, stringValue]: readonly [string, string]) => ({ key, value: { stringValue } });
const otlpJson: Container<SeriesFact> = {
  name: 'OTLP JSON',
  write: (facts) => ({
    file: 'otlp.json',
    content: json({
      resourceMetrics: facts.map((fact) => {
        const { resource, own } = targetOf(fact);
        const point = { timeUnixNano: `${START}000000000`, asDouble: fact.value, attributes: own.map(attribute) };
        return {
          resource: { attributes: resource.map(attribute) },
          scopeMetrics: [{ metrics: [{ name: fact.series, gauge: { dataPoints: [point] } }] }],
        };
      }),
    }),
  }),
};

const pair = (field: number, [key, text]: readonly [string, string]): Field => [
  field,
  [
    [1, key],
    [2, [[1, text]]],
  ],
];
const resourceMetrics = (fact: SeriesFact): Field => {
  const { resource, own } = targetOf(fact);
  const point: readonly Field[] = [
    ...own.map((one) => pair(7, one)),
    [3, BigInt(START) * NANOSECONDS, 'fixed64'],
    [4, fact.value, 'double'],
  ];
  const metric: readonly Field[] = [
    [1, fact.series],
    [5, [[1, point]]],
  ];
  return [
    1,
    [
      [1, resource.map((one) => pair(1, one))],
      [2, [[2, metric]]],
    ],
  ];
};
const otlpProtobuf: Container<SeriesFact> = {
  name: 'OTLP protobuf',
  write: (facts) => ({ file: 'otlp.pb', content: message(facts.map(resourceMetrics)) }),
};
const sent = ({ series, labels, value }: SeriesFact): Sent => ({
  labels: { __name__: series, ...labels },
  samples: [[START * 1000, value]],
});
const remoteWrite: Container<SeriesFact> = {
  name: 'remote write 1.0',
  write: (facts) => ({ file: 'body.snappy', content: snappyBlock(writeRequest(facts.map(sent))) }),
};
const remoteWrite2: Container<SeriesFact> = {
  name: 'remote write 2.0',
  write: (facts) => ({ file: 'body.snappy', content: snappyBlock(writeRequest2(facts.map(sent))) }),
};
/** As Telegraf keeps what it scraped from a Prometheus exporter. */
const influx: Container<SeriesFact> = {
  name: 'InfluxDB line protocol',
  write: (facts) => ({
    file: 'export.lp',
    content: facts
      .map(({ series, labels, value }) => {
        const tags = Object.entries(labels).map(([name, text]) => `,${escaped(name)}=${escaped(text)}`);
        return `prometheus${tags.join('')} ${escaped(series)}=${value} ${START}000000000\n`;
      })
      .join(''),
  }),
};
const csvLong: Container<SeriesFact> = {
  name: 'CSV, a metric a row',
  write: (facts) => ({
    file: 'samples.csv',
    content: `time,metric,value,labels\n${facts
      .map(({ series, labels, value }) => `${iso(START)},${series},${value},${cell(json(labels))}\n`)
      .join('')}`,
  }),
};
const csvWide: Container<SeriesFact> = {
  name: 'CSV, a column a series',
  write: (facts) => ({
    file: 'wide.csv',
    content: `"Time",${facts.map((fact) => cell(selector(fact))).join()}\n${iso(START)},${facts.map(({ value }) => value).join()}\n`,
  }),
};

const sqlText = (text: string): string => `'${text.replaceAll("'", "''")}'`;
const parquet: Container<SeriesFact> = {
  name: 'Parquet',
  write: async (facts) => {
    const rows = facts.map(
      ({ series, labels, value }) =>
        `(${[`'${iso(START).slice(0, -1)}'::timestamp_ns`, sqlText(series), value, sqlText(json(labels))].join()})`,
    );
    const select = `select * from (values ${rows.join()}) t(timestamp, metric, value, attributes)`;
    return { file: 'samples.parquet', content: await parquetOf(select) };
  },
};

/** Each form in which samples of a series come. */
export const seriesContainers: readonly Container<SeriesFact>[] = [
  promText,
  openMetrics,
  rangeQuery,
  exportLines,
  remoteWrite,
  remoteWrite2,
  otlpJson,
  otlpProtobuf,
  influx,
  csvLong,
  csvWide,
  parquet,
];
