import { z } from 'zod';
import { hasNoPassword } from '../plan/plain-url.ts';
import { secretSchema } from '../plan/secret.ts';

/** Where a running capture pushes its findings. */
export const pushSchema = z
  .strictObject({
    /** Any OTLP/HTTP receiver: incidents as traces, hypotheses as log records, numbers as metrics. */
    otlp: z
      .strictObject({
        url: z
          .url({ protocol: /^https?$/ })
          .refine(hasNoPassword, 'must not contain a password: set headers to where a token is'),
        headers: z.record(z.string().regex(/^[\w-]{1,100}$/), secretSchema).default({}),
        every_s: z.number().min(1).max(3600).default(10),
      })
      .nullable()
      .default(null),
    /** A /metrics page for Prometheus. */
    prometheus: z
      .strictObject({
        listen: z
          .string()
          .regex(/^(\[[0-9a-fA-F:.]+\]|[^\s:[\]/]+):\d{1,5}$/, 'is written host:port')
          .default('127.0.0.1:9464'),
        every_s: z.number().min(1).max(3600).default(10),
      })
      .nullable()
      .default(null),
  })
  .default({ otlp: null, prometheus: null });
export type PushPlan = z.output<typeof pushSchema>;

/** Names in a capture and its test. */
export const pushNames = { otlp: 'OTLP push', prometheus: 'Prometheus page' } as const;
