import { z } from 'zod';
import { localPathSchema } from '../plan/local-path.ts';
import { hasNoPassword } from '../plan/plain-url.ts';
import { secretSchema } from '../plan/secret.ts';

const short = z.string().min(1).max(200);

export const kubernetesPlanSchema = z
  .strictObject({
    kind: z.literal('kubernetes'),
    /** null: `Kubernetes` and the cluster's host or context. */
    name: short.nullable().default(null).describe('name of its data source; null: Kubernetes and the cluster'),
    /** Of the API server, or of `kubectl proxy`; null: from a kubeconfig or the pod's service account. */
    url: z
      .url({ protocol: /^https?$/ })
      .refine(hasNoPassword, 'must not contain a password: set token to where a token is')
      .nullable()
      .default(null)
      .describe('of the API server, or of kubectl proxy; null: from the kubeconfig or the service account of this pod'),
    /** Only with `url`: a kubeconfig has its own. */
    token: secretSchema.nullable().default(null).describe('with url: where a bearer token is; null: none is sent'),
    /** null: `KUBECONFIG`, or this user's `.kube/config`. */
    kubeconfig: localPathSchema.nullable().default(null).describe('null: KUBECONFIG, or .kube/config of this user'),
    context: short.nullable().default(null).describe('context of the kubeconfig; null: its current one'),
    namespace: z
      .string()
      .regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, 'is the name of a namespace')
      .nullable()
      .default(null)
      .describe('namespace whose pods are polled; null: all that the user may see'),
    events: z
      .boolean()
      .default(true)
      .describe('also events, if the user may list them: evictions, preemption, back-off'),
    every_s: z.number().min(5).max(3600).default(60).describe('poll interval in seconds'),
    timeout_s: z.number().min(0.1).max(300).default(20).describe('request timeout in seconds'),
  })
  .refine(({ url, token }) => url !== null || token === null, {
    message: 'a token needs a url: a kubeconfig has its own',
    path: ['token'],
  })
  .refine(({ url, kubeconfig, context }) => url === null || (kubeconfig === null && context === null), {
    message: 'set either url, or kubeconfig and context',
    path: ['url'],
  })
  .meta({
    title: 'Kubernetes',
    description: 'nodes, pods and events of a cluster, read-only: what runs where, and what became of it',
  });
export type KubernetesPlan = z.output<typeof kubernetesPlanSchema>;
