/** Provenance of links that objects of Kubernetes state as their owners. */
export const OWNER = 'kubernetes owner';

/**
 * Kind of an alias of a service that is called after the name of a pod (`NAMESPACE/NAME`, or the name alone), because nothing
 * stated whose replica the pod is. Where the pod's owner was recorded, that is known better.
 */
export const WORKLOAD_OF_POD = 'workload_of_pod';

/** Kind of an alias of a service: what it would be called after the name of the autoscaler that states to scale it. */
export const WORKLOAD_OF_SCALER = 'workload_of_scaler';

/**
 * The workload that an autoscaler scales, by the name of the autoscaler: most are called like their target, charts often add `-hpa`,
 * and KEDA calls its own `keda-hpa-` and the name of the ScaledObject (https://keda.sh/docs/latest/concepts/scaling-deployments/).
 * @param scaler its name without the namespace
 */
export const workloadOfScaler = (scaler: string): string =>
  scaler.replace(/^keda-hpa-(?=.)/, '').replace(/(?<=.)-hpa$/, '');

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
