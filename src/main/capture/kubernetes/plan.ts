import { z } from 'zod';
import { localPathSchema } from '../plan/local-path.ts';
import { hasNoPassword } from '../plan/plain-url.ts';
import { secretSchema } from '../plan/secret.ts';

const short = z.string().min(1).max(200);

export const kubernetesPlanSchema = z
  .strictObject({
    kind: z.literal('kubernetes'),
    /** null: `Kubernetes` and the cluster's host or context. */
    name: short.nullable().default(null).describe('what its source is called; null: as the cluster is'),
    /** Of the API server, or of `kubectl proxy`; null: as a kubeconfig or the pod's own service account says. */
    url: z
      .url({ protocol: /^https?$/ })
      .refine(hasNoPassword, 'bears no password: say where a token is with token')
      .nullable()
      .default(null)
      .describe(
        'of the API server, or of kubectl proxy; null: as the kubeconfig or the service account of this pod says',
      ),
    /** With `url` only: a kubeconfig has its own. */
    token: secretSchema.nullable().default(null).describe('with url: where a bearer token is; null: none is sent'),
    /** null: `KUBECONFIG`, or `.kube/config` of this user. */
    kubeconfig: localPathSchema.nullable().default(null).describe('null: KUBECONFIG, or .kube/config of this user'),
    context: short.nullable().default(null).describe('of the kubeconfig; null: its current one'),
    namespace: z
      .string()
      .regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, 'is the name of a namespace')
      .nullable()
      .default(null)
      .describe('whose pods are asked for; null: all that may be seen'),
    every_s: z.number().min(5).max(3600).default(60).describe('how often nodes and pods are asked for'),
    timeout_s: z.number().min(0.1).max(300).default(20).describe('how long an answer is waited for'),
  })
  .refine(({ url, token }) => url !== null || token === null, {
    message: 'a token goes with a url: a kubeconfig has its own',
    path: ['token'],
  })
  .refine(({ url, kubeconfig, context }) => url === null || (kubeconfig === null && context === null), {
    message: 'either a url, or a kubeconfig with its contexts',
    path: ['url'],
  })
  .meta({ title: 'Kubernetes', description: 'nodes and pods of a cluster, only read: what runs where' });
export type KubernetesPlan = z.output<typeof kubernetesPlanSchema>;
