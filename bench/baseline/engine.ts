import type { Measurements } from '../../src/core/analysis/impact/measurement-table.ts';
import { readMeasurements } from '../../src/core/analysis/impact/measurements.ts';
import type { EventFact, Reader } from '../../src/core/store/facts/reader.ts';
import { layers, severities } from '../../src/model/entity.ts';
import type { CorrelateOptions } from '../../src/model/incident/incident.ts';
import { DeviceMap } from './device-map.ts';
import { scoreChain } from './score-chain.ts';

/** A suspect of the seed's engine: the device of one event. */
export interface Suspect {
  readonly event: EventFact;
  readonly kind: string;
  readonly id: string;
}

/** One incident as found by the seed's engine. */
export interface BaselineAnswer {
  readonly service: string;
  readonly onset_ns: bigint;
  readonly end_ns: bigint;
  /** In order of time; the first is the root. */
  readonly chain: readonly EventFact[];
  /** The root first, then the other devices by severity, time and layer. */
  readonly suspects: readonly Suspect[];
  /** Mean of the edges' scores (DESIGN section 6); the seed takes it for how sure it is. */
  readonly confidence: number;
  readonly warnings: readonly string[];
}

/**
 * The engine of the seed, from its description (DESIGN sections 4 and 6), as the reference: baseline per service,
 * windows over twice the baseline, events of the last `lag` seconds whose device maps to the service (all of them when none
 * does), ranked by severity, time and layer; the chain is scored, and its earliest event is the root. It reads the same
 * rows and measurements as the correlator.
 */
export async function correlateAsSeed(reader: Reader, options: CorrelateOptions): Promise<BaselineAnswer[]> {
  const [entities, edges, measurements] = [
    await reader.entities(),
    await reader.edges(),
    await readMeasurements(reader),
  ];
  const answers: BaselineAnswer[] = [];
  for (const measured of measurements.values())
    for (const window of findWindows(measured, options)) {
      const map = new DeviceMap(entities, edges, window.onset_ns);
      const events = await reader.events(
        window.onset_ns - seconds(options.lag),
        window.onset_ns + seconds(options.window),
      );
      answers.push(explain({ window, map, events, service: measured.service, options }));
    }
  return answers.sort((a, b) => (a.onset_ns < b.onset_ns ? -1 : 1));
}

interface Window {
  readonly onset_ns: bigint;
  readonly end_ns: bigint;
}

/** Windows closer than this are one. */
const MERGE_S = 30;
const seconds = (value: number): bigint => BigInt(Math.round(value * 1e9));

/** Means over the first `baseline` seconds; twice that, or half of it for throughput, opens a window. */
function findWindows(measured: Measurements, options: CorrelateOptions): Window[] {
  const { time_ns, p99, error_rate, throughput } = measured;
  if (time_ns.length < 2) return [];
  const limit = time_ns[0]! + seconds(options.baseline);
  const inBaseline = time_ns.filter((time) => time < limit).length;
  const normal = {
    p99: mean(p99, inBaseline),
    error_rate: Math.max(mean(error_rate, inBaseline), 0.5),
    throughput: mean(throughput, inBaseline),
  };
  const gap = seconds(Math.max(MERGE_S, (1.5 * Number(time_ns.at(-1)! - time_ns[0]!)) / 1e9 / time_ns.length));
  const windows: { onset_ns: bigint; end_ns: bigint }[] = [];
  for (const [i, time] of time_ns.entries()) {
    const bad =
      p99[i]! > 2 * normal.p99 || error_rate[i]! > 2 * normal.error_rate || throughput[i]! < normal.throughput / 2;
    if (!bad) continue;
    const open = windows.at(-1);
    if (open && time - open.end_ns <= gap) open.end_ns = time;
    else windows.push({ onset_ns: time, end_ns: time });
  }
  return windows;
}

function mean(column: Float64Array, count: number): number {
  const known = column.subarray(0, count).filter((value) => !Number.isNaN(value));
  return known.reduce((sum, value) => sum + value, 0) / known.length;
}

interface CorrelateInput {
  readonly window: Window;
  readonly map: DeviceMap;
  readonly events: readonly EventFact[];
  readonly service: number;
  readonly options: CorrelateOptions;
}

function explain({ window, map, events, service, options }: CorrelateInput): BaselineAnswer {
  const layer = (event: EventFact) => layers.indexOf(map.device(event.entity)?.layer ?? 'service');
  const mapped = events.filter((event) => map.mapping(event.entity, service) === 'mapped');
  const relevant = mapped.length > 0 ? mapped : events;
  const chain = [...relevant].sort((a, b) => compare(a.time_ns, b.time_ns) || layer(a) - layer(b));
  const ranked = [...relevant].sort(
    (a, b) => a.severity - b.severity || compare(a.time_ns, b.time_ns) || layer(a) - layer(b),
  );
  const suspects = new Map<string, Suspect>();
  for (const event of [...chain.slice(0, 1), ...ranked]) {
    const node = map.device(event.entity);
    const [kind, id] = [node?.kind ?? 'device', node?.id ?? event.device_id];
    if (!suspects.has(`${kind}:${id}`)) suspects.set(`${kind}:${id}`, { event, kind, id });
  }
  const relations = chain.map((event) => map.mapping(event.entity, service));
  const confidence = scoreChain(chain, relations, window.onset_ns, options);
  const loudest = severities[ranked[0]?.severity ?? 3];
  return {
    service: map.device(service)?.id ?? '?',
    ...window,
    chain,
    suspects: [...suspects.values()],
    confidence,
    warnings:
      chain.length === 0
        ? ['no events before the impact']
        : confidence < options.confidence
          ? [`low confidence (${loudest})`]
          : [],
  };
}

const compare = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);
