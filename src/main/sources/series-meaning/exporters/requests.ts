import { readCounterName } from '../../../../model/telemetry/request-outcome.ts';
import { isServedDuration } from '../../../../model/telemetry/served-duration.ts';
import { genericNaming } from '../naming.ts';
import { serviceNaming } from '../serving-naming.ts';
import type { Exporter } from './exporter.ts';

/**
 * Counters of requests, and histograms of how long they took, by any program that Prometheus scrapes: they are about the service
 * that its labels name, whichever replica counts. A scrape names its target by `instance`
 * (https://prometheus.io/docs/concepts/jobs_instances/), or by its pod.
 */
export const requests: Exporter = {
  title: 'counters and durations of requests',
  names: [],
  owns: (name) => readCounterName(name) !== undefined || isServedDuration(name),
  writes: ({ labels }) => labels.has('instance') || labels.has('pod'),
  reading: () => undefined,
  naming: ({ labels }, surroundings) => serviceNaming(labels, surroundings) ?? genericNaming(labels, surroundings),
};
