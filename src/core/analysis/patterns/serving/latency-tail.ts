import { nanoseconds } from '../../../../model/time.ts';
import { measurementRef } from '../../impact/measurement-ref.ts';
import type { Measurements } from '../../impact/measurement-table.ts';
import type { TokenLatency, TokenWait } from '../../serving/token-latency.ts';
import { median } from '../../statistics.ts';
import type { CaseFacts } from '../case-facts.ts';
import { lacks, type Pattern, type Sign } from '../pattern.ts';
import { servingPatterns } from './parameters.ts';

const MOST_REFS = 10;
/** Measurements before, of which the baseline is the median. */
const MOST_BASELINE = 60;

/** The p99 of a service that serves a model, or of what its clients wait for while it answers, is several times its baseline. */
export const latencyTail: Pattern = {
  id: 'latency-tail',
  detect: (facts) => [
    ...facts.rows.serving.flatMap(({ service }) => {
      const measured = facts.rows.measurements.get(service);
      return measured ? longTails(measured).map((tail) => requestSign(facts, service, tail)) : [];
    }),
    ...facts.rows.tokenLatencies.flatMap((latency) =>
      longTails(latency.measured)
        .filter(lasts)
        .map((tail) => tokenSign(facts, latency, tail)),
    ),
  ],
};

interface Tail {
  /** Milliseconds. */
  readonly before: number;
  readonly peak: number;
  readonly p50_before: number;
  readonly p50: number;
  readonly times: readonly bigint[];
}

/** Few answers begin in one interval, and a burst of long prompts is over in the next. */
const lasts = ({ times }: Tail): boolean => times.at(-1)! - times[0]! >= nanoseconds(servingPatterns.tokenTailSeconds);

function longTails({ time_ns, p99, p50 }: Measurements): Tail[] {
  return longRows(p99).map((rows) => {
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

/** Rows of each long tail. A tail about the limit is above it with interruptions, and is one. */
function longRows(p99: Float64Array): number[][] {
  const tails: number[][] = [];
  const usual: number[] = [];
  let open: number[] = [];
  const close = (): void => {
    const before = tails.at(-1);
    const isApart = !before || (open[0] ?? 0) - before.at(-1)! > servingPatterns.tailApart;
    if (open.length >= servingPatterns.tailMeasurements) {
      if (isApart) tails.push(open);
      else before.push(...open);
    }
    open = [];
  };
  for (let i = 0; i < p99.length; i++) {
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
  return tails;
}

function requestSign(facts: CaseFacts, service: number, tail: Tail): Sign {
  const name = facts.name(service);
  const refs = tail.times.slice(0, MOST_REFS).map((time_ns) => measurementRef(name, time_ns));
  return toSign(facts, service, tail, { what: `p99 of ${name}`, its: 'its median', refs });
}

const waits: Readonly<Record<TokenWait, string>> = {
  first_token: 'the time to the first token',
  between_tokens: 'the time between tokens',
};

function tokenSign(facts: CaseFacts, { of, measured, refs }: TokenLatency, tail: Tail): Sign {
  const { service } = measured;
  return toSign(facts, service, tail, {
    what: `p99 of ${waits[of]} of ${facts.name(service)}`,
    its: 'the median',
    refs: tail.times.flatMap((time_ns) => refs.get(time_ns) ?? []).slice(0, MOST_REFS),
  });
}

interface Wording {
  readonly what: string;
  readonly its: string;
  readonly refs: readonly string[];
}

function toSign(
  facts: CaseFacts,
  service: number,
  { before, peak, p50_before, p50, times }: Tail,
  { what, its, refs }: Wording,
): Sign {
  const series = facts.rows.serving.find((one) => one.service === service);
  const most = Number.isFinite(p50 / p50_before) ? `, ${its} ${milliseconds(p50_before)} -> ${milliseconds(p50)}` : '';
  return {
    headline: `${what} rose to ${Number((peak / before).toPrecision(2))} times its baseline: ${milliseconds(before)} -> ${milliseconds(peak)}${most}`,
    severity: 'medium',
    start_ns: times[0]!,
    end_ns: times.at(-1)!,
    entities: [service],
    evidence: [{ text: what, refs: [...refs] }],
    missing: lacks(
      series?.tracks.has('waiting') === true || series?.tracks.has('queue_wait') === true,
      'traces',
      'no queue was recorded: waiting and computing cannot be distinguished',
    ),
  };
}

const milliseconds = (value: number): string => `${Number(value.toPrecision(3))} ms`;
