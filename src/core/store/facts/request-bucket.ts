import type { ServicePart } from '../../../model/incident/incident.ts';

/** Requests of a service, or steps of a job, in one interval. */
export interface RequestBucketFact {
  readonly service: number;
  readonly width_ns: bigint;
  /** End of the interval. */
  readonly time_ns: bigint;
  /** Of spans: first and last start in the interval. Of logs: where its records begin and may end. */
  readonly first_ns: bigint;
  readonly last_ns: bigint;
  /** Of spans: when the last of them ended; undefined where that is not known. */
  readonly last_end_ns?: bigint;
  readonly requests: number;
  /** Milliseconds; null where no duration was recorded. */
  readonly p30: number | null;
  readonly p50: number | null;
  readonly p70: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
  /** Percent; null of steps. */
  readonly error_rate: number | null;
  readonly throughput: number;
}

/** Steps of one process of a job in one interval. */
export interface StepBucketFact extends RequestBucketFact {
  /** `rank-3`; of a process that names no rank, its place or entity. */
  readonly name: string;
}

/** Requests of one part of those of a service in one interval. */
export interface PartBucketFact extends Omit<RequestBucketFact, 'width_ns' | 'first_ns' | 'last_ns' | 'throughput'> {
  readonly part: ServicePart['kind'];
  readonly name: string;
}
