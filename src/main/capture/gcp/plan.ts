import { z } from 'zod';
import { hasNoPassword } from '../plan/plain-url.ts';

const service = z.url({ protocol: /^https?$/ }).refine(hasNoPassword, 'must not contain a password');

export const gcpPlanSchema = z
  .strictObject({
    kind: z.literal('gcp'),
    /** null: `GCP` and the project. */
    name: z
      .string()
      .min(1)
      .max(200)
      .nullable()
      .default(null)
      .describe('name of its data source; null: GCP and the project'),
    /** The project whose instances are polled; null: only this machine, by its metadata server. */
    project: z
      .string()
      .regex(/^[a-z][a-z0-9.:-]{1,60}$/, 'is the id of a project')
      .nullable()
      .default(null)
      .describe('the project whose instances are polled; null: only this machine, by its metadata server'),
    /** A filter of the Compute API: `labels.cluster=a`; null: all instances. */
    filter: z
      .string()
      .min(1)
      .max(1000)
      .nullable()
      .default(null)
      .describe('filter of the Compute API: labels.cluster=a; null: all instances'),
    every_s: z.number().min(1).max(3600).default(60).describe('poll interval in seconds'),
    timeout_s: z.number().min(0.1).max(300).default(20).describe('request timeout in seconds'),
    /** Endpoint of the Compute API, for private endpoints. */
    endpoint: service
      .default('https://compute.googleapis.com')
      .describe('endpoint of the Compute API, for private endpoints'),
    metadata_endpoint: service
      .default('http://metadata.google.internal')
      .describe('address of the metadata server of this machine'),
  })
  .meta({ title: 'Google Cloud', description: 'maintenance of instances, by the Compute API or the metadata server' });
export type GcpPlan = z.output<typeof gcpPlanSchema>;
