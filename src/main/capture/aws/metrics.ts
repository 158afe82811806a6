import type { CloudWatchClient, MetricDataQuery } from '@aws-sdk/client-cloudwatch';
import type { AwsPlan } from './plan.ts';

/** Points of a period can arrive so long after it. */
const SETTLED_MS = 120_000;
/** Limit of GetMetricData. */
const QUERIES_AT_ONCE = 500;

/** Failed checks use the maximum, counts the sum, all others the average. */
const statisticOf = (metric: string): string =>
  metric.startsWith('StatusCheck')
    ? 'Maximum'
    : /^(Network|Disk|EBS)(In|Out|Read|Write|Packets)/.test(metric)
      ? 'Sum'
      : 'Average';

/**
 * Metrics of the instances since a time. Labels contain instance and metric, for the importer.
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
  // Values of an unfinished period can still change.
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
