import type { Exemplar } from '../series-meaning/point-writer.ts';
import type { Labels, ScrapedType } from '../series-meaning/scraped.ts';
import type { NativeHistogram } from './native-histogram.ts';
import type { WrittenSample } from './sample.ts';

/**
 * A series of a remote-write request: `prometheus.WriteRequest` (https://prometheus.io/docs/specs/prw/remote_write_spec/) or
 * `io.prometheus.write.v2.Request` (https://prometheus.io/docs/specs/prw/remote_write_spec_2_0/). Times are nanoseconds since
 * 1970; a `start_ns` of 0 is unknown.
 */
export interface WrittenSeries {
  readonly name: string;
  /** Without `__name__`. */
  readonly labels: Labels;
  readonly type: ScrapedType;
  readonly unit: string;
  readonly help: string;
  readonly samples: readonly WrittenSample[];
  readonly histograms: readonly NativeHistogram[];
  readonly exemplars: readonly Exemplar[];
}

/** Types of metadata by their number, the same in both versions. */
export const metricTypes: readonly ScrapedType[] = [
  'unknown',
  'counter',
  'gauge',
  'histogram',
  'gaugehistogram',
  'summary',
  'info',
  'stateset',
];

/** Compressed and decompressed bytes of a request; senders have some thousand samples in one. */
export const MOST_REQUEST_BYTES = 64 * 1024 * 1024;
