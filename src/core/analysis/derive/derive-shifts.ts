import type { RowBatch, TableRows } from '../../../model/rows/rows.ts';
import type { DerivedEvent } from '../../../model/telemetry/derived-event.ts';
import type { EventType } from '../../../model/telemetry/event-catalog.ts';
import { PRESSURE } from '../../../model/telemetry/metric.ts';
import { nanoseconds } from '../../../model/time.ts';
import type { Reader, ShiftFact } from '../../store/facts/reader.ts';
import { derive } from './parameters.ts';
import { sampledEvent } from './sampled-event.ts';

interface Wording {
  readonly type: EventType;
  readonly back: EventType;
  /** Message for a value. */
  readonly text: (value: number, unit: string) => string;
}

const reading =
  (what: string) =>
  (value: number, unit: string): string =>
    `${what}: ${rounded(value)} ${unit}`;
const flow: Wording = { type: 'coolant_flow_low', back: 'coolant_flow_restored', text: reading('coolant flow') };
const heat: Wording = { type: 'temperature_high', back: 'temperature_restored', text: reading('supply temperature') };
const resources = { cpu: 'processors', memory: 'memory', io: 'storage' } as const;

function wordingOf(metric: string): Wording | undefined {
  if (metric === 'hw.coolant.flow') return flow;
  if (metric === 'hw.temperature') return heat;
  const resource = pressure.exec(metric)?.[1] as keyof typeof resources | undefined;
  return (
    resource && {
      type: 'resource_pressure',
      back: 'resource_pressure_ended',
      text: (share) => `work waits for ${resources[resource]} ${Math.round(100 * share)} % of the time`,
    }
  );
}

const pressure = new RegExp(PRESSURE);

/**
 * Cooling units whose readings left their normal level, without a stated limit, and machines on which work waits for a resource: many
 * controllers are read and raise no alarm.
 */
export const deriveShifts = async (reader: Reader): Promise<DerivedEvent[]> =>
  (
    await reader.levelShifts({
      samples: derive.baselineSamples,
      flowShare: derive.lowFlowShare,
      kelvin: derive.warmSupplyKelvin,
      backShare: derive.backShare,
      pressure: PRESSURE,
      pressureShare: derive.pressureShare,
      pressureTimes: derive.pressureTimes,
    })
  ).flatMap(eventsOf);

function eventsOf(shift: ShiftFact): DerivedEvent[] {
  const wording = wordingOf(shift.metric);
  if (!wording) return [];
  const { time_ns, value, before_ns, before_value, usual, ended_ns, ended_value, ended_source, unit } = shift;
  const begun = sampledEvent(shift, {
    name: 'shift',
    source_id: shift.source_id,
    time_ns,
    type: wording.type,
    // A controller that follows the load may have meant it.
    severity: 'medium',
    message: `${wording.text(value, unit)}, usually ${usually(usual, unit)}`,
    samples: [
      [before_ns, before_value],
      [time_ns, value],
    ],
  });
  if (ended_ns === null || ended_value === null || ended_source === null) return [begun];
  const ended = sampledEvent(shift, {
    name: 'shift end',
    source_id: ended_source,
    time_ns: ended_ns,
    type: wording.back,
    severity: 'low',
    message: `back to normal: ${wording.text(ended_value, unit)}`,
    samples: [[ended_ns, ended_value]],
  });
  return [begun, ended];
}

/** Shares of time have the unit 1. */
const usually = (value: number, unit: string): string =>
  unit === '1' ? `${Math.round(100 * value)} %` : `${rounded(value)} ${unit}`;

const rounded = (value: number): number => Number(value.toPrecision(3));

interface Waited {
  readonly time_ns: bigint;
  readonly seconds: number;
}

/** Finds out from live samples when {@link deriveShifts} may have another answer: not more often than so many seconds of samples. */
export class ShiftWatch {
  private readonly levels = new Set<number>();
  /** The last sample of each series of pressure. */
  private readonly waited = new Map<number, Waited | undefined>();
  private latest_ns = 0n;
  private judged_ns = 0n;
  /** Of the first samples that were seen: the longer the recording, the more there is to read again. */
  private begun_ns: bigint | undefined;

  /** @param series the case's numbers of the batch's series */
  take(batch: RowBatch, series: Int32Array): void {
    for (const [at, { metric }] of batch.series.entries()) {
      const one = series[at]!;
      if (pressure.test(metric)) this.waited.set(one, this.waited.get(one));
      else if (wordingOf(metric)) this.levels.add(one);
    }
    const points = batch.tables.point as TableRows<'point'> | undefined;
    if (!points || this.levels.size + this.waited.size === 0) return;
    const { series: of, time_ns, value } = points.columns;
    for (let at = 0; at < points.count; at++)
      if (this.mayShift(of[at]!, { time_ns: time_ns[at]!, seconds: value[at]! }) && time_ns[at]! > this.latest_ns)
        this.latest_ns = time_ns[at]!;
  }

  /** Machines are many, and hardly one of them waits: only those that do are judged, and those that did. */
  private mayShift(series: number, now: Waited): boolean {
    if (!this.waited.has(series)) return this.levels.has(series);
    const before = this.waited.get(series);
    this.waited.set(series, now);
    if (!before || now.time_ns <= before.time_ns) return before !== undefined;
    const share = (now.seconds - before.seconds) / (Number(now.time_ns - before.time_ns) / 1e9);
    if (share > derive.pressureShare) this.levels.add(series);
    return this.levels.has(series);
  }

  /** Whether there may be another answer since the last call. */
  next(): boolean {
    this.begun_ns ??= this.latest_ns === 0n ? undefined : this.latest_ns;
    const length_ns = this.latest_ns - (this.begun_ns ?? this.latest_ns);
    const patience_ns = nanoseconds(derive.shiftSeconds) + length_ns / BigInt(derive.shiftParts);
    if (this.latest_ns < this.judged_ns + patience_ns) return false;
    this.judged_ns = this.latest_ns;
    return true;
  }
}
