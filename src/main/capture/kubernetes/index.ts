import type { Feed, FeedCheck } from '../../../model/storage/feed.ts';
import { asList, asObject, type Json } from '../../sources/bytes/json-access.ts';
import { kubernetes } from '../../sources/kubernetes/index.ts';
import { checkCloud } from '../cloud/check.ts';
import { type CloudAnswer, pollCloud } from '../cloud/poll.ts';
import { whyNot } from '../cloud/why-not.ts';
import type { FeedKind } from '../feed-kind.ts';
import { type Access, accessOf } from './access.ts';
import { ApiServer } from './api-server.ts';
import { ListedEvents } from './listed-events.ts';
import { ListedOwners } from './listed-owners.ts';
import { type KubernetesPlan, kubernetesPlanSchema } from './plan.ts';

/**
 * Nodes, pods and events of a cluster, by the importer of kubectl output. Placements become proposals, states become records.
 */
export const kubernetesFeed: FeedKind<typeof kubernetesPlanSchema> = {
  kind: 'kubernetes',
  plan: kubernetesPlanSchema,
  open: (plan): Feed => ({
    name: nameOf(plan),
    format: 'kubernetes-live',
    stampedBy: 'sender',
    about: plan.url ?? plan.context ?? 'the current context',
    async run(sink, signal) {
      const server = new ApiServer(await accessOf(plan), plan.timeout_s);
      const listed = { events: new ListedEvents(), owners: new ListedOwners() };
      try {
        await pollCloud(
          { every_s: plan.every_s, stampedBy: 'sender', whyNot, poll: (stop) => poll(plan, server, listed, stop) },
          sink,
          signal,
        );
      } finally {
        server.close();
      }
    },
  }),
  test: async function* (plan, signal): AsyncGenerator<FeedCheck> {
    // The kubeconfig contains the server's address, so it is read first.
    const found = await accessOf(plan).then(
      (access) => ({ access }),
      (error: unknown) => ({ error }),
    );
    const server = 'access' in found ? new ApiServer(found.access, plan.timeout_s) : null;
    try {
      yield* checkCloud(
        {
          endpoint: server && 'access' in found ? found.access.url : 'https://unknown.invalid',
          credentials: async () => {
            if ('error' in found) throw found.error;
            return await describeAccess(found.access);
          },
          poll: (stop) => poll(plan, server!, { events: new ListedEvents(), owners: new ListedOwners() }, stop),
          whyNot,
          hint: 'this user needs list on nodes and pods: kubectl auth can-i list pods --all-namespaces',
        },
        signal,
      );
    } finally {
      server?.close();
    }
  },
};

const nameOf = ({ name, url, context }: KubernetesPlan): string =>
  name ?? `Kubernetes ${url === null ? (context ?? '') : new URL(url).host}`.trim();

async function describeAccess(access: Access): Promise<string> {
  const token = await access.token();
  if (token !== null) return `${access.as}, with a token`;
  return access.tls.cert ? `${access.as}, with a certificate` : `${access.as}, with no credentials`;
}

/** Polls once; `listed` remembers from one poll to the next. */
async function poll(
  plan: KubernetesPlan,
  server: ApiServer,
  listed: { readonly events: ListedEvents; readonly owners: ListedOwners },
  signal: AbortSignal,
): Promise<{ answers: readonly CloudAnswer[]; about: string }> {
  const answers: CloudAnswer[] = [];
  const counted = { nodes: 0, pods: 0 };
  const pods: Json[] = [];
  for (const [what, path] of [['nodes', '/api/v1/nodes'] as const, ['pods', pathOf(plan, 'pods')] as const])
    for await (const page of server.list(path, signal)) {
      const items = asList(page['items']);
      counted[what] += items.length;
      if (what === 'pods') pods.push(...items.map(asObject));
      answers.push({ source: kubernetes, name: `${nameOf(plan)} ${what}`, answers: [page] });
    }
  for (const list of await listed.owners.next(server, plan.namespace, pods, signal))
    answers.push({ source: kubernetes, name: `${nameOf(plan)} owners`, answers: [list] });
  const about = `${counted.nodes} nodes and ${counted.pods} pods`;
  if (!plan.events) return { answers, about };
  const lists = await listed.events.next(server, pathOf(plan, 'events'), signal);
  for (const list of lists ?? []) answers.push({ source: kubernetes, name: `${nameOf(plan)} events`, answers: [list] });
  return { answers, about: lists ? `${about}, with events` : `${about}; this user may not list events` };
}

const pathOf = ({ namespace }: KubernetesPlan, what: 'pods' | 'events'): string =>
  namespace === null ? `/api/v1/${what}` : `/api/v1/namespaces/${namespace}/${what}`;
