import { percentText } from './percent-text.ts';

/** Requests during an impact. */
export interface AffectedRequests {
  readonly total: number;
  /** null: errors were not measured. */
  readonly failed: number | null;
  /** At least so many took longer than `slow_above_ms`, the P99 of the baseline; null: latencies were not measured. */
  readonly slow: number | null;
  readonly slow_above_ms: number | null;
}

/** `876.1 ms`, `16.84 s`: of a latency, as a reader compares it. */
export const latencyText = (ms: number): string =>
  ms < 10_000 ? `${ms} ms` : `${Number((ms / 1000).toPrecision(4))} s`;

/** `16.9 k requests, of which 780 failed (4.6 %) and at least 8.4 k took longer than 876.1 ms, the P99 of the baseline` */
export function requestsText({ total, failed, slow, slow_above_ms }: AffectedRequests): string {
  const parts = [
    ...(failed === null ? [] : [`${roundedText(failed)} failed (${percentText((100 * failed) / total)} %)`]),
    ...(slow === null || slow === 0
      ? []
      : [
          `at least ${roundedText(slow)} took longer than ${slow_above_ms === null ? 'usual' : latencyText(slow_above_ms)}, the P99 of the baseline`,
        ]),
  ];
  return `${roundedText(total)} requests${parts.length > 0 ? `, of which ${parts.join(' and ')}` : ''}`;
}

/** Three digits are what rates allow. */
const roundedText = (count: number): string =>
  count < 10_000 ? String(Number(count.toPrecision(3))) : `${Number((count / 1000).toPrecision(3))} k`;
