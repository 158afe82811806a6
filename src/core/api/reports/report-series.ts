import type { IncidentView, LaneMetric } from '../../../model/contract/index.ts';
import { throughputUnit, throughputUnits } from '../../../model/incident/incident.ts';
import type { MetricName } from '../../../model/telemetry/metric.ts';
import type { Measurements } from '../../analysis/impact/measurement-table.ts';
import { workOf } from '../../analysis/impact/measurement-table.ts';
import type { DrawnSeries } from '../../report/figures/series-figure.ts';
import type { OpenCase } from '../cases/open-case.ts';
import { readLanes } from '../lanes/lane-data.ts';

interface Shown {
  readonly start_ns: bigint;
  readonly end_ns: bigint;
}

const MINUTE_NS = 60_000_000_000n;

/** As long before and after as the incident itself, at least a minute. */
export function shownOf({ start_ns, onset_ns, end_ns }: IncidentView): Shown {
  const margin = end_ns - start_ns > MINUTE_NS ? end_ns - start_ns : MINUTE_NS;
  return { start_ns: (start_ns < onset_ns ? start_ns : onset_ns) - margin, end_ns: end_ns + margin };
}

/** Measurements of the service; unmeasured metrics have no panel. */
export function latencyOf(measured: Measurements, { start_ns, end_ns }: Shown, ref: string): DrawnSeries[] {
  const from = measured.time_ns.findIndex((time) => time >= start_ns);
  if (from < 0) return [];
  const after = measured.time_ns.findIndex((time) => time > end_ns);
  const until = after < 0 ? measured.time_ns.length : after;
  const time_ns = measured.time_ns.slice(from, until);
  const work = workOf(measured);
  const panels = [
    { name: 'P99 latency', unit: 'ms', column: measured.p99 },
    { name: 'errors', unit: '%', column: measured.error_rate },
    {
      ...{ name: 'throughput', unit: throughputUnits[work], oneUnit: throughputUnit(work)(1) },
      column: measured.throughput,
    },
  ];
  return panels.flatMap(({ column, ...about }) => {
    const value = column.slice(from, until);
    return value.some(Number.isFinite) ? [{ ...about, ref, time_ns, value }] : [];
  });
}

/** The best metrics to show GPU throttling. */
const panelMetrics: readonly MetricName[] = ['hw.gpu.clock.sm', 'hw.power', 'hw.gpu.utilization', 'hw.temperature'];
const MOST_PANELS = 4;
const BUCKETS = 160;

/** GPUs of the chain before other GPUs of the service; two metrics of two GPUs are enough. */
export async function gpuStateOf(
  opened: OpenCase,
  {
    chained,
    gpus,
    shown,
  }: { readonly chained: readonly string[]; readonly gpus: readonly { readonly key: string }[]; readonly shown: Shown },
): Promise<DrawnSeries[]> {
  const wanted = [
    ...new Set([...chained.filter((key) => key.startsWith('gpu:')), ...gpus.map(({ key }) => key)]),
  ].slice(0, 2);
  const catalog = await opened.recordedLanes();
  const lanes = wanted.flatMap((key) => {
    const own = catalog.lanes.filter(
      (lane) => lane.kind === 'metric' && `${lane.entity_kind}:${lane.entity_id}` === key,
    );
    return panelMetrics
      .flatMap((wanted) => own.find(({ metric }) => metric === wanted) ?? [])
      .slice(0, MOST_PANELS / 2);
  });
  const answers = await readLanes(opened, catalog, {
    ...shown,
    buckets: BUCKETS,
    clocks: [],
    lanes: lanes.map(({ id }) => id),
  });
  const width = Number(shown.end_ns - shown.start_ns) / BUCKETS;
  return lanes.flatMap((lane, at) => {
    const answer = answers[at];
    if (answer?.kind !== 'metric') return [];
    // Samples may be rarer than buckets: an empty bucket is no gap, so only samples are joined.
    const samples = samplesOf(answer, shown.start_ns, width);
    const [name, measure] = [lane.entity_id, lane.metric.split('.').slice(-2).join(' ')];
    return samples.time_ns.length > 0
      ? [{ name, measure, unit: lane.unit, ref: `entity:${lane.entity_kind}:${lane.entity_id}`, ...samples }]
      : [];
  });
}

function samplesOf({ last }: LaneMetric, start_ns: bigint, width: number): Pick<DrawnSeries, 'time_ns' | 'value'> {
  const places = [...last.keys()].filter((at) => Number.isFinite(last[at]));
  return {
    time_ns: places.map((at) => start_ns + BigInt(Math.round((at + 0.5) * width))),
    value: places.map((at) => last[at]!),
  };
}
