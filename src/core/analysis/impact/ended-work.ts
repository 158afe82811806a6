import { nanoseconds } from '../../../model/time.ts';
import type { IdleGpuFact, Reader } from '../../store/facts/reader.ts';
import { EntityGraph } from '../topology/entity-graph.ts';
import { emptyMeasurements, type Measurements } from './measurement-table.ts';
import { medianInterval } from './onset.ts';
import { impact } from './parameters.ts';

const columns = ['p50', 'p95', 'p99', 'error_rate', 'throughput', 'requests'] as const;

/**
 * Work whose spans end while the recording goes on: a gap of its telemetry, or the end of the work itself. It has ended if GPUs that it
 * ran on worked until then, and none of them later: then its throughput is known to be zero for as long as they were sampled.
 */
export async function withEnds(reader: Reader, measured: readonly Measurements[]): Promise<Measurements[]> {
  const range = measured.length > 0 ? await reader.recordedRange() : null;
  const limit = (range?.to_ns ?? 0n) - nanoseconds(impact.endedSeconds);
  if (!measured.some((one) => lastOf(one) <= limit)) return [...measured];
  const idle = new Map((await reader.idleGpus()).map((one) => [one.gpu, one]));
  if (idle.size === 0) return [...measured];
  const [entities, edges] = [await reader.entities(), await reader.edges()];
  return measured.map((one) => {
    const end = lastOf(one);
    if (end > limit) return one;
    const graph = new EntityGraph(entities, edges, end);
    const gpus = graph
      .machinesOfService(one.service)
      .flatMap((machine) => [...graph.below(machine)])
      .flatMap((key) => idle.get(key) ?? []);
    const until = idleUntil(gpus, end);
    return until === undefined ? one : withZeros(one, until);
  });
}

const lastOf = ({ time_ns }: Measurements): bigint => time_ns.at(-1) ?? 0n;

/** How long GPUs of ended work were sampled; undefined: they do not show that it ended. */
function idleUntil(gpus: readonly IdleGpuFact[], end: bigint): bigint | undefined {
  const near = nanoseconds(impact.endedSeconds);
  const stopped = gpus.filter(({ busy_until_ns }) => busy_until_ns >= end - near && busy_until_ns <= end + near);
  const isUsedLater = gpus.some(({ busy_until_ns }) => busy_until_ns > end + near);
  if (stopped.length === 0 || isUsedLater) return undefined;
  return stopped.reduce((most, { idle_until_ns }) => (idle_until_ns > most ? idle_until_ns : most), 0n);
}

function withZeros(measured: Measurements, until: bigint): Measurements {
  const end = lastOf(measured);
  const width = nanoseconds(medianInterval(measured.time_ns) || impact.endedSeconds);
  const longest = end + nanoseconds(impact.baselineSeconds);
  const times: bigint[] = [];
  for (let time = end + width; time <= until && time <= longest; time += width) times.push(time);
  const table = emptyMeasurements(measured.service, measured.from, [...measured.time_ns, ...times]);
  for (const column of columns) table[column].set(measured[column]);
  table.throughput.fill(0, measured.time_ns.length);
  table.requests.fill(0, measured.time_ns.length);
  return { ...table, ended_ns: end };
}
