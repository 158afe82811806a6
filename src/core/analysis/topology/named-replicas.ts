import type { EntityKind } from '../../../model/entity.ts';
import { workloadOfPod } from '../../../model/telemetry/workload-name.ts';

/**
 * Pods whose name states which service they are a replica of, and Deployments and the like that are called as a service, where no record
 * links them: events of Kubernetes name these alone, traces and topology files the service.
 * @param isOfService whether a record links the pod or Deployment to a service or job
 * @returns service and pod or Deployment
 */
export function namedReplicas(
  nodes: readonly { readonly key: number; readonly kind: EntityKind; readonly id: string }[],
  isOfService: (workload: number) => boolean,
): (readonly [service: number, workload: number])[] {
  const services = new Map(nodes.filter(({ kind }) => kind === 'service').map(({ id, key }) => [id, key]));
  if (services.size === 0) return [];
  return nodes.flatMap(({ kind, id, key }) => {
    if ((kind !== 'pod' && kind !== 'job') || isOfService(key)) return [];
    const [name = '', namespace] = id.split('/').reverse();
    const workload = kind === 'pod' ? workloadOfPod(name) : name;
    const service = services.get(`${namespace}/${workload}`) ?? services.get(workload ?? '');
    return workload === undefined || service === undefined ? [] : [[service, key] as const];
  });
}
