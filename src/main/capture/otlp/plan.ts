import { z } from 'zod';

/** `host:port`; port 0 takes a free one. */
const address = z.string().regex(/^(\[[0-9a-fA-F:.]+\]|[^\s:[\]/]+):\d{1,5}$/, 'is written host:port');

/** Listens on loopback unless told otherwise: who can reach it can write into the case. */
export const otlpPlanSchema = z
  .strictObject({
    kind: z.literal('otlp'),
    name: z.string().min(1).max(200).default('OTLP receiver').describe('what its source is called'),
    /** null: not at all. */
    grpc: address
      .nullable()
      .default('127.0.0.1:4317')
      .describe('where it listens for OTLP over gRPC; null: not at all; port 0: a free one'),
    http: address
      .nullable()
      .default('127.0.0.1:4318')
      .describe('where it listens for OTLP over HTTP; null: not at all; port 0: a free one'),
  })
  .meta({
    title: 'OpenTelemetry',
    description: 'a receiver for traces, metrics and logs: any OpenTelemetry SDK or collector can be pointed at it',
  });
