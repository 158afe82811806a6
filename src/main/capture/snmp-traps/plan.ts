import { z } from 'zod';
import { secretSchema } from '../plan/secret.ts';
import { userSchema } from '../snmp/plan.ts';

/** Listens on loopback, above the ports that only root may open, unless told otherwise. */
export const snmpTrapsPlanSchema = z
  .strictObject({
    kind: z.literal('snmp-traps'),
    name: z.string().min(1).max(200).default('SNMP traps').describe('what its source is called'),
    /** `host:port`; port 0 takes a free one. */
    listen: z
      .string()
      .regex(/^(\[[0-9a-fA-F:.]+\]|[^\s:[\]/]+):\d{1,5}$/, 'is written host:port')
      .default('127.0.0.1:1162')
      .describe('where traps and informs are received, host:port; port 0: a free one'),
    /** Of versions 1 and 2c; null: `public`; none: only version 3 is heard. */
    communities: z
      .array(secretSchema)
      .max(100)
      .nullable()
      .default(null)
      .describe('where the communities of versions 1 and 2c are; null: public; none: only version 3'),
    /** Of version 3. */
    users: z.array(userSchema).max(100).default([]).describe('users of version 3'),
    /** What comes faster is counted as lost before it is looked at. */
    most_per_s: z.number().int().min(1).max(10_000).default(500).describe('what comes faster is counted as lost'),
  })
  .meta({ title: 'SNMP traps', description: 'traps and informs that devices send by themselves' });
