import type {
  CallContext,
  Fleet,
  FleetGpu,
  Lane,
  LaneData,
  LaneMetric,
  Parsed,
} from '../../../model/contract/index.ts';
import { entityKey } from '../../../model/entity.ts';
import type { MetricName } from '../../../model/telemetry/metric.ts';
import { comparedGpus, fleetDifferences } from '../../analysis/gpus/fleet-differences.ts';
import type { FleetDifference, FleetMetric } from '../../analysis/gpus/fleet-metric.ts';
import { peersAmong, workOf } from '../../analysis/gpus/gpu-workloads.ts';
import { fleet } from '../../analysis/gpus/parameters.ts';
import { median } from '../../analysis/statistics.ts';
import { rowsOf } from '../../store/case-file/case-file.ts';
import { createReader } from '../../store/facts/reader.ts';
import { queries } from '../../store/queries/index.ts';
import type { OpenCase } from '../cases/open-case.ts';
import type { LaneCatalog } from '../lanes/lane-catalog.ts';
import { readLanes } from '../lanes/lane-data.ts';
import { placesOf } from '../lanes/lane-places.ts';
import type { Workspace } from '../workspace.ts';
import { readGpuHealth } from './gpu-health.ts';
import { podsOn } from './gpu-pods.ts';

/** The fleet of GPUs as a whole. */
export function gpuHandlers(workspace: Workspace) {
  return {
    'gpus.fleet': (input: Parsed<'gpus.fleet'>, { signal }: CallContext): Promise<Fleet> =>
      readFleet(workspace.required(), input, signal),
  };
}

/** Metrics in this order; the rest by name. */
const preferredMetrics: readonly MetricName[] = [
  'hw.power',
  'hw.temperature',
  'hw.gpu.utilization',
  'hw.gpu.clock.sm',
  'hw.gpu.memory.usage',
  'hw.gpu.memory.utilization',
  'hw.gpu.memory.temperature',
  'hw.gpu.clock.memory',
];
const rankOf = (metric: string): number => {
  const at = preferredMetrics.indexOf(metric as MetricName);
  return at < 0 ? preferredMetrics.length : at;
};
/** Of these the minimum of a bucket matters, of heat, power and all others the maximum. */
const lowestMatters = new Set<string>([
  'hw.gpu.utilization',
  'hw.gpu.memory.utilization',
  'hw.gpu.clock.sm',
  'hw.gpu.clock.memory',
  'hw.gpu.clock.video',
] satisfies MetricName[]);
const pickOf = (metric: string): Fleet['pick'] => (lowestMatters.has(metric) ? 'lowest' : 'highest');
/** Counters only grow; their total depends on the last reset. */
const isCompared = (metric: string): boolean => rankOf(metric) < preferredMetrics.length;

type FleetLanes = Map<string, { readonly unit: string; readonly lanes: Map<string, Lane> }>;

async function readFleet(opened: OpenCase, input: Parsed<'gpus.fleet'>, signal?: AbortSignal): Promise<Fleet> {
  const catalog = await opened.recordedLanes();
  const gpus = await readGpus(opened, input, signal);
  const measured = byMetric(catalog.lanes);
  const names = [...measured.keys()].sort((a, b) => rankOf(a) - rankOf(b) || (a < b ? -1 : 1));
  const metric = names.find((name) => name === input.metric) ?? names[0] ?? null;
  const wanted = names.filter((name) => name === metric || isCompared(name));
  const window = { start_ns: input.start_ns, end_ns: input.end_ns, buckets: input.buckets, clocks: [] };
  const lanes = wanted.flatMap((name) => [...(measured.get(name)?.lanes.values() ?? [])].map(({ id }) => id));
  const answers = await readLanes(opened, catalog, { ...window, lanes }, signal);
  const data = new Map(answers.map((one) => [one.lane, one]));
  const typicalByLane = await readTypicalValues(opened, catalog, lanes, signal);
  const matrices = wanted.map((name) =>
    matrixOf(name, gpus, measured, { data, typicalByLane, buckets: input.buckets }),
  );
  const peersOf = peersAmong(gpus.map(({ work }) => work));
  const compared = matrices.filter((one) => isCompared(one.metric));
  const differences = fleetDifferences(compared, input.buckets, peersOf);
  return {
    gpus: [...gpus],
    metrics: names.map((name) => ({
      metric: name,
      unit: measured.get(name)?.unit ?? '',
      gpus: measured.get(name)?.lanes.size ?? 0,
    })),
    metric,
    pick: pickOf(metric ?? ''),
    values: spreadOver(
      gpus.length,
      matrices.find((one) => one.metric === metric),
      input.buckets,
    ),
    differences: await withBeginnings(opened, catalog, { differences, measured, gpus, input }, signal),
    measured: new Set(compared.flatMap((one) => measuredIn(one, input.buckets))).size,
    compared: comparedGpus(compared, input.buckets, peersOf).size,
    alone: gpus.filter((_, at) => peersOf(at).length < fleet.leastPeers).length,
  };
}

interface Found {
  readonly differences: readonly FleetDifference[];
  readonly measured: FleetLanes;
  readonly gpus: readonly FleetGpu[];
  readonly input: Parsed<'gpus.fleet'>;
}

/** Parts of a bucket: a thousandth of it is shorter than what is shown of a time. */
const PARTS = 1000;
/** GPUs that are looked at for it. */
const MOST_BEGINNINGS = 32;

/** When each began: the first sample in its first bucket that differs, not the beginning of the bucket, nor a normal sample in it. */
async function withBeginnings(
  opened: OpenCase,
  catalog: LaneCatalog,
  { differences, measured, gpus, input }: Found,
  signal?: AbortSignal,
): Promise<Fleet['differences']> {
  const width = Number(input.end_ns - input.start_ns) / input.buckets;
  const found: Fleet['differences'] = [];
  for (const { first, ...one } of differences) {
    const start_ns = input.start_ns + BigInt(Math.round(first * width));
    const window = { start_ns, end_ns: start_ns + BigInt(Math.ceil(width)), buckets: PARTS, clocks: [] };
    const own = one.gpus.slice(0, MOST_BEGINNINGS).map((gpu) => gpus[gpu]?.entity ?? '');
    const lanes = own.flatMap((gpu) => measured.get(one.metric)?.lanes.get(gpu)?.id ?? []);
    const samples = (await readLanes(opened, catalog, { ...window, lanes }, signal)).flatMap((answer) =>
      answer.kind === 'metric' ? firstUnlike(answer.last, one) : [],
    );
    const at = samples.filter((place) => place >= 0).reduce((least, place) => Math.min(least, place), PARTS);
    found.push({
      ...one,
      gpus: [...one.gpus],
      since_ns: at === PARTS ? start_ns : start_ns + BigInt(Math.round(((at + 1) * width) / PARTS)),
    });
  }
  return found;
}

/** Place of the first value that is nearer to what differs than to what was to be expected, else of the first known one; -1: none is known. */
function firstUnlike(values: Float64Array, { value, typical }: Pick<FleetDifference, 'value' | 'typical'>): number {
  const at = values.findIndex((one) => Math.abs(one - value) < Math.abs(one - typical));
  return at >= 0 ? at : values.findIndex((one) => !Number.isNaN(one));
}

async function readGpus(
  opened: OpenCase,
  { start_ns, end_ns }: Parsed<'gpus.fleet'>,
  signal?: AbortSignal,
): Promise<readonly FleetGpu[]> {
  return opened.withSession(async (session) => {
    const reader = createReader(session);
    const [entities, edges] = [await reader.entities(), await reader.edges()];
    const found = rowsOf<{ entity: number; events: number; worst_severity: number }>(
      await session.query(queries.gpuEvents, [start_ns, end_ns], signal),
    );
    const events = new Map(found.map((row) => [row.entity, row]));
    const placeOf = placesOf(entities, edges);
    const usedBy = workOf({ entities, edges, observers: await reader.observers() }, { start_ns, end_ns });
    const podsOf = podsOn(entities, edges, { start_ns, end_ns });
    const healthOf = await readGpuHealth(session, { start_ns, end_ns }, signal);
    const slots = new Map(
      rowsOf<{ entity: number; slot: number }>(await session.query(queries.gpuSlots, [], signal)).map((one) => [
        one.entity,
        one.slot,
      ]),
    );
    const own = entities.filter((one) => one.kind === 'gpu' && one.entity_id === one.canonical_id);
    return own
      .map(({ entity_id, kind, id }) => ({
        entity: entityKey(kind, id),
        id,
        slot: slots.get(entity_id) ?? null,
        within: [...placeOf(entity_id)],
        work: [...usedBy(entity_id)],
        pods: [...podsOf(entity_id)],
        health: healthOf(entity_id),
        events: events.get(entity_id)?.events ?? 0,
        worst_severity: events.get(entity_id)?.worst_severity ?? null,
      }))
      .sort(
        (a, b) =>
          naturally(a.within.join(), b.within.join()) || (a.slot ?? -1) - (b.slot ?? -1) || naturally(a.id, b.id),
      );
  });
}

const naturally = (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true });

function byMetric(lanes: readonly Lane[]): FleetLanes {
  const found: FleetLanes = new Map();
  for (const lane of lanes) {
    if (lane.entity_kind !== 'gpu' || lane.kind !== 'metric') continue;
    const own = found.get(lane.metric) ?? { unit: lane.unit, lanes: new Map<string, Lane>() };
    own.lanes.set(`gpu:${lane.entity_id}`, lane);
    found.set(lane.metric, own);
  }
  return found;
}

/** Resolution for a whole recording. */
const TYPICAL_BUCKETS = 120;

/** Typical value of each lane: the median over the whole recording. */
async function readTypicalValues(
  opened: OpenCase,
  catalog: LaneCatalog,
  lanes: string[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  const { first_ns, last_ns } = await opened.info();
  if (first_ns === null || last_ns === null) return new Map();
  const all = { start_ns: first_ns, end_ns: last_ns, buckets: TYPICAL_BUCKETS, clocks: [], lanes };
  const answers = await readLanes(opened, catalog, all, signal);
  return new Map(
    answers.flatMap((one) =>
      one.kind === 'metric' ? [[one.lane, median(picked(one, metricOf(one.lane)))] as const] : [],
    ),
  );
}

const metricOf = (lane: string): string => lane.slice(lane.lastIndexOf(':') + 1);
const picked = (data: LaneMetric, metric: string): Float64Array => (pickOf(metric) === 'lowest' ? data.min : data.max);

interface Answers {
  readonly data: ReadonlyMap<string, LaneData>;
  /** By lane. */
  readonly typicalByLane: ReadonlyMap<string, number>;
  readonly buckets: number;
}

function matrixOf(
  metric: string,
  gpus: readonly FleetGpu[],
  measured: FleetLanes,
  { data, typicalByLane, buckets }: Answers,
): FleetMetric {
  const own = measured.get(metric);
  const rows = gpus.flatMap(({ entity }, gpu) => {
    const lane = own?.lanes.get(entity);
    const answer = lane === undefined ? undefined : data.get(lane.id);
    return answer?.kind === 'metric' ? [{ gpu, lane: answer.lane, values: picked(answer, metric) }] : [];
  });
  const values = new Float64Array(rows.length * buckets);
  const sampled = new Uint8Array(rows.length * buckets);
  for (const [at, row] of rows.entries()) {
    values.set(forwardFilled(row.values), at * buckets);
    sampled.set(
      row.values.map((value) => Number(!Number.isNaN(value))),
      at * buckets,
    );
  }
  const typicalValues = Float64Array.from(rows, ({ lane }) => typicalByLane.get(lane) ?? Number.NaN);
  return { metric, unit: own?.unit ?? '', gpus: rows.map(({ gpu }) => gpu), values, sampled, typical: typicalValues };
}

/** GPUs with a sample in the time. */
const measuredIn = ({ gpus, values }: FleetMetric, buckets: number): number[] =>
  gpus.filter((_, row) => values.subarray(row * buckets, (row + 1) * buckets).some((value) => !Number.isNaN(value)));

function spreadOver(gpus: number, matrix: FleetMetric | undefined, buckets: number): Float64Array<ArrayBuffer> {
  const values = new Float64Array(gpus * buckets).fill(Number.NaN);
  for (const [row, gpu] of matrix?.gpus.entries() ?? [])
    values.set(matrix?.values.subarray(row * buckets, (row + 1) * buckets) ?? [], gpu * buckets);
  return values;
}

/** Samples further apart than this many of their usual distances have a gap between them. */
const GAP_FACTOR = 2.5;

/** A sample is valid until the next, as in lanes; gaps are unknown. */
function forwardFilled(values: Float64Array): Float64Array {
  const places = [...values.keys()].filter((at) => !Number.isNaN(values[at]));
  const distances = places.slice(1).map((at, i) => at - places[i]!);
  const longest = Math.ceil((distances.sort((a, b) => a - b)[distances.length >> 1] ?? 1) * GAP_FACTOR);
  const filled = values.slice();
  for (const [i, at] of places.entries()) {
    const next = places[i + 1] ?? Math.min(values.length, at + Math.ceil(longest / GAP_FACTOR));
    if (next - at <= longest) filled.fill(values[at]!, at, next);
  }
  return filled;
}
