import { z } from 'zod';
import { burstSchema } from '../burst.ts';
import { secretSchema } from '../plan/secret.ts';

export const authProtocols = ['sha', 'sha224', 'sha256', 'sha384', 'sha512', 'md5'] as const;
export const privacyProtocols = ['aes', 'aes256b', 'aes256r'] as const;
/** OpenSSL 3, and Node with it, dropped single DES: such a plan would fail only at the first poll. */
const NO_DES = "DES is not offered by this program's cryptography: use aes";

/** User-based security (RFC 3414, 3826, 7860). Plans reference keys, they do not contain them. */
export const userSchema = z.strictObject({
  name: z.string().min(1).max(32).describe('the name of the user'),
  auth: z.enum(authProtocols).default('sha256').describe('how it is authenticated'),
  /** null: neither authenticated nor private. */
  auth_key: secretSchema.nullable().default(null).describe('where the authentication key is; null: neither is used'),
  privacy: z
    .enum(privacyProtocols, { error: ({ input }) => (input === 'des' ? NO_DES : undefined) })
    .default('aes')
    .describe('how it is encrypted'),
  /** null: authenticated, not private. */
  privacy_key: secretSchema
    .nullable()
    .default(null)
    .describe('where the privacy key is; null: authenticated, not private'),
});

export const snmpPlanSchema = z
  .strictObject({
    kind: z.literal('snmp'),
    /** null: the name of the agent. */
    name: z
      .string()
      .min(1)
      .max(200)
      .nullable()
      .default(null)
      .describe('name of its data source; null: the name of the agent'),
    host: z.string().min(1).max(255).describe('name or address of the device').meta({ target: true }),
    port: z.number().int().min(1).max(65_535).default(161).describe('the UDP port of its agent'),
    version: z.enum(['1', '2c', '3']).default('2c').describe('SNMP version; 3 has users and keys'),
    /** null: `public`. */
    community: secretSchema
      .nullable()
      .default(null)
      .describe('where the community of versions 1 and 2c is; null: public'),
    user: userSchema.nullable().default(null).describe('of version 3'),
    context: z.string().max(255).default('').describe('context of version 3, for an agent of several devices'),
    every_s: z.number().min(0.1).max(3600).default(1).describe('poll interval in seconds'),
    burst: burstSchema,
    /** Of one request, which is sent twice before the agent counts as unresponsive. */
    timeout_s: z.number().min(0.1).max(60).default(2).describe('timeout of a request in seconds; it is sent twice'),
    /** Values per request. Small agents answer few at a time. */
    most_values: z
      .number()
      .int()
      .min(1)
      .max(100)
      .default(24)
      .describe('values per request; small agents answer few at a time'),
    most_requests_per_s: z.number().min(1).max(1000).default(100).describe('request rate limit, to protect the device'),
    /** Interval of discovery of outlets and sensors, which also runs after each restart of the agent. */
    learn_every_s: z
      .number()
      .min(10)
      .max(86_400)
      .default(600)
      .describe('interval of discovery of outlets and sensors, in seconds'),
  })
  .refine(({ version, user }) => (version === '3') === (user !== null), {
    message: 'version 3 requires a user, other versions have none',
    path: ['user'],
  })
  .refine(({ user }) => !user || user.privacy_key === null || user.auth_key !== null, {
    message: 'privacy needs authentication',
    path: ['user', 'auth_key'],
  })
  .meta({ title: 'SNMP agent', description: 'PDUs, UPSes and cooling devices with a known profile' });
export type SnmpPlan = z.output<typeof snmpPlanSchema>;
