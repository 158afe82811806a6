import type { MetricName } from '../../../model/telemetry/metric.ts';
import type { HistogramFact, Reader } from '../../store/facts/reader.ts';
import { toTable } from '../impact/histogram-measurements.ts';
import type { Measurements } from '../impact/measurement-table.ts';

/** What people wait for while an answer is streamed, beside the whole request. */
export type TokenWait = 'first_token' | 'between_tokens';

/** By preference: the time per output token is a mean of each request, in which a pause is lost. */
const metrics: readonly { readonly metric: MetricName; readonly of: TokenWait }[] = [
  { metric: 'gen_ai.server.time_to_first_token', of: 'first_token' },
  { metric: 'gen_ai.server.inter_token_latency', of: 'between_tokens' },
  { metric: 'gen_ai.server.time_per_output_token', of: 'between_tokens' },
];

/** How long the tokens of a service took, by its histograms. */
export interface TokenLatency {
  readonly of: TokenWait;
  readonly measured: Measurements;
  /** A sample of each time. */
  readonly refs: ReadonlyMap<bigint, string>;
}

/** Of each service; empty without such histograms. */
export async function readTokenLatencies(reader: Reader): Promise<TokenLatency[]> {
  const wanted = new Set<string>(metrics.map(({ metric }) => metric));
  const series = (await reader.histogramSeries()).filter(
    ({ metric, kind, entity_kind }) => wanted.has(metric) && kind !== 'summary' && entity_kind === 'service',
  );
  if (series.length === 0) return [];
  const facts = await reader.serviceHistograms(series.map(({ series_id }) => series_id));
  return [...Map.groupBy(facts, ({ service }) => service)].flatMap(([service, own]) => {
    const found = new Map<TokenWait, TokenLatency>();
    for (const { metric, of } of metrics) {
      const rows = own.filter((row) => row.metric === metric);
      if (rows.length > 0 && !found.has(of)) found.set(of, latencyOf(service, of, rows));
    }
    return [...found.values()];
  });
}

const latencyOf = (service: number, of: TokenWait, rows: readonly HistogramFact[]): TokenLatency => ({
  of,
  measured: toTable(service, rows),
  refs: new Map(rows.map(({ time_ns, series_id }) => [time_ns, `metric:${series_id}@${time_ns}`])),
});
