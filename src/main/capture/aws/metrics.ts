import type { CloudWatchClient, MetricDataQuery } from '@aws-sdk/client-cloudwatch';
import type { AwsPlan } from './plan.ts';

/** Points of a period come in for a while after it. */
const SETTLED_MS = 120_000;
/** GetMetricData takes no more. */
const QUERIES_AT_ONCE = 500;

/** A failed check in a period is a failed check; what counts is summed, all else averaged. */
const statisticOf = (metric: string): string =>
  metric.startsWith('StatusCheck')
    ? 'Maximum'
    : /^(Network|Disk|EBS)(In|Out|Read|Write|Packets)/.test(metric)
      ? 'Sum'
      : 'Average';

/**
 * Metrics of the instances since a moment. Labels bear instance and metric, by which the importer knows them.
 *
 * @throws errors of the SDK
 */
export async function metricsSince(
  client: CloudWatchClient,
  { instances, metrics, namespace, period_s }: AwsPlan,
  from: Date,
  signal: AbortSignal,
): Promise<readonly object[]> {
  const { GetMetricDataCommand } = await import('@aws-sdk/client-cloudwatch');
  const queries = instances.flatMap((instance) =>
    metrics.map((metric): Omit<MetricDataQuery, 'Id'> => {
      const dimensions = [{ Name: 'InstanceId', Value: instance }];
      const Metric = { Namespace: namespace, MetricName: metric, Dimensions: dimensions };
      return { Label: `${instance} ${metric}`, MetricStat: { Metric, Period: period_s, Stat: statisticOf(metric) } };
    }),
  );
  // What is told of a period that is not over yet is not what will be told of it.
  const until = new Date(Math.floor((Date.now() - SETTLED_MS) / (period_s * 1000)) * period_s * 1000);
  if (until <= from) return [];
  const answers: object[] = [];
  for (let at = 0; at < queries.length; at += QUERIES_AT_ONCE) {
    const MetricDataQueries = queries.slice(at, at + QUERIES_AT_ONCE).map((query, i) => ({ ...query, Id: `m${i}` }));
    let NextToken: string | undefined;
    do {
      const range = { StartTime: from, EndTime: until, ScanBy: 'TimestampAscending' as const };
      const command = new GetMetricDataCommand({ MetricDataQueries, ...range, ...(NextToken ? { NextToken } : {}) });
      const page = await client.send(command, { abortSignal: signal });
      answers.push({ MetricDataResults: page.MetricDataResults ?? [] });
      NextToken = page.NextToken;
    } while (NextToken !== undefined);
  }
  return answers;
}
