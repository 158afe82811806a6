import { z } from 'zod';
import { secretSchema } from '../plan/secret.ts';
import { userSchema } from '../snmp/plan.ts';

/** By default it listens on loopback, above the ports that only root may open. */
export const snmpTrapsPlanSchema = z
  .strictObject({
    kind: z.literal('snmp-traps'),
    name: z.string().min(1).max(200).default('SNMP traps').describe('name of its data source'),
    /** `host:port`; port 0 takes a free one. */
    listen: z
      .string()
      .regex(/^(\[[0-9a-fA-F:.]+\]|[^\s:[\]/]+):\d{1,5}$/, 'is written host:port')
      .default('127.0.0.1:1162')
      .describe('where traps and informs are received, host:port; port 0: a free one'),
    /** References to communities of versions 1 and 2c; null: `public`; empty: only version 3 is accepted. */
    communities: z
      .array(secretSchema)
      .max(100)
      .nullable()
      .default(null)
      .describe('where the communities of versions 1 and 2c are; null: public; none: only version 3'),
    /** Of version 3. */
    users: z.array(userSchema).max(100).default([]).describe('users of version 3'),
    /** Faster traps are counted as lost before any decoding. */
    most_per_s: z.number().int().min(1).max(10_000).default(500).describe('rate limit; more traps are counted as lost'),
  })
  .meta({ title: 'SNMP traps', description: 'traps and informs that devices send' });
