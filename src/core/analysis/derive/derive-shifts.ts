import type { RowBatch, TableRows } from '../../../model/rows/rows.ts';
import type { DerivedEvent } from '../../../model/telemetry/derived-event.ts';
import { nanoseconds } from '../../../model/time.ts';
import type { Reader, ShiftFact } from '../../store/facts/reader.ts';
import { derive } from './parameters.ts';
import { sampledEvent } from './sampled-event.ts';

const flow = { type: 'coolant_flow_low', back: 'coolant_flow_restored', what: 'coolant flow' } as const;
const heat = { type: 'temperature_high', back: 'temperature_restored', what: 'supply temperature' } as const;
const wordings: Readonly<Record<string, typeof flow | typeof heat>> = {
  'hw.coolant.flow': flow,
  'hw.temperature': heat,
};

/** Cooling units whose readings left their normal level, without a stated limit: many controllers are read and raise no alarm. */
export const deriveShifts = async (reader: Reader): Promise<DerivedEvent[]> =>
  (
    await reader.coolingShifts({
      samples: derive.baselineSamples,
      flowShare: derive.lowFlowShare,
      kelvin: derive.warmSupplyKelvin,
      backShare: derive.backShare,
    })
  ).flatMap(eventsOf);

function eventsOf(shift: ShiftFact): DerivedEvent[] {
  const wording = wordings[shift.metric];
  if (!wording) return [];
  const { time_ns, value, before_ns, before_value, usual, ended_ns, ended_value, ended_source, unit } = shift;
  const begun = sampledEvent(shift, {
    name: 'shift',
    source_id: shift.source_id,
    time_ns,
    type: wording.type,
    // A controller that follows the load may have meant it.
    severity: 'medium',
    message: `${wording.what}: ${rounded(value)} ${unit}, usually ${rounded(usual)}`,
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
    message: `${wording.what} is back: ${rounded(ended_value)} ${unit}`,
    samples: [[ended_ns, ended_value]],
  });
  return [begun, ended];
}

const rounded = (value: number): number => Number(value.toPrecision(3));

const watched: ReadonlySet<string> = new Set(Object.keys(wordings));

/** Finds out from live samples when {@link deriveShifts} may have another answer: not more often than so many seconds of samples. */
export class ShiftWatch {
  private readonly series = new Set<number>();
  private latest_ns = 0n;
  private judged_ns = 0n;
  /** Of the first samples that were seen: the longer the recording, the more there is to read again. */
  private begun_ns: bigint | undefined;

  /** @param series the case's numbers of the batch's series */
  take(batch: RowBatch, series: Int32Array): void {
    for (const [at, { metric }] of batch.series.entries()) if (watched.has(metric)) this.series.add(series[at]!);
    const points = batch.tables.point as TableRows<'point'> | undefined;
    if (!points || this.series.size === 0) return;
    const { series: of, time_ns } = points.columns;
    for (let at = 0; at < points.count; at++)
      if (this.series.has(of[at]!) && time_ns[at]! > this.latest_ns) this.latest_ns = time_ns[at]!;
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
