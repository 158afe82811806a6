import { parquetOf } from '../support/parquet-of.ts';
import { snappyBlock, writeRequest } from '../support/remote-write.ts';
import { type Container, iso } from './matrix.ts';
import { BOUNDS, HISTOGRAM, type Sampled, type Story, TIMES } from './story.ts';

const json = (value: unknown): string => JSON.stringify(value);
const selector = ({ name, labels }: Sampled): string =>
  `${name}{${Object.entries(labels)
    .map(([label, text]) => `${label}="${text}"`)
    .join()}}`;
const cell = (text: string): string => `"${text.replaceAll('"', '""')}"`;
const seriesOf = (stories: readonly Story[]): readonly Sampled[] => stories.flatMap(({ series }) => series);
/** One text for each sample, instant after instant. */
const samples = (stories: readonly Story[], one: (series: Sampled, at: number, value: number) => string): string =>
  TIMES.map((at, i) =>
    seriesOf(stories)
      .map((series) => one(series, at, series.values[i]!))
      .join(''),
  ).join('');

const isHistogram = ({ name }: Sampled): boolean => name.startsWith(HISTOGRAM);

/** Families one after the other, as a page has them. */
const promText: Container<Story> = {
  name: 'Prometheus text',
  write: (stories) => {
    const families = Map.groupBy(seriesOf(stories), (series) => (isHistogram(series) ? HISTOGRAM : series.name));
    const family = ([name, series]: [string, Sampled[]]): string => {
      const lines = TIMES.map((at, i) => series.map((one) => `${selector(one)} ${one.values[i]} ${at}000\n`).join(''));
      return `# TYPE ${name} ${name === HISTOGRAM ? 'histogram' : 'gauge'}\n${lines.join('')}`;
    };
    return { file: 'scrapes.prom', content: [...families].map(family).join('') };
  },
};
const rangeQuery: Container<Story> = {
  name: 'range query',
  write: (stories) => ({
    file: 'answer.json',
    content: json({
      status: 'success',
      data: {
        resultType: 'matrix',
        result: seriesOf(stories).map(({ name, labels, values }) => ({
          metric: { __name__: name, ...labels },
          values: TIMES.map((at, i) => [at, String(values[i])]),
        })),
      },
    }),
  }),
};
const victoriaMetrics: Container<Story> = {
  name: 'VictoriaMetrics export',
  write: (stories) => ({
    file: 'export.jsonl',
    content: seriesOf(stories)
      .map(
        ({ name, labels, values }) =>
          `${json({ metric: { __name__: name, ...labels }, values, timestamps: TIMES.map((at) => at * 1000) })}\n`,
      )
      .join(''),
  }),
};
const remoteWrite: Container<Story> = {
  name: 'remote write',
  write: (stories) => ({
    file: 'body.snappy',
    content: snappyBlock(
      writeRequest(
        seriesOf(stories).map(({ name, labels, values }) => ({
          labels: { __name__: name, ...labels },
          samples: TIMES.map((at, i) => [at * 1000, values[i]!]),
        })),
      ),
    ),
  }),
};
const influx: Container<Story> = {
  name: 'InfluxDB line protocol',
  write: (stories) => ({
    file: 'export.lp',
    content: samples(stories, ({ name, labels }, at, value) => {
      const tags = Object.entries(labels).map(([label, text]) => `,${label}=${text}`);
      return `prometheus${tags.join('')} ${name}=${value} ${at}000000000\n`;
    }),
  }),
};
const csvLong: Container<Story> = {
  name: 'CSV, a metric a row',
  write: (stories) => ({
    file: 'samples.csv',
    content: `time,metric,value,labels\n${samples(stories, ({ name, labels }, at, value) => `${iso(at)},${name},${value},${cell(json(labels))}\n`)}`,
  }),
};
const csvWide: Container<Story> = {
  name: 'CSV, a column a series',
  write: (stories) => {
    const series = seriesOf(stories);
    const rows = TIMES.map((at, i) => `${iso(at)},${series.map(({ values }) => values[i]).join()}\n`);
    return { file: 'wide.csv', content: `"Time",${series.map((one) => cell(selector(one))).join()}\n${rows.join('')}` };
  },
};
const sqlText = (text: string): string => `'${text.replaceAll("'", "''")}'`;
const parquet: Container<Story> = {
  name: 'Parquet',
  write: async (stories) => {
    const rows = samples(
      stories,
      ({ name, labels }, at, value) =>
        `,(${at}000000000, ${sqlText(name)}, ${value}::double, ${sqlText(json(labels))})`,
    );
    const select = `select * from (values ${rows.slice(1)}) t(TimeUnixNano, MetricName, Value, Attributes)`;
    return { file: 'samples.parquet', content: await parquetOf(select) };
  },
};

const attribute = ([key, stringValue]: readonly [string, string]) => ({ key, value: { stringValue } });
/** As an SDK writes it: a histogram is one metric, and its service is the resource. */
const otlp: Container<Story> = {
  name: 'OTLP JSON',
  write: (stories) => {
    const all = seriesOf(stories);
    const parts = all.filter(isHistogram);
    const of = (ending: string): readonly number[] => parts.find(({ name }) => name.endsWith(ending))!.values;
    const buckets = parts.filter(({ labels }) => labels.le !== undefined);
    const points = TIMES.map((at, i) => {
      const cumulative = buckets.map(({ values }) => values[i]!);
      const counts = cumulative.map((count, place) => String(count - (cumulative[place - 1] ?? 0)));
      const total = String(of('_count')[i]);
      return {
        timeUnixNano: `${at}000000000`,
        count: total,
        sum: of('_sum')[i],
        explicitBounds: BOUNDS,
        bucketCounts: counts,
      };
    });
    const gauge = ({ name, labels, values }: Sampled) => ({
      name,
      gauge: {
        dataPoints: TIMES.map((at, i) => ({
          timeUnixNano: `${at}000000000`,
          asDouble: values[i],
          attributes: Object.entries(labels).map(attribute),
        })),
      },
    });
    const resource = (service: string, metrics: readonly unknown[]) => ({
      resource: { attributes: [attribute(['service.name', service])] },
      scopeMetrics: [{ metrics }],
    });
    const histogram = {
      name: 'http.server.request.duration',
      unit: 's',
      histogram: { aggregationTemporality: 2, dataPoints: points },
    };
    const resourceMetrics = [
      resource('collector', all.filter((series) => !isHistogram(series)).map(gauge)),
      ...(parts.length > 0 ? [resource(parts[0]!.labels.service_name!, [histogram])] : []),
    ];
    return { file: 'otlp.json', content: json({ resourceMetrics }) };
  },
};

/** Each form in which series over time come. */
export const storyContainers: readonly Container<Story>[] = [
  promText,
  rangeQuery,
  victoriaMetrics,
  remoteWrite,
  otlp,
  influx,
  csvLong,
  csvWide,
  parquet,
];
