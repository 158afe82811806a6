import { z } from 'zod';
import { hasNoPassword } from '../../capture/plan/plain-url.ts';
import { httpPlan, requestFields } from '../connection-plan.ts';

const name = z.string().min(1).max(200);

export const planSchema = httpPlan(
  'clickhouse',
  {
    database: name.default('default').describe('database with the tables of the OpenTelemetry exporter'),
    traces: name.nullable().default('otel_traces').describe('table of spans; null: none'),
    logs: name.nullable().default('otel_logs').describe('table of log records; null: none'),
    metrics: z
      .array(name)
      .max(20)
      .default([
        'otel_metrics_gauge',
        'otel_metrics_sum',
        'otel_metrics_histogram',
        'otel_metrics_exponential_histogram',
        'otel_metrics_summary',
      ])
      .describe('tables of metrics'),
    grafana: z
      .url({ protocol: /^https?$/ })
      .refine(hasNoPassword, 'must not contain a password')
      .nullable()
      .default(null)
      .describe('base address of the Grafana that has the dashboard of archive init, for links to it; null: none'),
    // A query has all threads of its server; the next one is answered while a slice is imported.
    parallel: requestFields.parallel.default(2),
    slice_s: requestFields.slice_s.default(21_600),
    memory_gib: z.number().int().min(1).max(1024).default(8).describe('most memory of one query, in GiB'),
  },
  {
    title: 'ClickHouse',
    description: 'traces, logs and metrics as the ClickHouse exporter of the OpenTelemetry collector stores them',
  },
);

export type ClickHousePlan = z.output<typeof planSchema>;
