import type { MeanOf, ServicePart, Work } from '../../../model/incident/incident.ts';

/**
 * Measurements of one service over time, from any kind of data. Rows ascend by `time_ns`; NaN is unknown.
 * Latencies in ms, error rate in percent, throughput in requests per second.
 */
export interface Measurements {
  readonly service: number;
  /**
   * `callers`: spans of those that call it, where it records none; `collectives`: operations that all ranks of a job complete
   * count as its requests; `means`: only sums of requests, or of tokens, and of their times are known.
   */
  readonly from:
    | 'gauges'
    | 'means'
    | 'histograms'
    | 'counters'
    | 'spans'
    | 'callers'
    | 'logs'
    | 'steps'
    | 'collectives';
  readonly time_ns: readonly bigint[];
  /** Beside the median: what most requests take moves them with it, another mix of quick and slow ones does not. NaN in gauges. */
  readonly p30: Float64Array;
  readonly p50: Float64Array;
  readonly p70: Float64Array;
  readonly p95: Float64Array;
  readonly p99: Float64Array;
  readonly error_rate: Float64Array;
  readonly throughput: Float64Array;
  /** Requests behind each row; for gauges, which are rates, those of one interval; NaN without a rate. */
  readonly requests: Float64Array;
  /** The same service as its callers measured it, if it records no spans: with the way to it. */
  readonly callers?: Measurements;
  /** Of `means`: what takes this time. `p50` is its mean, and no quantile is known. */
  readonly meanOf?: MeanOf;
  /** When the last recorded span ended: spans are recorded when they end, and a request that ended later is missing. undefined: that is not known. */
  readonly last_end_ns?: bigint;
  /** Only of these requests of the service. */
  readonly part?: ServicePart;
  /** The work ended then, and the rows behind are the time without it; undefined: that is not known. */
  readonly ended_ns?: bigint;
  /** Something was done after this time, though perhaps in an interval that was recorded in part and has no row; undefined: that is not known. */
  readonly did_after_ns?: bigint;
}

/** What the requests of such measurements are. */
export const workOf = ({ from }: Pick<Measurements, 'from'>): Work =>
  from === 'collectives' || from === 'steps' ? from : 'requests';

/** Names of the lane of a latency: P99, or the mean where no quantile is known. */
export const latencyMetric = ({ meanOf }: Pick<Measurements, 'meanOf'>): string =>
  meanOf === undefined
    ? 'service.latency.p99'
    : meanOf === 'request'
      ? 'service.latency.mean'
      : 'service.time_per_output_token.mean';

/** A table of unknowns, to be filled in. */
export function emptyMeasurements(
  service: number,
  from: Measurements['from'],
  time_ns: readonly bigint[],
): Measurements {
  const column = () => new Float64Array(time_ns.length).fill(Number.NaN);
  return {
    service,
    from,
    time_ns,
    p30: column(),
    p50: column(),
    p70: column(),
    p95: column(),
    p99: column(),
    error_rate: column(),
    throughput: column(),
    requests: column(),
  };
}

/** Services with a known latency or error rate within a time range, both ends included. */
export function measuredDuring(all: Iterable<Measurements>, from_ns: bigint, to_ns: bigint): number[] {
  const found: number[] = [];
  for (const { service, time_ns, p50, p99, error_rate } of all) {
    for (let i = firstAtOrAfter(time_ns, from_ns); i < time_ns.length && time_ns[i]! <= to_ns; i++) {
      if (Number.isNaN(p50[i]!) && Number.isNaN(p99[i]!) && Number.isNaN(error_rate[i]!)) continue;
      found.push(service);
      break;
    }
  }
  return found;
}

/** The number of times before `time`. */
export function firstAtOrAfter(times: readonly bigint[], time: bigint): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (times[middle]! < time) low = middle + 1;
    else high = middle;
  }
  return low;
}
