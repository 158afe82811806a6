/**
 * Measurements of one service over time, from any kind of data. Rows ascend by `time_ns`; NaN is unknown.
 * Latencies in ms, error rate in percent, throughput in requests per second.
 */
export interface Measurements {
  readonly service: number;
  readonly from: 'gauges' | 'histograms' | 'counters' | 'spans';
  readonly time_ns: readonly bigint[];
  readonly p50: Float64Array;
  readonly p95: Float64Array;
  readonly p99: Float64Array;
  readonly error_rate: Float64Array;
  readonly throughput: Float64Array;
  /** Requests behind each row; for gauges, which are rates, those of one interval; NaN without a rate. */
  readonly requests: Float64Array;
}

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
    p50: column(),
    p95: column(),
    p99: column(),
    error_rate: column(),
    throughput: column(),
    requests: column(),
  };
}
