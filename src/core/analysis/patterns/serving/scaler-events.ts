import { workloadOfScaler } from '../../../../model/telemetry/workload-name.ts';
import { nanoseconds } from '../../../../model/time.ts';
import { meanIn, type Run, refsOf, runsWhere, usualBefore } from '../../serving/runs.ts';
import type { ServiceSeries } from '../../serving/service-series.ts';
import type { CaseFacts, PatternEvent } from '../case-facts.ts';
import { eventLines } from '../episodes.ts';
import { lengthText, secondsBetween } from '../finding-text.ts';
import { lacks, type Sign } from '../pattern.ts';
import { servingPatterns } from './parameters.ts';
import { isQueued } from './queued.ts';

interface Span {
  readonly start_ns: bigint;
  readonly end_ns: bigint;
}

/** Events of the autoscaler of a service, of a time and the lag before it. */
export function scalerEvents(facts: CaseFacts, service: number, { start_ns, end_ns }: Span): PatternEvent[] {
  const earliest = start_ns - nanoseconds(servingPatterns.scaleLagSeconds);
  return facts
    .of('replicas_changed', 'scaling_failed', 'scaling_limited')
    .filter(
      ({ device_id, time_ns, attributes }) =>
        facts.isCalled(service, 'service', scaledWorkload(device_id, attributes['scales'])) &&
        time_ns <= end_ns &&
        lastOf(time_ns, attributes['last_time_ns']) >= earliest,
    );
}

/** Kubernetes keeps one event for many alike, with the time of the last one. */
const lastOf = (time_ns: bigint, last: unknown): bigint =>
  typeof last === 'string' && /^\d+$/.test(last) ? BigInt(last) : time_ns;

/** What the autoscaler itself states; else `HorizontalPodAutoscaler inference/llm-hpa`, as events name what they are about, scales `llm`. */
const scaledWorkload = (device: string, stated: unknown): string =>
  typeof stated === 'string' ? stated.split('/').at(-1)! : workloadOfScaler(device.split(/[ /]/).at(-1)!);

/** It was scaled all the same. */
const hasGrown = (series: ServiceSeries, run: Run): boolean =>
  meanIn(series, 'replicas_wanted', run) > usualBefore(series, 'replicas_wanted', run);

/** Requests wait while the autoscaler of their service reports that it cannot scale it, or that it may not. */
export function blockedScalers(facts: CaseFacts, series: ServiceSeries): Sign[] {
  const { service, tracks } = series;
  return runsWhere(tracks.get('waiting'), series, servingPatterns.scaleLagSeconds, (level) =>
    isQueued(series, level),
  ).flatMap((run) => {
    const events = scalerEvents(facts, service, run);
    const limited = events.filter(({ type }) => type === 'scaling_limited');
    const failed = events.filter(({ type }) => type === 'scaling_failed');
    const blocked = limited.length > 0 ? limited : failed;
    const [first] = blocked;
    if (!first || (limited.length === 0 && hasGrown(series, run))) return [];
    const limit = first.attributes['replicas_limit'];
    const may = limited.length > 0 ? `may not run more than ${limit ?? 'the replicas it has'}` : 'could not scale it';
    const waiting = Number(meanIn(series, 'waiting', run).toPrecision(3));
    return [
      {
        headline: `the autoscaler of ${facts.name(service)} ${may} while ${waiting} requests waited on average for ${lengthText(secondsBetween(run.start_ns, run.end_ns))} (${first.message})`,
        severity: 'medium',
        start_ns: run.start_ns,
        end_ns: run.end_ns,
        entities: [service],
        evidence: [...eventLines(blocked), { text: 'requests that wait', refs: refsOf(series, 'waiting', run) }],
        missing: lacks(
          tracks.has('replicas_wanted'),
          'software',
          'no wanted replicas were recorded: whether it scaled all the same is unknown',
        ),
      },
    ];
  });
}
