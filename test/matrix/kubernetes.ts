import type { TestCore } from '../support/core.ts';
import { type Container, type Fact, iso, type Part, rowsOf, START } from './matrix.ts';

/** An event of Kubernetes, a minute each. */
interface EventFact extends Fact {
  readonly reason: string;
  readonly message: string;
  /** Kind and name of what it is about; pods are of the namespace `train`. */
  readonly about: readonly ['Pod' | 'Node', string];
  readonly isWarning: boolean;
  readonly at: number;
  readonly wanted: readonly [type: string, device: string];
}

type Row = readonly [reason: string, message: string, about: EventFact['about'], type: string];
const pod = ['Pod', 'trainer-5'] as const;
const node = ['Node', 'node-5'] as const;
const rows: readonly Row[] = [
  ['Evicted', 'The node was low on resource: ephemeral-storage.', pod, 'pod_evicted'],
  ['TaintManagerEviction', 'Marking for deletion Pod train/trainer-5', pod, 'pod_evicted'],
  ['Preempted', 'Preempted by pod 1234 on node node-5', pod, 'pod_preempted'],
  ['OOMKilling', 'Memory cgroup out of memory: Killed process 77 (python3)', node, 'out_of_memory'],
  ['NodeNotReady', 'Node node-5 status is now: NodeNotReady', node, 'node_not_ready'],
  ['NodeReady', 'Node node-5 status is now: NodeReady', node, 'node_ready'],
  ['NodeHasDiskPressure', 'Node node-5 status is now: NodeHasDiskPressure', node, 'node_condition'],
  ['NodeNotSchedulable', 'Node node-5 status is now: NodeNotSchedulable', node, 'node_tainted'],
  ['Rebooted', 'Node node-5 has been rebooted, boot id: 1', node, 'host_rebooted'],
  ['FailedScheduling', '0/8 nodes are available: 8 Insufficient nvidia.com/gpu.', pod, 'pod_unschedulable'],
  ['FailedMount', 'MountVolume.SetUp failed for volume "data"', pod, 'mount_failed'],
  ['BackOff', 'Back-off restarting failed container trainer in pod trainer-5', pod, 'pod_failed'],
  ['Unhealthy', 'Readiness probe failed: HTTP probe failed with statuscode: 503', pod, 'health_check_failed'],
  ['KernelOops', 'kernel: BUG: unable to handle kernel NULL pointer dereference', node, 'host_degradation'],
];
const NAMESPACE = 'train';
const facts: readonly EventFact[] = rows.map(([reason, message, about, type], i) => ({
  name: reason,
  reason,
  message,
  about,
  isWarning: !/Ready$/.test(reason) || reason === 'NodeNotReady',
  at: START + i * 60,
  wanted: [type, about[0] === 'Pod' ? `${NAMESPACE}/${about[1]}` : about[1]],
}));

const json = (value: unknown): string => JSON.stringify(value);
const namespaceOf = ({ about: [kind] }: EventFact): string => (kind === 'Pod' ? NAMESPACE : '');
const object = (fact: EventFact) => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name: `e-${fact.at}`, namespace: NAMESPACE, uid: `uid-${fact.at}` },
  involvedObject: { kind: fact.about[0], name: fact.about[1], namespace: namespaceOf(fact) },
  reason: fact.reason,
  message: fact.message,
  type: fact.isWarning ? 'Warning' : 'Normal',
  firstTimestamp: iso(fact.at).replace('.000Z', 'Z'),
  lastTimestamp: iso(fact.at).replace('.000Z', 'Z'),
  count: 1,
  source: { component: 'kubelet' },
});
/** As the API `events.k8s.io/v1` has it: members are renamed. */
const newObject = (fact: EventFact) => ({
  apiVersion: 'events.k8s.io/v1',
  kind: 'Event',
  metadata: { name: `e-${fact.at}`, namespace: NAMESPACE, uid: `uid-${fact.at}` },
  regarding: { kind: fact.about[0], name: fact.about[1], namespace: namespaceOf(fact) },
  reason: fact.reason,
  note: fact.message,
  type: fact.isWarning ? 'Warning' : 'Normal',
  eventTime: iso(fact.at).replace('.000Z', '.000000Z'),
  reportingController: 'kubelet',
});
const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });
const otlp = (records: readonly unknown[], resource: readonly unknown[] = []) =>
  json({ resourceLogs: [{ resource: { attributes: resource }, scopeLogs: [{ logRecords: records }] }] });
const nanoseconds = ({ at }: EventFact): string => `${at}000000000`;

const containers: readonly Container<EventFact>[] = [
  {
    name: 'List',
    write: (asked) => ({
      file: 'events.json',
      content: json({ apiVersion: 'v1', kind: 'List', items: asked.map(object) }),
    }),
  },
  {
    name: 'events.k8s.io',
    write: (asked) => ({
      file: 'events.json',
      content: json({ apiVersion: 'events.k8s.io/v1', kind: 'EventList', items: asked.map(newObject) }),
    }),
  },
  {
    name: 'watch',
    write: (asked) => ({
      file: 'watch.jsonl',
      content: asked.map((fact) => `${json({ type: 'ADDED', object: object(fact) })}\n`).join(''),
    }),
  },
  {
    name: 'k8sobjects receiver',
    write: (asked) => ({
      file: 'otlp.json',
      content: otlp(
        asked.map((fact) => ({ timeUnixNano: nanoseconds(fact), body: { stringValue: json(object(fact)) } })),
      ),
    }),
  },
  {
    name: 'k8s_events receiver',
    write: (asked) => ({
      file: 'otlp.json',
      content: otlp(
        asked.map((fact) => ({
          timeUnixNano: nanoseconds(fact),
          severityNumber: fact.isWarning ? 13 : 9,
          body: { stringValue: fact.message },
          attributes: [
            text('k8s.event.reason', fact.reason),
            text('k8s.event.uid', `uid-${fact.at}`),
            text('k8s.namespace.name', NAMESPACE),
            text('k8s.object.kind', fact.about[0]),
            text('k8s.object.name', fact.about[1]),
          ],
        })),
      ),
    }),
  },
];

async function answers(core: TestCore, asked: readonly EventFact[]): Promise<readonly unknown[]> {
  const events = await rowsOf(core, 'select time_ns::varchar, type, device_id from events order by time_ns, type');
  return asked.map(({ at }) =>
    events.filter(([time]) => String(time).startsWith(String(at))).map(([, type, device]) => [type, device]),
  );
}

/** Events of Kubernetes by every way out of it. */
export const kubernetes: Part<EventFact> = {
  title: 'Events of Kubernetes',
  facts,
  containers,
  answers,
  wanted: (fact) => [fact.wanted],
};
