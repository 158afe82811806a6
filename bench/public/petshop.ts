import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { csvRows } from './csv-rows.ts';
import type { LabelledIncident, PublicSet } from './labelled-incident.ts';
import { type GaugeRecord, gaugeLine } from './otlp-lines.ts';

/** Length of a CloudWatch bucket; CloudWatch names it by its start, a measurement is known at its end. */
const BUCKET_S = 300;

/** The set's columns in the words of DESIGN section 6, latencies in ms; what has no such word keeps its own. */
const metricsByName: Readonly<
  Record<string, readonly [name: string, unit: string, convert: (value: number) => number]>
> = {
  'latency p50': ['service.latency.p50', 'ms', (value) => 1000 * value],
  'latency p95': ['service.latency.p95', 'ms', (value) => 1000 * value],
  'latency p99': ['service.latency.p99', 'ms', (value) => 1000 * value],
  'latency p90': ['latency.p90', 'ms', (value) => 1000 * value],
  'latency Average': ['latency.average', 'ms', (value) => 1000 * value],
  'availability Average': ['service.error_rate', '%', (value) => 100 - value],
  'requests Sum': ['service.throughput', '1/s', (value) => value / BUCKET_S],
};

/**
 * PetShop (Hardt and others, CLeaR 2024, arXiv 2311.04806; CC-BY-4.0): metrics of 41 components every five minutes, one issue per
 * folder, two buckets before it and a few inside. The recording without issue is months younger, and at other levels: it is given
 * as normal days only.
 */
export const petshop = (root: string): PublicSet => ({
  name: 'PetShop',
  published:
    'MAD-score traversal by the makers (amazon-science/petshop-root-cause-analysis, code/RCA-Dataset-Eval.ipynb): AC@1 71 %, AC@3 87 % of 68 (latency 67 / 75 of 36, availability 75 / 100 of 32), with days of normal operation as its baseline',
  read: () => read(root),
});

async function* read(root: string): AsyncGenerator<LabelledIncident> {
  const normal = await normalDays(root);
  for (const traffic of readdirSync(root).sort()) {
    const folder = join(root, traffic);
    const topology = topologyOf(await csvRows(join(folder, 'graph.csv')));
    for (const part of ['train', 'test']) {
      const issues = existsSync(join(folder, part)) ? readdirSync(join(folder, part)).sort() : [];
      for (const issue of issues)
        yield { ...(await incident(join(folder, part, issue), `${traffic}/${part}/${issue}`, topology)), normal };
    }
  }
}

/** The recording without issue, which the set has of one kind of traffic. */
async function normalDays(root: string): Promise<string | null> {
  const files = readdirSync(root).map((traffic) => join(root, traffic, 'noissue/metrics.csv.gz'));
  const file = files.find(existsSync);
  return file === undefined ? null : `${metricLines(seriesOf(await csvRows(file))).join('\n')}\n`;
}

interface Series {
  readonly node: string;
  readonly column: string;
  readonly points: readonly (readonly [second: number, value: number])[];
}

/** Three header rows (node, metric, statistic), a fourth that names the index, then a row per bucket. */
function seriesOf(rows: readonly (readonly string[])[]): Series[] {
  const [nodes = [], metrics = [], statistics = [], , ...values] = rows;
  return nodes.slice(1).map((node, i) => ({
    node,
    column: `${metrics[i + 1]} ${statistics[i + 1]}`,
    points: values.flatMap((row) => {
      const value = row[i + 1] ?? '';
      return value === '' ? [] : [[Number(row[0]), Number(value)] as const];
    }),
  }));
}

/** Row calls column. */
function topologyOf([header = [], ...rows]: readonly (readonly string[])[]): string {
  const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
  const edges = rows.flatMap(([caller = '', ...cells]) =>
    cells.flatMap((cell, i) =>
      Number(cell) > 0 ? [`service,${quoted(caller)},calls,service,${quoted(header[i + 1] ?? '')},,`] : [],
    ),
  );
  return ['from_kind,from_id,edge,to_kind,to_id,valid_from,valid_to', ...edges, ''].join('\n');
}

async function incident(folder: string, name: string, topology: string): Promise<Omit<LabelledIncident, 'normal'>> {
  const series = seriesOf(await csvRows(join(folder, 'metrics.csv')));
  const { target, root_cause } = JSON.parse(await readFile(join(folder, 'target.json'), 'utf8')) as {
    readonly target: { readonly node: string; readonly metric: string; readonly timestamp: number };
    readonly root_cause: { readonly node: string };
  };
  return {
    name,
    files: { 'topology.csv': topology, 'metrics.jsonl': `${metricLines(series).join('\n')}\n` },
    at_ns: BigInt(target.timestamp) * 1_000_000_000n,
    sufferer: target.node,
    root_cause: root_cause.node,
    fault: target.metric,
  };
}

function metricLines(series: readonly Series[]): string[] {
  return [...Map.groupBy(series, ({ node }) => node)].map(([node, list]) => {
    const gauges = [...Map.groupBy(list, ({ column }) => column)].flatMap(([column, parts]): GaugeRecord[] => {
      const [name, unit, convert] = metricsByName[column] ?? [column, '', (value: number) => value];
      const points = parts.flatMap(({ points }) =>
        points.map(([second, value]) => [BigInt(second + BUCKET_S) * 1_000_000_000n, convert(value)] as const),
      );
      return points.length === 0 ? [] : [{ name, unit, points }];
    });
    return gaugeLine({ 'service.name': node }, gauges);
  });
}
