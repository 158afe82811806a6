import { type Fact, START } from './matrix.ts';

/** A series over time, as Prometheus names it. */
export interface Sampled {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** One for each of {@link TIMES}. */
  readonly values: readonly number[];
}

/** What happened, as series over time; its findings and incidents must be the same from every container. */
export interface Story extends Fact {
  readonly series: readonly Sampled[];
  readonly wanted: { readonly findings: readonly string[]; readonly incidents: readonly string[] };
}

export const STEP_S = 15;
/** Half an hour, s since 1970. */
export const TIMES: readonly number[] = Array.from({ length: 120 }, (_, i) => START + i * STEP_S);
/** Bounds of the histogram, s. */
export const BOUNDS: readonly number[] = [0.1, 0.3, 0.5, 1, 2, 5, 10];
export const HISTOGRAM = 'http_server_request_duration_seconds';
