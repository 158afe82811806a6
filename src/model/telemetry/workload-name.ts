/** Provenance of links that objects of Kubernetes state as their owners. */
export const OWNER = 'kubernetes owner';

/**
 * Kind of an alias of a service that is called after the name of a pod (`NAMESPACE/NAME`, or the name alone), because nothing
 * stated whose replica the pod is. Where the pod's owner was recorded, that is known better.
 */
export const WORKLOAD_OF_POD = 'workload_of_pod';
