import type { SqlValue } from '../../../model/storage/engine.ts';
import { withoutSteps } from '../../../model/telemetry/training-metrics.ts';
import { queries } from '../queries/index.ts';

/** A baseline and the window that is compared with it; nanoseconds on the case's clock, ends exclusive. */
export interface Phases {
  readonly before_from_ns: bigint;
  readonly before_to_ns: bigint;
  readonly window_from_ns: bigint;
  readonly window_to_ns: bigint;
}

/** Spans of one service, name and kind in one phase (0 baseline, 1 window); with `of_instance` of one instance only. */
export interface SpanShiftFact {
  readonly service: number;
  readonly name: string;
  /** OTLP span kind: 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  readonly kind: number;
  readonly phase: number;
  readonly instance: string;
  readonly of_instance: boolean;
  /** Calls of a service that records no spans of its own, as its callers measured them: `service` is the one that was called. */
  readonly as_called: boolean;
  readonly spans: number;
  /** Of these, spans by which the service was entered. */
  readonly entries: number;
  readonly errors: number;
  /** Errors of which no child failed. */
  readonly originating: number;
  /** Spans with a child in another service, and which service that mostly is (-1: none). */
  readonly answered: number;
  readonly callee: number;
  /** Spans whose self time exceeds that of 95 % of the baseline's spans. */
  readonly above: number;
  readonly self_mean_ms: number;
  readonly self_p50_ms: number;
  readonly self_p95_ms: number;
  /** Mean duration of the entry spans; 0 when there are none. */
  readonly entry_mean_ms: number;
  /** `span:TRACE/SPAN` of an example: the last originating error, else the one of longest self time. */
  readonly ref: string;
}

/** A step that spans of one name used to take, a child of one name, and take half as often or less. */
export interface SpanStepFact {
  readonly service: number;
  readonly name: string;
  readonly next_service: number;
  readonly next_name: string;
  /** Spans of the baseline and the window of which no child failed, and how many of them took the step. */
  readonly before_runs: number;
  readonly before_taken: number;
  readonly window_runs: number;
  readonly window_taken: number;
  readonly ref: string;
}

/** Equal log texts of one service. */
export interface LogBodyFact {
  /** -1: the resource names no entity. */
  readonly service: number;
  /** Severity of error or worse. */
  readonly failure: boolean;
  readonly body: string;
  /** The service whose failed call it is about, as the line names it; '' for none. */
  readonly called: string;
  /** A reason in software that the line states; '' for none. */
  readonly reason: string;
  readonly before_lines: number;
  readonly window_lines: number;
  readonly before_seconds: number;
  readonly window_seconds: number;
  /** Null in the phase in which it was not seen. */
  readonly before_first_ns: bigint | null;
  readonly before_last_ns: bigint | null;
  readonly window_first_ns: bigint | null;
  readonly window_last_ns: bigint | null;
  /** `log:SOURCE/ROW` of the first line in the window. */
  readonly ref: string | null;
}

/** One series in the baseline and in the window; of counters the rate per second. */
export interface MetricShiftFact {
  readonly series_id: number;
  readonly metric: string;
  readonly unit: string;
  readonly entity: number;
  /** JSON object text, or ''. */
  readonly attributes: string;
  readonly is_rate: boolean;
  readonly before_points: number;
  readonly before_median: number;
  readonly before_min: number;
  readonly before_max: number;
  /** Robust standard deviation of the baseline; 0 when it is constantly zero. */
  readonly spread: number;
  readonly window_points: number;
  readonly window_median: number;
  readonly window_min: number;
  readonly window_max: number;
  /** Series that have points in both. */
  readonly series_count: number;
}

/** Queries of the software layer; answers are sums over spans, log lines and points, never the rows. */
/** A pod whose processor time began to be counted during the recording. Times are of the source's clock. */
export interface CounterBegunFact {
  readonly entity: number;
  readonly series_id: number;
  readonly metric: string;
  readonly source_id: number;
  /** When the counter was zero. */
  readonly start_ns: bigint;
  /** Its first sample, in seconds. */
  readonly time_ns: bigint;
  readonly value: number;
  /** Its rate from there to the second sample. */
  readonly cores: number;
  /** Between these two samples. */
  readonly floor_s: number;
}

export interface SoftwareReader {
  spanShifts(phases: Phases): Promise<SpanShiftFact[]>;
  spanSteps(phases: Phases): Promise<SpanStepFact[]>;
  /** Stretches of the log, each answered when it is asked for. */
  logBodies(phases: Phases): AsyncIterable<readonly LogBodyFact[]>;
  /** Without the number and time of training steps. */
  metricShifts(phases: Phases, most: number): Promise<MetricShiftFact[]>;
  /** In order of time. @param metrics a regular expression. @see queries/samples/counters-begun.sql for the limits */
  countersBegun(limits: {
    readonly metrics: string;
    readonly distances: number;
    readonly same_s: number;
  }): Promise<CounterBegunFact[]>;
  /** First and last time of any record; null for an empty case. */
  recordedRange(): Promise<{ readonly from_ns: bigint; readonly to_ns: bigint } | null>;
}

export type RunQuery = <T>(sql: string, values?: readonly SqlValue[]) => Promise<T[]>;

/** Spans that are joined with their parents and children; of more, a share of the traces. */
const MOST_JOINED = 500_000;
/** Rows of the log per query: one row group of DuckDB's. */
const LOG_BLOCK = 122_880n;

const bounds = ({ before_from_ns, before_to_ns, window_from_ns, window_to_ns }: Phases) =>
  [before_from_ns, before_to_ns, window_from_ns, window_to_ns] as const;

export function createSoftwareReader(runQuery: RunQuery): SoftwareReader {
  const joined = async <T>(query: string, phases: Phases): Promise<T[]> => {
    const times = bounds(phases);
    const [counted] = await runQuery<{ spans: number }>(queries.spansBetween, [
      times.reduce((a, b) => (a < b ? a : b)),
      times.reduce((a, b) => (a > b ? a : b)),
    ]);
    if (!counted?.spans) return [];
    const share = 2 ** Math.max(0, Math.ceil(Math.log2(counted.spans / MOST_JOINED)));
    return runQuery(query, [...times, BigInt(share)]);
  };
  return {
    spanShifts: (phases) => joined(queries.spanShifts, phases),
    spanSteps: (phases) => joined(queries.spanSteps, phases),
    logBodies: async function* (phases) {
      const [last] = await runQuery<{ rows: bigint }>('select coalesce(max(rowid), -1)::bigint + 1 as rows from log');
      for (let from = 0n; from < (last?.rows ?? 0n); from += LOG_BLOCK)
        yield await runQuery<LogBodyFact>(queries.logBodies, [...bounds(phases), from, from + LOG_BLOCK]);
    },
    metricShifts: async (phases, most) =>
      withoutSteps(await runQuery<MetricShiftFact>(queries.metricShifts, [...bounds(phases), BigInt(most)])),
    countersBegun: ({ metrics, distances, same_s }) => runQuery(queries.countersBegun, [metrics, distances, same_s]),
    recordedRange: async () => {
      const [range] = await runQuery<{ from_ns: bigint | null; to_ns: bigint | null }>(
        'select min(first_ns + clock_offset_ns) as from_ns, max(last_ns + clock_offset_ns) as to_ns from source',
      );
      return range?.from_ns != null && range.to_ns !== null ? { from_ns: range.from_ns, to_ns: range.to_ns } : null;
    },
  };
}
