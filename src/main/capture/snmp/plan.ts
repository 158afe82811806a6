import { z } from 'zod';

const variable = z.string().regex(/^[A-Za-z_]\w*$/, 'is the name of an environment variable');

export const authProtocols = ['sha', 'sha224', 'sha256', 'sha384', 'sha512', 'md5'] as const;
export const privacyProtocols = ['aes', 'aes256b', 'aes256r', 'des'] as const;

/** User-based security (RFC 3414, 3826, 7860). Keys stand in the environment only. */
const userSchema = z.strictObject({
  name: z.string().min(1).max(32),
  auth: z.enum(authProtocols).default('sha256'),
  /** null: neither authenticated nor private. */
  auth_key_env: variable.nullable().default(null),
  privacy: z.enum(privacyProtocols).default('aes'),
  /** null: authenticated, not private. */
  privacy_key_env: variable.nullable().default(null),
});

export const snmpPlanSchema = z
  .strictObject({
    kind: z.literal('snmp'),
    /** null: as the agent is called. */
    name: z.string().min(1).max(200).nullable().default(null),
    host: z.string().min(1).max(255),
    port: z.number().int().min(1).max(65_535).default(161),
    version: z.enum(['1', '2c', '3']).default('2c'),
    /** Name of the environment variable that holds the community; null: `public`. */
    community_env: variable.nullable().default(null),
    user: userSchema.nullable().default(null),
    context: z.string().max(255).default(''),
    every_s: z.number().min(0.1).max(3600).default(1),
    /** Of one request; it is asked a second time before the agent counts as silent. */
    timeout_s: z.number().min(0.1).max(60).default(2),
    /** Values in one request. Small agents answer few at a time. */
    most_values: z.number().int().min(1).max(100).default(24),
    most_requests_per_s: z.number().min(1).max(1000).default(100),
    /** Outlets and sensors are looked for anew so often, and whenever the agent has restarted. */
    learn_every_s: z.number().min(10).max(86_400).default(600),
  })
  .refine(({ version, user }) => (version === '3') === (user !== null), {
    message: 'version 3, and no other, has a user',
    path: ['user'],
  })
  .refine(({ user }) => !user || user.privacy_key_env === null || user.auth_key_env !== null, {
    message: 'privacy needs authentication',
    path: ['user', 'auth_key_env'],
  });
export type SnmpPlan = z.output<typeof snmpPlanSchema>;
