import { appendEdge, attributesText } from '../../../model/rows/records.ts';
import type { EventType } from '../../../model/telemetry/event-catalog.ts';
import { asList, asObject, asText, at, type Json, rawText } from '../bytes/json-access.ts';
import { appendEvent } from '../event-details/append-event.ts';
import { rankEntity } from '../workload/rank.ts';
import { appendController, controllerOf, type Target, timeOf } from './objects.ts';
import { gpusOf, placeOfPod, ranksOfPod } from './pod-ranks.ts';

/** What names the service of a pod, in the order of the OpenTelemetry rules for Kubernetes attributes. */
const serviceAnnotation = 'resource.opentelemetry.io/service.name';
const serviceLabel = 'app.kubernetes.io/name';

/** A Pod: where it runs, whom it belongs to, and how its containers ended. @returns why it cannot be kept, or '' */
export function appendPodObject(target: Target, pod: Json): string {
  const { builder } = target;
  const metadata = asObject(pod.metadata);
  const name = asText(metadata.name);
  if (name === '') return 'a pod without a name';
  const namespace = asText(metadata.namespace);
  const aliases = [
    { kind: 'kubernetes_pod_uid', name: asText(metadata.uid) },
    { kind: 'ip_address', name: asText(at(pod, 'status', 'podIP')) },
  ].filter((alias) => alias.name !== '');
  const gpus = gpusOf(pod);
  const attributes = {
    phase: asText(at(pod, 'status', 'phase')),
    qos: asText(at(pod, 'status', 'qosClass')),
    ...(gpus > 0 && { gpus, place: placeOfPod(pod) || undefined }),
  };
  const entity = builder.entity(
    'pod',
    namespace === '' ? name : `${namespace}/${name}`,
    aliases,
    attributesText(attributes),
  );
  appendPlace(target, pod, entity);
  appendRanks(target, pod, entity, namespace);
  for (const status of [
    ...asList(at(pod, 'status', 'initContainerStatuses')),
    ...asList(at(pod, 'status', 'containerStatuses')),
  ])
    appendContainer(target, entity, asObject(status));
  appendConditions(target, pod, entity);
  return '';
}

function appendPlace(target: Target, pod: Json, entity: number): void {
  const { builder } = target;
  const node = asText(at(pod, 'spec', 'nodeName'));
  const started = timeOf(builder, at(pod, 'status', 'startTime'));
  if (node !== '') {
    const to = builder.entity('node', node, [{ kind: 'kubernetes_node', name: node }]);
    const since = started === undefined ? {} : { valid_from_ns: started };
    appendEdge(builder, { from: entity, kind: 'runs_on', to, provenance: 'kubernetes pod', ...since });
  }
  appendController(target, pod, entity);
  const service =
    asText(at(pod, 'metadata', 'annotations', serviceAnnotation)) ||
    asText(at(pod, 'metadata', 'labels', serviceLabel));
  if (service !== '') {
    const from = builder.entity('service', service);
    appendEdge(builder, { from, kind: 'runs_on', to: entity, provenance: 'kubernetes label' });
  }
}

/** The ranks that run in the pod, and the job that they are of. */
function appendRanks({ builder }: Target, pod: Json, entity: number, namespace: string): void {
  const held = ranksOfPod(pod);
  if (!held) return;
  const name = held.job || asText(controllerOf(pod)?.name);
  const job = name === '' || namespace === '' ? name : `${namespace}/${name}`;
  for (const rank of held.ranks) {
    const from = rankEntity(builder, {
      rank,
      job: held.part === '' ? job : `${job}/${held.part}`,
      alias: 'rank_of_job',
    });
    appendEdge(builder, { from, kind: 'runs_on', to: entity, provenance: 'kubernetes pod' });
    if (job !== '')
      appendEdge(builder, { from, kind: 'member_of', to: builder.entity('job', job), provenance: 'kubernetes pod' });
  }
}

/** The ends of a container: the running one's last, and its own when it runs no more. */
function appendContainer({ builder }: Target, pod: number, status: Json): void {
  const name = asText(status.name);
  const id = asText(status.containerID).replace(/^\w+:\/\//, '');
  if (id !== '') {
    const container = builder.entity('container', id, [], attributesText({ 'k8s.container.name': name }));
    appendEdge(builder, { from: container, kind: 'member_of', to: pod, provenance: 'kubernetes pod' });
  }
  for (const state of [asObject(status.lastState), asObject(status.state)]) {
    const ended = asObject(state.terminated);
    const time = timeOf(builder, ended.finishedAt);
    const reason = asText(ended.reason);
    const failed = reason === 'OOMKilled' || (typeof ended.exitCode === 'number' && ended.exitCode !== 0);
    if (time === undefined || !failed) continue;
    appendEvent(builder, {
      entity: pod,
      time_ns: time,
      type: reason === 'OOMKilled' ? 'pod_oom_killed' : 'pod_failed',
      severity: reason === 'OOMKilled' ? 'high' : 'medium',
      message: `container ${name} ended: ${reason || 'error'}, exit code ${asText(ended.exitCode)}`,
      origin: 'kubernetes',
      attributes: {
        container: name,
        reason,
        exit_code: ended.exitCode,
        signal: ended.signal,
        restarts: status.restartCount,
        // Its last run, and it runs again.
        ran_again: 'running' in asObject(status.state) || undefined,
      },
      raw: rawText(status),
    });
  }
}

/** Conditions of a pod that explain why it is not running as intended. */
const conditions: Readonly<Record<string, readonly [badWhen: string, EventType]>> = {
  PodScheduled: ['False', 'pod_unschedulable'],
  DisruptionTarget: ['True', 'pod_evicted'],
  ContainersReady: ['False', 'pod_failed'],
};

function appendConditions({ builder, captured_ns }: Target, pod: Json, entity: number): void {
  const finished = asText(at(pod, 'status', 'phase')) === 'Succeeded';
  let hasEviction = false;
  for (const one of asList(at(pod, 'status', 'conditions'))) {
    const condition = asObject(one);
    const known = conditions[asText(condition.type)];
    const time = timeOf(builder, condition.lastTransitionTime);
    if (!known || condition.status !== known[0] || time === undefined || finished) continue;
    const isEvicted = known[1] === 'pod_evicted';
    const isPreempted = isEvicted && asText(condition.reason).startsWith('Preemption');
    if (isEvicted) hasEviction = true;
    appendEvent(builder, {
      entity,
      time_ns: time,
      type: isPreempted ? 'pod_preempted' : known[1],
      severity: isEvicted && !isPreempted ? 'high' : 'medium',
      message: `${asText(condition.type)} is ${known[0]}: ${asText(condition.message) || asText(condition.reason)}`,
      origin: 'kubernetes',
      attributes: {
        condition: asText(condition.type),
        reason: asText(condition.reason),
        waiting: waitingReasons(pod) || undefined,
      },
      raw: rawText(condition),
    });
  }
  if (asText(at(pod, 'status', 'reason')) !== 'Evicted' || hasEviction) return;
  const time = timeOf(builder, at(pod, 'metadata', 'deletionTimestamp'));
  if (time === undefined) builder.remark('evicted pods have no eviction time: dated at the time of the recording');
  appendEvent(builder, {
    entity,
    time_ns: time ?? captured_ns,
    type: 'pod_evicted',
    severity: 'high',
    message: asText(at(pod, 'status', 'message')) || 'Evicted',
    origin: 'kubernetes',
    attributes: { time_known: time !== undefined },
    raw: rawText(pod.status),
  });
}

/** `CrashLoopBackOff, ImagePullBackOff`: what containers wait for. */
const waitingReasons = (pod: Json): string =>
  asList(at(pod, 'status', 'containerStatuses'))
    .map((status) => asText(at(status, 'state', 'waiting', 'reason')))
    .filter((reason) => reason !== '')
    .join(', ');
