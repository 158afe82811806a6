import type { CallContext, Output, Parsed, ResourceLane } from '../../../model/contract/index.ts';
import type { EntityKind } from '../../../model/entity.ts';
import type { Session } from '../../../model/storage/engine.ts';
import type { MetricName } from '../../../model/telemetry/metric.ts';
import { type ServingQuantity, servingAttributes } from '../../../model/telemetry/serving-attributes.ts';
import { servingMetrics } from '../../../model/telemetry/serving-metrics.ts';
import { affectedGpus } from '../../analysis/costs/affected-gpus.ts';
import { rowsOf } from '../../store/case-file/case-file.ts';
import { listText } from '../../store/list-text.ts';
import { queries } from '../../store/queries/index.ts';
import { readGpuWorld } from '../gpus/gpu-world.ts';
import type { Workspace } from '../workspace.ts';
import { type Carriers, carriersOf } from './trace-carriers.ts';
import { padded } from './trace-group-rows.ts';

const ofServing: readonly MetricName[] = [
  'gen_ai.server.request.waiting',
  'gen_ai.server.request.running',
  'gen_ai.server.batch.size',
  'gen_ai.server.batch.usage',
  'gen_ai.server.kv_cache.usage',
  'gen_ai.server.prefix_cache.hit_ratio',
];

/** What is drawn of an entity of a kind, in this order. */
const drawn: readonly (readonly [kind: EntityKind, metrics: readonly MetricName[]])[] = [
  ['service', ofServing],
  ['pod', ofServing],
  [
    'gpu',
    [
      'hw.gpu.utilization',
      'hw.power',
      'hw.gpu.clock.sm',
      'hw.gpu.memory.usage_ratio',
      'hw.gpu.memory.usage',
      'hw.temperature',
    ],
  ],
  ['server', ['hw.power', 'system.cpu.utilization']],
];

/** The same as spans state it. */
const quantities: Partial<Record<ServingQuantity, string>> = {
  waiting: '{request}',
  running: '{request}',
  batch: '{request}',
  batch_fill: '%',
  kv_cache: '%',
  busy: '%',
  busy_share: '%',
};
const stated = JSON.stringify(servingAttributes.filter(({ quantity }) => Object.hasOwn(quantities, quantity)));

const MOST_POINTS = 200_000;
const MOST_LANES = 100;
/** Samples of a lane that are sent: more than pixels. */
const MOST_SAMPLES = 2000;
/** A scrape before and after a short trace is searched within so long, seconds. */
const LEAST_AROUND_S = 120;

export const traceResourceHandlers = (workspace: Workspace) => ({
  'trace.resources': async (
    input: Parsed<'trace.resources'>,
    { signal }: CallContext,
  ): Promise<Output<'trace.resources'>> =>
    workspace.required().withSession(async (session) => {
      const { entities: _, ...found } = await readResources(session, input, signal);
      return found;
    }),
});

interface PointRow {
  readonly entity: number;
  readonly metric: string;
  readonly unit: string | null;
  readonly series: number;
  readonly stated: string;
  readonly time_ns: bigint;
  readonly value: number;
}

interface StatedRow {
  readonly entity: number;
  readonly quantity: ServingQuantity;
  readonly time_ns: bigint;
  readonly value: number;
}

/** What was measured of the services, GPUs and machines that a trace ran on (`entities`, canonical), around its time. */
export async function readResources(
  session: Session,
  { trace_id, start_ns, end_ns }: Parsed<'trace.resources'>,
  signal?: AbortSignal,
): Promise<Output<'trace.resources'> & { readonly entities: readonly number[] }> {
  const places = rowsOf<{ service: number; resource: number; attributes: string | null }>(
    await session.query(queries.tracePlaces, [padded(trace_id)], signal),
  );
  const world = await readGpuWorld(session);
  const carriers = carriersOf(world, affectedGpus(world, { start_ns, end_ns }), places);
  const around_ns = BigInt(LEAST_AROUND_S) * 1_000_000_000n;
  const length_ns = end_ns - start_ns;
  const pad_ns = length_ns > around_ns ? length_ns : around_ns;
  const [from, to] = [start_ns - pad_ns, end_ns + pad_ns];
  const entities = carriers.all.map(({ entity }) => entity);
  const metrics = `[${[...new Set(drawn.flatMap(([, names]) => names))].join(',')}]`;
  const points = rowsOf<PointRow>(
    await session.query(queries.resourcePoints, [from, to, listText(entities), metrics, BigInt(MOST_POINTS)], signal),
  );
  const services = listText(carriers.all.flatMap(({ kind, entity }) => (kind === 'service' ? [entity] : [])));
  const spans = rowsOf<StatedRow>(
    await session.query(
      queries.resourceSpans,
      [from, to, services, stated, BigInt(MOST_POINTS), listText(carriers.resources)],
      signal,
    ),
  );
  const window = { start_ns, end_ns };
  const measured = carriers.all.flatMap((carrier) => metricLanes(carrier, { points, carriers, window }));
  const known = new Set(measured.map(({ entity, metric }) => `${entity} ${metric}`));
  const inSpans = carriers.all.flatMap((carrier) => statedLanes(carrier, spans, window));
  const lanes = [...measured, ...inSpans.filter(({ entity, metric }) => !known.has(`${entity} ${metric}`))];
  lanes.sort((a, b) => orderOf(carriers, a) - orderOf(carriers, b));
  return { lanes: lanes.slice(0, MOST_LANES), total: lanes.length, named: carriers.isNamed, entities };
}

type Carrier = Carriers['all'][number];
type Window = Pick<Parsed<'trace.resources'>, 'start_ns' | 'end_ns'>;

const orderOf = ({ all }: Carriers, { entity }: ResourceLane): number => all.findIndex(({ key }) => key === entity);

interface Points {
  readonly points: readonly PointRow[];
  readonly carriers: Carriers;
  readonly window: Window;
}

function metricLanes({ entity, key, kind }: Carrier, { points, carriers, window }: Points): ResourceLane[] {
  const own = points.filter((point) => point.entity === entity);
  const names = drawn.find(([one]) => one === kind)?.[1] ?? [];
  return names.flatMap((metric) => {
    const series = [
      ...Map.groupBy(
        own.filter((point) => point.metric === metric),
        (point) => point.series,
      ).values(),
    ];
    // Of several replicas the one that the trace names, else each.
    const chosen = series.filter(([first]) => isOf(carriers, first?.stated ?? ''));
    return (chosen.length > 0 ? chosen : series).flatMap((rows): ResourceLane[] => {
      const samples = within(rows, window);
      const [first] = rows;
      if (samples.length === 0 || !first) return [];
      const replica = series.length > 1 ? replicaOf(first.stated) : '';
      return [{ entity: key, metric, unit: first.unit ?? '', replica, from: 'metric', ...columnsOf(samples, window) }];
    });
  });
}

const isOf = ({ names }: Carriers, stated: string): boolean =>
  names.some((name) => stated.includes(JSON.stringify(name)));

const REPLICA =
  /"(?:k8s\.pod\.name|pod|pod_name|service\.instance\.id|instance|replica|host\.name|Hostname)":"([^"\\]{1,200})"/;
const replicaOf = (stated: string): string => REPLICA.exec(stated)?.[1] ?? '';

function statedLanes({ entity, key, kind }: Carrier, rows: readonly StatedRow[], window: Window): ResourceLane[] {
  if (kind !== 'service') return [];
  const own = Map.groupBy(
    rows.filter((row) => row.entity === entity),
    ({ quantity }) => quantity,
  );
  return [...own].flatMap(([quantity, some]): ResourceLane[] => {
    // A share of 1 by some, in percent by others.
    const scale = quantity === 'busy_share' && some.some(({ value }) => value > 100) ? 0.01 : 1;
    const samples = within(some, window);
    if (samples.length === 0) return [];
    const name = quantity === 'busy_share' ? 'busy' : quantity;
    const metric = servingMetrics.find((one) => one.quantity === name)?.metric ?? name;
    const { times_ns, values } = columnsOf(samples, window);
    const unit = quantities[quantity] ?? '';
    return [
      { entity: key, metric, unit, replica: '', from: 'spans', times_ns, values: values.map((value) => value * scale) },
    ];
  });
}

interface Sample {
  readonly time_ns: bigint;
  readonly value: number;
}

/** Those of the window, and one to each side of it: values hold until the next. */
function within<T extends Sample>(samples: readonly T[], { start_ns, end_ns }: Window): T[] {
  const first = samples.findLastIndex(({ time_ns }) => time_ns <= start_ns);
  const after = samples.findIndex(({ time_ns }) => time_ns >= end_ns);
  const own = samples.slice(Math.max(0, first), after < 0 ? samples.length : after + 1);
  const step = Math.ceil(own.length / MOST_SAMPLES);
  return own.filter((_, at) => at % step === 0);
}

const columnsOf = (samples: readonly Sample[], { start_ns }: Window) => ({
  times_ns: Float64Array.from(samples, ({ time_ns }) => Number(time_ns - start_ns)),
  values: Float64Array.from(samples, ({ value }) => value),
});
