import { z } from 'zod';

/** `host:port`; port 0 takes a free one. */
const address = z.string().regex(/^(\[[0-9a-fA-F:.]+\]|[^\s:[\]/]+):\d{1,5}$/, 'is written host:port');

/** Listens on loopback by default: everyone who can reach it can write into the case. */
export const otlpPlanSchema = z
  .strictObject({
    kind: z.literal('otlp'),
    name: z.string().min(1).max(200).default('OTLP receiver').describe('name of its data source'),
    /** null: disabled. */
    grpc: address
      .nullable()
      .default('127.0.0.1:4317')
      .describe('address for OTLP over gRPC; null: disabled; port 0: a free one'),
    http: address
      .nullable()
      .default('127.0.0.1:4318')
      .describe('address for OTLP over HTTP, and for Prometheus remote write; null: disabled; port 0: a free one'),
  })
  .meta({
    title: 'OpenTelemetry',
    description:
      'a receiver of traces, metrics and logs, for any OpenTelemetry SDK or collector, and of what Prometheus sends by remote write',
  });
