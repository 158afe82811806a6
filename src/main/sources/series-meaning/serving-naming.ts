import { WORKLOAD_OF_POD, workloadOfPod } from '../../../model/telemetry/workload-name.ts';
import { ADDRESS, firstOf, machineOf, nodeSubject, podSubject, serverSubject } from './naming.ts';
import type { Labels, Naming, Relation, Subject, Surroundings } from './scraped.ts';
import type { Serving } from './serving.ts';

/** Labels that name a service, the most definite first. */
const serviceLabels = ['service_name', 'service', 'app', 'app_kubernetes_io_name', 'job'] as const;

/**
 * Metrics of an inference server are about the service, whichever replica reports them: the replica stays among the attributes,
 * and the service runs on it.
 */
export function servingNaming(serving: Serving, labels: Labels, surroundings: Surroundings): Naming {
  const used = new Set<string>(serving.used);
  const own = serving.serviceLabel && labels.get(serving.serviceLabel);
  if (own) {
    const service: Subject = { kind: 'service', id: own };
    used.add(serving.serviceLabel!);
    return { subject: service, relations: replicaOf(service, labels, surroundings), used };
  }
  const named = serviceNaming(labels, surroundings);
  if (named) return { ...named, used: new Set([...used, ...named.used]) };
  const job = labels.get('job');
  const subject: Subject = job ? { kind: 'service', id: job } : unlabelled(serving, labels, surroundings);
  if (job) used.add('job');
  return { subject, relations: subject.kind === 'service' ? replicaOf(subject, labels, surroundings) : [], used };
}

/**
 * Undefined: the labels name no service. The job of a scrape of pods is often how they are found, and is none: their service is
 * what they are replicas of.
 */
export function serviceNaming(labels: Labels, surroundings: Surroundings): Naming | undefined {
  const pod = firstOf(labels, 'pod', 'pod_name', 'kubernetes_pod_name');
  const label = serviceLabels.find((one) => labels.get(one) && !(pod !== '' && one === 'job'));
  const id = label === undefined ? workloadOfPod(pod) : labels.get(label);
  if (id === undefined) return undefined;
  const replica = label === undefined ? podSubject(pod, namespaceOf(labels)).id : '';
  const aliases = replica === '' ? {} : { aliases: [{ kind: WORKLOAD_OF_POD, name: replica }] };
  const subject: Subject = { kind: 'service', id, ...aliases };
  const used = new Set<string>(label === undefined ? ['job'] : [label]);
  return { subject, relations: replicaOf(subject, labels, surroundings), used };
}

const namespaceOf = (labels: Labels): string => firstOf(labels, 'namespace', 'kubernetes_namespace');

/** The pod's labels name the service; else the host has one server of this kind; else the file is about one service. */
function unlabelled({ engine }: Serving, labels: Labels, { host, fallback }: Surroundings): Subject {
  const pod = firstOf(labels, 'pod', 'pod_name', 'kubernetes_pod_name');
  if (pod !== '') return podSubject(pod, namespaceOf(labels));
  const given = fallback();
  // The resource of the caller names the service.
  if (given.id === '') return given;
  if (machineOf(labels, host) !== '') return { kind: 'service', id: engine };
  return { kind: 'service', id: given.id };
}

function replicaOf(service: Subject, labels: Labels, { host }: Surroundings): Relation[] {
  const pod = firstOf(labels, 'pod', 'pod_name', 'kubernetes_pod_name');
  const node = firstOf(labels, 'node', 'kubernetes_node', 'nodename');
  if (pod !== '') {
    const carrier = podSubject(pod, namespaceOf(labels));
    const placed: Relation[] = node === '' ? [] : [{ from: carrier, kind: 'runs_on', to: nodeSubject(node) }];
    return [{ from: service, kind: 'runs_on', to: carrier }, ...placed];
  }
  if (node !== '') return [{ from: service, kind: 'runs_on', to: nodeSubject(node) }];
  const machine = machineOf(labels, host);
  // An address may be that of a pod or of a balancer.
  return machine === '' || ADDRESS.test(machine)
    ? []
    : [{ from: service, kind: 'runs_on', to: serverSubject(machine) }];
}
