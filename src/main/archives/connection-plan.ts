import { z } from 'zod';
import { hasNoPassword } from '../capture/plan/plain-url.ts';
import { secretSchema } from '../capture/plan/secret.ts';

/** Where an archive is. */
export const addressField = {
  /** Base address: the paths of the API are appended to it. */
  url: z
    .url({ protocol: /^https?$/ })
    .refine(hasNoPassword, 'must not contain a password: name where it is in another field')
    .describe('base address, with the path prefix where there is one: https://metrics.example:9090'),
};

/** How an archive is asked: fields of every plan. */
export const requestFields = {
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

const loginFields = {
  bearer: secretSchema.nullable().default(null).describe('where a bearer token is; null: none is sent'),
  user: z.string().min(1).max(200).nullable().default(null).describe('name for basic authentication; null: none'),
  password: secretSchema.nullable().default(null).describe('where the password of the user is'),
  tenant: z
    .string()
    .regex(/^[\w!.*'()|-]{1,150}$/, "has letters, digits and !-_.*'()| only")
    .nullable()
    .default(null)
    .describe('sent as X-Scope-OrgID, for archives of several tenants (Mimir, Loki, Tempo); null: none'),
};

/** What the plans of all archives have. */
export interface ConnectionPlan {
  readonly kind: string;
  readonly url: string;
  readonly timeout_s: number;
  readonly attempts: number;
  readonly parallel: number;
  readonly requests_per_s: number;
  readonly slice_s: number;
  readonly lag_s: number;
}

/** Of archives with the usual logins of HTTP: a token, or a name and a password. */
export interface LoginPlan extends ConnectionPlan {
  readonly bearer: string | null;
  readonly user: string | null;
  readonly password: string | null;
  readonly tenant: string | null;
}

/**
 * The plan of a kind of archive that is reached over HTTP: its own fields within those that all of them have.
 *
 * @param fields may replace a common one: another default
 */
export const httpPlan = <K extends string, F extends z.ZodRawShape>(
  kind: K,
  fields: F,
  about: { readonly title: string; readonly description: string },
) =>
  z
    // A form has them in this order; a field of the kind replaces a common one.
    .strictObject({ kind: z.literal(kind), ...addressField, ...loginFields, ...fields, ...requestFields, ...fields })
    .refine((plan) => isOneLogin(plan as unknown as LoginPlan), 'a login is bearer alone, or user and password')
    .meta(about);

const isOneLogin = ({ bearer, user, password }: LoginPlan): boolean =>
  (user === null) === (password === null) && (user === null || bearer === null);
