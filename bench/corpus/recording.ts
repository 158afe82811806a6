import type { Alias, Severity } from '../../src/model/entity.ts';
import type { EventType } from '../../src/model/telemetry/event-catalog.ts';
import type { EdgeKind } from '../../src/model/topology.ts';
import type { EntityRef, Label } from './label.ts';

/** What was recorded of one incident. Times are seconds after `start_ns`, by the clock of the recorder. */
export interface Recording {
  readonly start_ns: bigint;
  readonly edges: readonly RecordedEdge[];
  /** Aliases from the inventory, which some data sources use. */
  readonly aliases: readonly Named[];
  /** Files of events, one per source and clock. */
  readonly sources: readonly EventSource[];
  readonly services: readonly ServiceTelemetry[];
  /** Everything else that was measured. */
  readonly samples: readonly SampleSeries[];
  readonly spans: readonly RecordedSpan[];
  readonly logs: readonly RecordedLog[];
}

export interface Named {
  readonly entity: EntityRef;
  readonly alias: Alias;
}

export interface RecordedEdge {
  readonly from: EntityRef;
  readonly kind: EdgeKind;
  readonly to: EntityRef;
  readonly valid_from_s?: number;
  readonly valid_to_s?: number;
}

export interface EventSource {
  readonly name: string;
  readonly events: readonly RecordedEvent[];
}

export interface RecordedEvent {
  readonly id: string;
  readonly at_s: number;
  readonly entity: EntityRef;
  readonly type: EventType;
  readonly severity: Severity;
  readonly message: string;
}

/** Gauges of DESIGN section 6; NaN is a gap. */
export interface GaugeRow {
  readonly at_s: number;
  readonly p50: number;
  readonly p99: number;
  readonly error_rate: number;
  readonly throughput: number;
}

/** One export of a cumulative `http.server.request.duration`: counts so far per bound (seconds), one more at the end. */
export interface HistogramRow {
  readonly at_s: number;
  readonly ok: readonly number[];
  readonly failed: readonly number[];
}

export type ServiceTelemetry =
  | { readonly form: 'gauges'; readonly service: string; readonly rows: readonly GaugeRow[] }
  | { readonly form: 'histograms'; readonly service: string; readonly rows: readonly HistogramRow[] };

export interface SampleSeries {
  readonly entity: EntityRef;
  readonly metric: string;
  readonly unit: string;
  readonly rows: readonly { readonly at_s: number; readonly value: number }[];
}

export interface RecordedSpan {
  readonly service: string;
  readonly trace: string;
  readonly id: string;
  readonly parent: string;
  readonly name: string;
  /** OTLP: 2 server, 3 client. */
  readonly kind: 2 | 3;
  readonly start_s: number;
  readonly end_s: number;
  readonly failed: boolean;
}

export interface RecordedLog {
  readonly service: string;
  readonly at_s: number;
  /** OTLP severity number: 9 INFO, 13 WARN, 17 ERROR. */
  readonly severity: 9 | 13 | 17;
  readonly body: string;
}

/** Upper bounds of the buckets, seconds: the semantic conventions' advice for HTTP, longer for inference and training. */
export const BOUNDS_S = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 25, 60] as const;

export interface CorpusIncident {
  readonly label: Label;
  readonly recording: Recording;
}

/** Seconds of the recording as nanoseconds since 1970, to the microsecond. */
export const instant = (recording: Pick<Recording, 'start_ns'>, at_s: number): bigint =>
  recording.start_ns + BigInt(Math.round(at_s * 1e6)) * 1000n;
