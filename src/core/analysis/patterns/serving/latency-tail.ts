import { measurementRef } from '../../impact/measurement-ref.ts';
import type { Measurements } from '../../impact/measurement-table.ts';
import { median } from '../../statistics.ts';
import type { CaseFacts } from '../case-facts.ts';
import { lacks, type Pattern, type Sign } from '../pattern.ts';
import { servingPatterns } from './parameters.ts';

const MOST_REFS = 10;
/** Measurements before, of which the baseline is the median. */
const MOST_BASELINE = 60;

/** The p99 of a service that serves a model is several times its baseline. */
export const latencyTail: Pattern = {
  id: 'latency-tail',
  detect: (facts) =>
    facts.rows.serving.flatMap(({ service }) => {
      const measured = facts.rows.measurements.get(service);
      return measured ? longTails(measured).map((tail) => toSign(facts, service, tail)) : [];
    }),
};

interface Tail {
  /** Milliseconds. */
  readonly before: number;
  readonly peak: number;
  readonly p50_before: number;
  readonly p50: number;
  readonly times: readonly bigint[];
}

function longTails({ time_ns, p99, p50 }: Measurements): Tail[] {
  const tails: number[][] = [];
  const usual: number[] = [];
  let open: number[] = [];
  const close = (): void => {
    if (open.length >= servingPatterns.tailMeasurements) tails.push(open);
    open = [];
  };
  for (let i = 0; i < time_ns.length; i++) {
    const value = p99[i]!;
    if (Number.isNaN(value)) continue;
    if (usual.length >= servingPatterns.tailBaseline && value >= servingPatterns.tailTimes * median(usual))
      open.push(i);
    else {
      close();
      usual.push(value);
      if (usual.length > MOST_BASELINE) usual.shift();
    }
  }
  close();
  return tails.map((rows) => {
    const first = rows[0]!;
    const earlier = (column: Float64Array): number =>
      median([...column.subarray(0, first)].filter((value) => !Number.isNaN(value)));
    return {
      before: earlier(p99),
      peak: rows.reduce((most, i) => Math.max(most, p99[i]!), 0),
      p50_before: earlier(p50),
      p50: median(rows.map((i) => p50[i]!).filter((value) => !Number.isNaN(value))),
      times: rows.map((i) => time_ns[i]!),
    };
  });
}

function toSign(facts: CaseFacts, service: number, { before, peak, p50_before, p50, times }: Tail): Sign {
  const name = facts.name(service);
  const series = facts.rows.serving.find((one) => one.service === service);
  const most = Number.isFinite(p50 / p50_before)
    ? `, its median ${milliseconds(p50_before)} -> ${milliseconds(p50)}`
    : '';
  return {
    headline: `p99 of ${name} rose to ${Number((peak / before).toPrecision(2))} times its baseline: ${milliseconds(before)} -> ${milliseconds(peak)}${most}`,
    severity: 'medium',
    start_ns: times[0]!,
    end_ns: times.at(-1)!,
    entities: [service],
    evidence: [
      { text: `p99 of ${name}`, refs: times.slice(0, MOST_REFS).map((time_ns) => measurementRef(name, time_ns)) },
    ],
    missing: lacks(
      series?.tracks.has('waiting') === true || series?.tracks.has('queue_wait') === true,
      'traces',
      'no queue was recorded: waiting and computing cannot be distinguished',
    ),
  };
}

const milliseconds = (value: number): string => `${Number(value.toPrecision(3))} ms`;
