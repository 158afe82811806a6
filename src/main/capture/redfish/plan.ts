import { z } from 'zod';
import { localPathSchema } from '../plan/local-path.ts';
import { hasNoPassword } from '../plan/plain-url.ts';
import { secretSchema } from '../plan/secret.ts';

/** Where controllers deliver events if they cannot stream them. Without it nothing listens. */
const pushSchema = z
  .strictObject({
    /** Address of this machine: `0.0.0.0:8443`; port 0: a free one. */
    listen: z
      .string()
      .regex(/^(\[[0-9a-f:]+\]|[\w.-]+):\d{1,5}$/, 'is an address and a port: 0.0.0.0:8443')
      .describe('address and port of this machine that receives events: 0.0.0.0:8443; port 0: a free one'),
    /** The same address as the controller reaches it: `https://bastion.example:8443`. null: as `listen`. */
    destination: z
      .url({ protocol: /^https?$/ })
      .nullable()
      .default(null)
      .describe('the same address as the controller reaches it: https://bastion.example:8443; null: as listen'),
    /** PEM files; null: without TLS, which few controllers accept. */
    certificate: localPathSchema.nullable().default(null).describe('a PEM file; null: without TLS'),
    key: localPathSchema.nullable().default(null).describe('the PEM file of its key'),
  })
  .refine(({ certificate, key }) => (certificate === null) === (key === null), {
    message: 'certificate and key belong together: set both',
    path: ['key'],
  });

export const redfishPlanSchema = z
  .strictObject({
    kind: z.literal('redfish'),
    /** null: the controller's host. */
    name: z
      .string()
      .min(1)
      .max(200)
      .nullable()
      .default(null)
      .describe('name of its data source; null: the host of the controller'),
    /** `https://bmc-3.example`; plain HTTP only if it starts with `http://`. */
    url: z
      .url({ protocol: /^https?$/ })
      .refine(hasNoPassword, 'must not contain a password: set user and password')
      .refine(
        (url) => !URL.canParse(url) || /^\/(redfish(\/v1)?\/?)?$/.test(new URL(url).pathname),
        'is the address of a controller, not of one of its resources',
      )
      .describe('address of the controller: https://bmc-3.example; http:// for one without TLS'),
    /** null, and no password: for a service without login. */
    user: z.string().min(1).max(200).nullable().default(null).describe('user name; null: for a service without login'),
    /** Reference to the password. */
    password: secretSchema.nullable().default(null).describe('where the password of the user is'),
    /** `session`: one login, ended with the capture; `basic` is the fallback for services without sessions. */
    auth: z
      .enum(['session', 'basic'])
      .default('session')
      .describe('session: one login per capture; basic: the password with each request'),
    /** SHA-256 of the controller's certificate, 64 hexadecimal digits, instead of a trusted authority. */
    fingerprint_sha256: z
      .string()
      .transform((text) => text.replace(/[:\s]/g, '').toLowerCase())
      .pipe(z.string().regex(/^[0-9a-f]{64}$/, 'is 64 hexadecimal digits'))
      .nullable()
      .default(null)
      .describe('SHA-256 fingerprint of its certificate, if no trusted authority signed it'),
    /** `insecure`: any certificate is accepted; Sources shows this. */
    tls: z
      .enum(['verify', 'insecure'])
      .default('verify')
      .describe('insecure: any certificate is accepted; Sources shows this'),
    /** Poll interval of what changes every second: power, temperatures, fans, metric reports. */
    every_s: z
      .number()
      .min(1)
      .max(3600)
      .default(10)
      .describe('poll interval of power, temperatures, fans and metric reports, in seconds'),
    /** Poll interval of states and logs. */
    status_every_s: z.number().min(1).max(3600).default(60).describe('poll interval of states and logs, in seconds'),
    /** Interval of discovery, which also runs after each outage. */
    learn_every_s: z.number().min(10).max(86_400).default(1800).describe('interval of discovery, in seconds'),
    /** Timeout of one request. */
    timeout_s: z.number().min(0.1).max(300).default(20).describe('request timeout in seconds'),
    most_requests_per_s: z
      .number()
      .min(0.1)
      .max(1000)
      .default(10)
      .describe('request rate limit, to protect the controller'),
    /** Concurrent requests. */
    most_at_once: z.number().int().min(1).max(16).default(2).describe('most concurrent requests'),
    /** Limit per log, newest first. */
    most_log_entries: z.number().int().min(0).max(20_000).default(1000).describe('entries read per log, newest first'),
    /** false: do not open the controller's event stream; it allows few clients at a time. */
    stream: z.boolean().default(true).describe('false: its event stream, which allows few clients, is not used'),
    push: pushSchema.nullable().default(null).describe('where it delivers events if it has no stream'),
  })
  .refine(({ user, password }) => (user === null) === (password === null), {
    message: 'user and password belong together: set both',
    path: ['password'],
  })
  .refine(({ url, fingerprint_sha256, tls }) => url.startsWith('https:') || (!fingerprint_sha256 && tls === 'verify'), {
    message: 'without TLS there is no certificate to verify',
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
