import { asList, asObject, asText, at, type Json } from '../../sources/bytes/json-access.ts';
import { controllerOf } from '../../sources/kubernetes-objects/objects.ts';
import { HttpFailure } from '../cloud/fetch-json.ts';
import type { ApiServer, KubernetesList } from './api-server.ts';

/** What controls pods and is itself controlled: its list under a namespace or the whole cluster. */
const lists: Readonly<Record<string, { readonly api: string; readonly plural: string }>> = {
  ReplicaSet: { api: '/apis/apps/v1', plural: 'replicasets' },
  Job: { api: '/apis/batch/v1', plural: 'jobs' },
};

const UNAVAILABLE: ReadonlySet<number> = new Set([403, 404]);

/**
 * Owners of pods: a pod names its ReplicaSet or Job, and only that names its Deployment or JobSet. They are listed when a pod
 * names one that was not asked for before, and only those that pods name are kept: old ReplicaSets are many.
 */
export class ListedOwners {
  private readonly asked = new Set<string>();
  /** Kinds that this user may not list, or that the server does not have. */
  private readonly unavailable = new Set<string>();

  /** @throws as {@link ApiServer.list}, but for a list that is unavailable */
  async next(
    server: ApiServer,
    namespace: string | null,
    pods: readonly Json[],
    signal: AbortSignal,
  ): Promise<readonly KubernetesList[]> {
    const answers: KubernetesList[] = [];
    for (const [kind, uids] of this.wanted(pods))
      for (const page of await this.list(server, kind, namespace, signal)) {
        const items = asList(page['items']).filter((item) => uids.has(asText(at(asObject(item), 'metadata', 'uid'))));
        answers.push({ ...page, kind: `${kind}List`, items });
      }
    return answers;
  }

  /** Uids that are new, by kind. */
  private wanted(pods: readonly Json[]): Map<string, Set<string>> {
    const wanted = new Map<string, Set<string>>();
    for (const pod of pods) {
      const owner = controllerOf(pod);
      const [kind, uid] = [asText(owner?.kind), asText(owner?.uid)];
      if (!Object.hasOwn(lists, kind) || uid === '' || this.unavailable.has(kind) || this.asked.has(uid)) continue;
      wanted.set(kind, (wanted.get(kind) ?? new Set()).add(uid));
    }
    for (const uids of wanted.values()) for (const uid of uids) this.asked.add(uid);
    return wanted;
  }

  private async list(
    server: ApiServer,
    kind: string,
    namespace: string | null,
    signal: AbortSignal,
  ): Promise<readonly KubernetesList[]> {
    const { api, plural } = lists[kind]!;
    const pages: KubernetesList[] = [];
    try {
      const path = namespace === null ? `${api}/${plural}` : `${api}/namespaces/${namespace}/${plural}`;
      for await (const page of server.list(path, signal)) pages.push(page);
    } catch (error) {
      if (!(error instanceof HttpFailure && UNAVAILABLE.has(error.status))) throw error;
      this.unavailable.add(kind);
    }
    return pages;
  }
}
