import { z } from 'zod';
import { localPathSchema } from '../plan/local-path.ts';
import { hasNoPassword } from '../plan/plain-url.ts';
import { secretSchema } from '../plan/secret.ts';

/** Where controllers deliver events to, when they cannot stream them. Nothing listens unless the plan says where. */
const pushSchema = z
  .strictObject({
    /** Of this machine: `0.0.0.0:8443`; port 0: a free one. */
    listen: z
      .string()
      .regex(/^(\[[0-9a-f:]+\]|[\w.-]+):\d{1,5}$/, 'is an address and a port: 0.0.0.0:8443')
      .describe('address and port of this machine where events are taken: 0.0.0.0:8443; port 0: a free one'),
    /** The same as the controller reaches it: `https://bastion.example:8443`. null: as it listens. */
    destination: z
      .url({ protocol: /^https?$/ })
      .nullable()
      .default(null)
      .describe('the same as the controller reaches it: https://bastion.example:8443; null: as it listens'),
    /** PEM files; null: without TLS, which few controllers accept. */
    certificate: localPathSchema.nullable().default(null).describe('a PEM file; null: without TLS'),
    key: localPathSchema.nullable().default(null).describe('the PEM file of its key'),
  })
  .refine(({ certificate, key }) => (certificate === null) === (key === null), {
    message: 'a certificate has a key, and a key a certificate',
    path: ['key'],
  });

export const redfishPlanSchema = z
  .strictObject({
    kind: z.literal('redfish'),
    /** null: as the controller's host is called. */
    name: z
      .string()
      .min(1)
      .max(200)
      .nullable()
      .default(null)
      .describe('what its source is called; null: as the host of the controller is'),
    /** `https://bmc-3.example`; without TLS only when this says `http`. */
    url: z
      .url({ protocol: /^https?$/ })
      .refine(hasNoPassword, 'bears no password: say who asks with user and password')
      .refine(
        (url) => !URL.canParse(url) || /^\/(redfish(\/v1)?\/?)?$/.test(new URL(url).pathname),
        'is the address of a controller, not of one of its resources',
      )
      .describe('of the controller: https://bmc-3.example; without TLS only when this says http'),
    /** null, and then no password: a service that asks for none. */
    user: z
      .string()
      .min(1)
      .max(200)
      .nullable()
      .default(null)
      .describe('who asks; null: a service that asks for nobody'),
    /** Where the password is. */
    password: secretSchema.nullable().default(null).describe('where the password of the user is'),
    /** `session`: with one login, ended when the capture is; where a service has no sessions, `basic`. */
    auth: z
      .enum(['session', 'basic'])
      .default('session')
      .describe('one login that is ended with the capture, or the password with each request'),
    /** Of the controller's certificate, instead of a chain that ends at an authority: 64 hexadecimal digits. */
    fingerprint_sha256: z
      .string()
      .transform((text) => text.replace(/[:\s]/g, '').toLowerCase())
      .pipe(z.string().regex(/^[0-9a-f]{64}$/, 'is 64 hexadecimal digits'))
      .nullable()
      .default(null)
      .describe('SHA-256 fingerprint of its certificate, where no authority vouches for it'),
    /** `insecure`: any certificate will do, which is said in Sources. */
    tls: z
      .enum(['verify', 'insecure'])
      .default('verify')
      .describe('insecure: any certificate will do, which Sources then says'),
    /** What changes from second to second: power, temperatures, fans, metric reports. */
    every_s: z
      .number()
      .min(1)
      .max(3600)
      .default(10)
      .describe('how often power, temperatures, fans and metric reports are asked for'),
    /** States of parts that move slowly, and logs. */
    status_every_s: z
      .number()
      .min(1)
      .max(3600)
      .default(60)
      .describe('how often states of parts and logs are asked for'),
    /** Parts are looked for anew so often, and whenever the controller was away. */
    learn_every_s: z.number().min(10).max(86_400).default(1800).describe('how often parts are looked for anew'),
    /** Of one request. */
    timeout_s: z.number().min(0.1).max(300).default(20).describe('how long an answer is waited for'),
    most_requests_per_s: z.number().min(0.1).max(1000).default(10).describe('so that the controller is not kept busy'),
    /** Requests that are under way together. */
    most_at_once: z.number().int().min(1).max(16).default(2).describe('requests that are under way together'),
    /** Of each log, newest first. */
    most_log_entries: z.number().int().min(0).max(20_000).default(1000).describe('of each log, the newest'),
    /** false: the controller's event stream is left alone; few clients may hold one at a time. */
    stream: z.boolean().default(true).describe('false: its event stream is left to others, as few may hold one'),
    push: pushSchema.nullable().default(null).describe('where it may deliver events when it has no stream'),
  })
  .refine(({ user, password }) => (user === null) === (password === null), {
    message: 'a user has a password, and a password a user',
    path: ['password'],
  })
  .refine(({ url, fingerprint_sha256, tls }) => url.startsWith('https:') || (!fingerprint_sha256 && tls === 'verify'), {
    message: 'without TLS there is no certificate to judge',
    path: ['url'],
  })
  .refine(({ fingerprint_sha256, tls }) => !fingerprint_sha256 || tls === 'verify', {
    message: 'a fingerprint is verified: leave tls out',
    path: ['tls'],
  })
  .meta({
    title: 'Redfish controller',
    description: 'management controllers (BMCs) of servers, GPU baseboards and power shelves',
  });
export type RedfishPlan = z.output<typeof redfishPlanSchema>;
