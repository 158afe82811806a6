/** Provenance of links that objects of Kubernetes state as their owners. */
export const OWNER = 'kubernetes owner';

/**
 * Kind of an alias of a service that is called after the name of a pod (`NAMESPACE/NAME`, or the name alone), because nothing
 * stated whose replica the pod is. Where the pod's owner was recorded, that is known better.
 */
export const WORKLOAD_OF_POD = 'workload_of_pod';

/** Kubernetes makes suffixes of these characters (k8s.io/apimachinery, `util/rand`): without vowels and what looks like one. */
const SAFE = '[bcdfghjklmnpqrstvwxz2456789]';
const REPLICA = new RegExp(`^(.+?)(?:-${SAFE}{6,10})?-${SAFE}{5}$|^(.+)-\\d{1,4}$`);

/**
 * The Deployment, StatefulSet, DaemonSet or Job of a pod, by the name that its controller gave it; undefined: a pod of its own. It
 * names the service, as OpenTelemetry has it (https://opentelemetry.io/docs/specs/semconv/non-normative/k8s-attributes/).
 * @param pod its name without the namespace
 */
export function workloadOfPod(pod: string): string | undefined {
  const [, replica, ordinal] = (pod.length > 253 ? null : REPLICA.exec(pod)) ?? [];
  return replica ?? ordinal;
}
