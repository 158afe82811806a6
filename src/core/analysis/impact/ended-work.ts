import { nanoseconds } from '../../../model/time.ts';
import type { IdleGpuFact, Reader, WorkEndFact } from '../../store/facts/reader.ts';
import { EntityGraph } from '../topology/entity-graph.ts';
import { emptyMeasurements, type Measurements } from './measurement-table.ts';
import { medianInterval } from './onset.ts';
import { impact } from './parameters.ts';

const columns = ['p30', 'p50', 'p70', 'p95', 'p99', 'error_rate', 'throughput', 'requests'] as const;

/** When GPUs of ended work last did something, and until when they are known to have done nothing. */
interface Idle {
  readonly busy_ns: bigint;
  readonly until_ns: bigint;
}

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
  const ended = new Map<Measurements, Idle>();
  for (const one of measured) {
    const end = lastOf(one);
    if (end > limit) continue;
    const graph = new EntityGraph(entities, edges, end);
    const gpus = graph
      .machinesOfService(one.service)
      .flatMap((machine) => [...graph.below(machine)])
      .flatMap((key) => idle.get(key) ?? []);
    const since = idleSince(gpus, end);
    if (since) ended.set(one, since);
  }
  const services = [...ended.keys()].map(({ service }) => service);
  const facts = ended.size === 0 ? [] : await reader.workEnds(services, nanoseconds(impact.baselineSeconds));
  const ends = new Map(facts.map((fact) => [fact.service, fact]));
  return measured.map((one) => {
    const since = ended.get(one);
    return since ? withZeros(one, since, one.from === 'callers' ? undefined : ends.get(one.service)) : one;
  });
}

const lastOf = ({ time_ns }: Measurements): bigint => time_ns.at(-1) ?? 0n;

/** Undefined: GPUs do not show that the work ended. */
function idleSince(gpus: readonly IdleGpuFact[], end: bigint): Idle | undefined {
  const near = nanoseconds(impact.endedSeconds);
  const stopped = gpus.filter(({ busy_until_ns }) => busy_until_ns >= end - near && busy_until_ns <= end + near);
  const isUsedLater = gpus.some(({ busy_until_ns }) => busy_until_ns > end + near);
  if (stopped.length === 0 || isUsedLater) return undefined;
  return {
    busy_ns: stopped.reduce((most, { busy_until_ns }) => later(most, busy_until_ns), 0n),
    until_ns: stopped.reduce((most, { idle_until_ns }) => later(most, idle_until_ns), 0n),
  };
}

/**
 * The last row with work ends with its last span. A span that begins and does not end is not recorded, so that the work may have gone on
 * until the next one should have ended, or until a GPU was last seen at work: there the rows without work begin.
 */
function withZeros(measured: Measurements, { busy_ns, until_ns }: Idle, fact: WorkEndFact | undefined): Measurements {
  const width = nanoseconds(medianInterval(measured.time_ns) || impact.endedSeconds);
  const end = fact?.last_ns ?? lastOf(measured);
  // Among spans that are mostly close, one long pause can be half of the time.
  const usual = fact ? earlier(fact.usual_ns, later(width, fact.median_ns)) : width;
  const longest = earlier(until_ns, end + nanoseconds(impact.baselineSeconds));
  const times: bigint[] = [];
  for (let time = later(end + usual, busy_ns); time <= longest; time += width) times.push(time);
  const done = times.at(-1);
  if (done === undefined) return measured;
  if (done < longest) times.push(longest);
  const worked = measured.time_ns.filter((time) => time < end);
  const rows = worked.length + 1;
  const table = emptyMeasurements(measured.service, measured.from, [...worked, end, ...times]);
  for (const column of columns) table[column].set(measured[column].subarray(0, rows));
  const whole = measured.time_ns[rows - 1];
  if (whole !== undefined && whole > end)
    table.throughput[rows - 1]! *= Number(width) / Math.max(1, Number(end - (whole - width)));
  table.throughput.fill(0, rows);
  table.requests.fill(0, rows);
  return { ...table, ended_ns: end };
}

const earlier = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const later = (a: bigint, b: bigint): bigint => (a > b ? a : b);
