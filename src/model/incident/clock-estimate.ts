import { z } from 'zod';
import { anyNanos } from '../rows/any-nanos.ts';

/** Estimated clock of a data source, or of one reporter of several in a file. */
export const clockEstimateSchema = z.object({
  /** The clock: of a reporter another number than that of its file. */
  source_id: z.number().int(),
  /** The data source that contains its records. */
  file_id: z.number().int(),
  name: z.string(),
  /**
   * `reference`: others are relative to it. `given`: by the investigator. `linked_pairs`: estimated. `unknown`: not estimated;
   * the offset is unchanged and the uncertainty is wide.
   */
  method: z.enum(['reference', 'given', 'linked_pairs', 'unknown']),
  /** `zone`: by whole quarters of an hour, as a wrong time zone does. */
  error: z.enum(['none', 'shift', 'zone', 'unknown']),
  /** To add to the source's recorded times. */
  offset_ns: anyNanos,
  /** A wrong zone that too few pairs speak for: what its events are weighed with besides; null: none. */
  perhaps_ns: anyNanos.nullable(),
  /** Half of the 95 % interval around the offset. */
  uncertainty_ns: anyNanos,
  /** Parts per million by which the clock runs fast; null if unknown. */
  drift_ppm: z.number().nullable(),
  /** Pairs of events that speak about it. */
  pairs: z.number().int(),
  /** A sentence for people. */
  remark: z.string(),
});
export type ClockEstimateView = z.infer<typeof clockEstimateSchema>;

const methods: Readonly<Record<ClockEstimateView['method'], string>> = {
  reference: 'reference',
  given: 'set by the investigator',
  linked_pairs: 'estimated from linked pairs of events',
  unknown: 'not estimated',
};

/** `+3.2 s ± 0.1 s, estimated from linked pairs of events: recorded 3.2 s behind …` */
export function clockEstimateText({ method, offset_ns, uncertainty_ns, drift_ppm, remark }: ClockEstimateView): string {
  const offset = offset_ns === 0n ? '0 s' : `${offset_ns < 0n ? '-' : '+'}${seconds(offset_ns)}`;
  const drift = drift_ppm === null ? '' : `, drifting by ${Number(drift_ppm.toPrecision(2))} ppm`;
  // The remark often begins with the method itself.
  const reason = remark.startsWith(methods[method]) ? remark : `${methods[method]}: ${remark}`;
  return `${offset} ± ${seconds(uncertainty_ns)}${drift}, ${reason}`;
}

/** Milliseconds where they may matter, tenths of seconds where not. */
function seconds(value_ns: bigint): string {
  const value = Math.abs(Number(value_ns)) / 1e9;
  return `${Number(value.toFixed(value >= 10 ? 1 : 3))} s`;
}
