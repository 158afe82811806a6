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
    .of('replicas_changed', 'scaling_failed')
    .filter(
      ({ device_id, time_ns, attributes }) =>
        facts.isCalled(service, 'service', scaledWorkload(device_id)) &&
        time_ns <= end_ns &&
        lastOf(time_ns, attributes['last_time_ns']) >= earliest,
    );
}

/** Kubernetes keeps one event for many alike, with the time of the last one. */
const lastOf = (time_ns: bigint, last: unknown): bigint =>
  typeof last === 'string' && /^\d+$/.test(last) ? BigInt(last) : time_ns;

/** `HorizontalPodAutoscaler inference/llm-hpa`, as events name what they are about, scales `llm`. */
const scaledWorkload = (device: string): string => workloadOfScaler(device.split(/[ /]/).at(-1)!);

/** It was scaled all the same. */
const hasGrown = (series: ServiceSeries, run: Run): boolean =>
  meanIn(series, 'replicas_wanted', run) > usualBefore(series, 'replicas_wanted', run);

/** Requests wait while the autoscaler of their service reports that it cannot scale it. */
export function blockedScalers(facts: CaseFacts, series: ServiceSeries): Sign[] {
  const { service, tracks } = series;
  return runsWhere(tracks.get('waiting'), series, servingPatterns.scaleLagSeconds, (level) =>
    isQueued(series, level),
  ).flatMap((run) => {
    const failed = scalerEvents(facts, service, run).filter(({ type }) => type === 'scaling_failed');
    const [first] = failed;
    if (!first || hasGrown(series, run)) return [];
    const waiting = Number(meanIn(series, 'waiting', run).toPrecision(3));
    return [
      {
        headline: `the autoscaler of ${facts.name(service)} could not scale it while ${waiting} requests waited on average for ${lengthText(secondsBetween(run.start_ns, run.end_ns))} (${first.message})`,
        severity: 'medium',
        start_ns: run.start_ns,
        end_ns: run.end_ns,
        entities: [service],
        evidence: [...eventLines(failed), { text: 'requests that wait', refs: refsOf(series, 'waiting', run) }],
        missing: lacks(
          tracks.has('replicas_wanted'),
          'software',
          'no wanted replicas were recorded: whether it scaled all the same is unknown',
        ),
      },
    ];
  });
}
