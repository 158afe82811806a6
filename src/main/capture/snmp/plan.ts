import { z } from 'zod';
import { burstSchema } from '../burst.ts';
import { secretSchema } from '../plan/secret.ts';

export const authProtocols = ['sha', 'sha224', 'sha256', 'sha384', 'sha512', 'md5'] as const;
export const privacyProtocols = ['aes', 'aes256b', 'aes256r'] as const;
/** OpenSSL 3 left single DES out, and Node with it: a plan that asks for it would fail only when the agent is asked. */
const NO_DES = "DES is not offered by this program's cryptography: use aes";

/** User-based security (RFC 3414, 3826, 7860). Keys stand in no plan: it says where they are. */
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
    /** null: as the agent is called. */
    name: z
      .string()
      .min(1)
      .max(200)
      .nullable()
      .default(null)
      .describe('what its source is called; null: as the agent is'),
    host: z.string().min(1).max(255).describe('name or address of the device').meta({ target: true }),
    port: z.number().int().min(1).max(65_535).default(161).describe('the UDP port of its agent'),
    version: z.enum(['1', '2c', '3']).default('2c').describe('of SNMP; 3 is the one with users and keys'),
    /** null: `public`. */
    community: secretSchema.nullable().default(null).describe('of versions 1 and 2c: where it is; null: public'),
    user: userSchema.nullable().default(null).describe('of version 3'),
    context: z.string().max(255).default('').describe('of version 3, where an agent speaks for several devices'),
    every_s: z.number().min(0.1).max(3600).default(1).describe('how often it is asked'),
    burst: burstSchema,
    /** Of one request; it is asked a second time before the agent counts as silent. */
    timeout_s: z
      .number()
      .min(0.1)
      .max(60)
      .default(2)
      .describe('how long an answer is waited for, before it is asked once more'),
    /** Values in one request. Small agents answer few at a time. */
    most_values: z
      .number()
      .int()
      .min(1)
      .max(100)
      .default(24)
      .describe('values in one request; small agents answer few at a time'),
    most_requests_per_s: z.number().min(1).max(1000).default(100).describe('so that the device is not kept busy'),
    /** Outlets and sensors are looked for anew so often, and whenever the agent has restarted. */
    learn_every_s: z
      .number()
      .min(10)
      .max(86_400)
      .default(600)
      .describe('how often outlets and sensors are looked for anew'),
  })
  .refine(({ version, user }) => (version === '3') === (user !== null), {
    message: 'version 3, and no other, has a user',
    path: ['user'],
  })
  .refine(({ user }) => !user || user.privacy_key === null || user.auth_key !== null, {
    message: 'privacy needs authentication',
    path: ['user', 'auth_key'],
  })
  .meta({ title: 'SNMP agent', description: 'PDUs, UPSes and cooling: the devices whose recordings are understood' });
export type SnmpPlan = z.output<typeof snmpPlanSchema>;
