import type { EntityKind } from '../../../model/entity.ts';
import { workloadOfPod } from '../../../model/telemetry/workload-name.ts';

/**
 * Pods whose name states which service they are a replica of, where no record does: events of Kubernetes name the pod alone, traces
 * and topology files the service.
 * @param isOfService whether a record links the pod to a service or job
 * @returns service and pod
 */
export function namedReplicas(
  nodes: readonly { readonly key: number; readonly kind: EntityKind; readonly id: string }[],
  isOfService: (pod: number) => boolean,
): (readonly [service: number, pod: number])[] {
  const services = new Map(nodes.filter(({ kind }) => kind === 'service').map(({ id, key }) => [id, key]));
  if (services.size === 0) return [];
  return nodes.flatMap(({ kind, id, key }) => {
    if (kind !== 'pod' || isOfService(key)) return [];
    const [name = '', namespace] = id.split('/').reverse();
    const workload = workloadOfPod(name);
    const service = services.get(`${namespace}/${workload}`) ?? services.get(workload ?? '');
    return workload === undefined || service === undefined ? [] : [[service, key] as const];
  });
}
