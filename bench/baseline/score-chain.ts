import type { EventFact } from '../../src/core/store/facts/reader.ts';
import type { CorrelateOptions } from '../../src/model/incident/incident.ts';

/** The edge score of DESIGN section 6, averaged over the chain; 0 for no chain. */
export function scoreChain(
  chain: readonly EventFact[],
  mappings: readonly ('mapped' | 'other' | 'unmapped')[],
  onset_ns: bigint,
  options: CorrelateOptions,
): number {
  const scores = chain.map((event, i) => {
    const mapped = mappings[i];
    const lag_s = Number(onset_ns - event.time_ns) / 1e9;
    const before = chain[i - 1];
    const gap_s = before ? Number(event.time_ns - before.time_ns) / 1e9 : 0;
    const mapping = mapped === 'unmapped' ? 0.2 : mapped === 'mapped' ? 0 : 0.08;
    const severity = event.severity === 3 ? 0.05 : event.severity === 2 ? 0.02 : 0;
    const lag = lag_s > 30 ? 0.25 : (Math.max(0, lag_s) / options.lag) * 0.06;
    const gap = gap_s > 30 ? 0.25 : gap_s >= 10 ? 0.1 : 0;
    return Math.min(0.99, Math.max(0.3, 0.9 - mapping - severity - lag - gap));
  });
  return scores.length === 0 ? 0 : scores.reduce((sum, score) => sum + score, 0) / scores.length;
}
