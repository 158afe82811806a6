import { z } from 'zod';
import { hasNoPassword } from '../capture/plan/plain-url.ts';
import { secretSchema } from '../capture/plan/secret.ts';

/** Fields that every archive over HTTP has; spread into the schema of a kind. */
export const connectionFields = {
  /** Base address: the paths of the API are appended to it. */
  url: z
    .url({ protocol: /^https?$/ })
    .refine(hasNoPassword, 'must not contain a password: set bearer or password to where it is')
    .describe('base address, with the path prefix where there is one: https://metrics.example:9090'),
  bearer: secretSchema.nullable().default(null).describe('where a bearer token is; null: none is sent'),
  user: z.string().min(1).max(200).nullable().default(null).describe('name for basic authentication; null: none'),
  password: secretSchema.nullable().default(null).describe('where the password of the user is'),
  tenant: z
    .string()
    .regex(/^[\w!.*'()|-]{1,150}$/, "has letters, digits and !-_.*'()| only")
    .nullable()
    .default(null)
    .describe('sent as X-Scope-OrgID, for archives of several tenants (Mimir, Loki, Tempo); null: none'),
  timeout_s: z.number().min(0.1).max(3600).default(120).describe('longest time of one request, in seconds'),
  attempts: z.number().int().min(1).max(20).default(6).describe('how often a failed request is made at most'),
  parallel: z.number().int().min(1).max(16).default(4).describe('requests at the same time'),
  requests_per_s: z.number().min(0.1).max(1000).default(20).describe('most requests per second'),
  slice_s: z.number().min(1).max(86_400).default(3600).describe('longest slice, in seconds'),
  lag_s: z
    .number()
    .min(0)
    .max(86_400)
    .default(30)
    .describe('how late records may arrive: later ones are left for the next pull, in seconds'),
};

export interface ConnectionPlan {
  readonly kind: string;
  readonly url: string;
  readonly bearer: string | null;
  readonly user: string | null;
  readonly password: string | null;
  readonly tenant: string | null;
  readonly timeout_s: number;
  readonly attempts: number;
  readonly parallel: number;
  readonly requests_per_s: number;
  readonly slice_s: number;
  readonly lag_s: number;
}
