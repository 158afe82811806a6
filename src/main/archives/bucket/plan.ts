import { z } from 'zod';
import { secretSchema } from '../../capture/plan/secret.ts';
import { addressField, requestFields } from '../connection-plan.ts';
import { partitionOf } from './partitions.ts';

/** Ids of importers whose files lie in buckets. */
const formats = [
  'otlp-json',
  'otlp-protobuf',
  'parquet',
  'flight-recorder',
  'application-log',
  'kernel-log',
  'kubernetes',
  'jaeger-json',
  'zipkin-json',
  'prometheus-json',
  'log-answers',
  'chrome-trace',
  'redfish',
  'aws-health',
  'nvsentinel',
] as const;

export const planSchema = z
  .strictObject({
    kind: z.literal('bucket'),
    ...addressField,
    bucket: z
      .string()
      .regex(/^[\w.-]{3,255}$/, 'must be the name of a bucket')
      .describe('name of the bucket; it follows the address'),
    prefixes: z
      .array(
        z.string().max(1000).refine(hasKnownTokens, 'may have %Y, %m, %d, %H and %M only, each with those before it'),
      )
      .min(1)
      .max(100)
      .default([''])
      .describe('how keys begin, with the UTC time in them: otel/year=%Y/month=%m/day=%d/hour=%H/'),
    format: z.enum(formats).default('otlp-json').describe('format of the objects'),
    region: z
      .string()
      .regex(/^[\w-]{1,100}$/)
      .default('us-east-1')
      .describe('region that requests are signed for'),
    access_key: z
      .string()
      .regex(/^[\x21-\x7e]{1,200}$/, 'must be an access key id')
      .nullable()
      .default(null)
      .describe('access key id; null: the bucket is public'),
    secret_key: secretSchema.nullable().default(null).describe('where the secret access key is'),
    session_token: secretSchema.nullable().default(null).describe('where the token of temporary credentials is'),
    ...requestFields,
    lag_s: requestFields.lag_s.unwrap().default(300).describe('how late an object may be written, in seconds'),
  })
  .refine(
    ({ access_key, secret_key, session_token }) =>
      (access_key === null) === (secret_key === null) && (session_token === null || access_key !== null),
    'a login is access_key and secret_key, with or without session_token',
  )
  .meta({
    title: 'Bucket',
    description: 'files in an S3 bucket, or one with the S3 API: MinIO, Ceph, Google Cloud Storage, gateways to Azure',
  });

export type BucketPlan = z.output<typeof planSchema>;

function hasKnownTokens(prefix: string): boolean {
  return partitionOf(prefix) !== undefined;
}
