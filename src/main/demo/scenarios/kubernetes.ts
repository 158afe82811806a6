import { timeAt } from '../incident.ts';
import { faultAt_s, jsonText, type Scene } from './scene.ts';
import { MODEL, NAMESPACE, type Replica } from './site.ts';

/** Events of a stateful rollout as `kubectl get events -o json` lists them: each pod is replaced ten seconds after the one before. */
export function deploymentEvents(scene: Scene, replicas: readonly Replica[], version: string): string {
  const at = faultAt_s(scene);
  const image = `registry.example/${MODEL}:${version}`;
  const items = replicas.flatMap(({ pod, server }, i) => {
    const event = (after_s: number, reason: string, message: string) =>
      eventOf({ at_s: at + 10 * i + after_s, pod, reason, message, host: server });
    return [
      event(-6, 'Killing', 'Stopping container server'),
      event(-4, 'Pulled', `Container image "${image}" already present on machine`),
      event(-3, 'Created', 'Created container: server'),
      event(-2, 'Started', 'Started container server'),
    ];
  });
  return jsonText({ kind: 'EventList', apiVersion: 'v1', metadata: {}, items });
}

function eventOf(event: {
  readonly at_s: number;
  readonly pod: string;
  readonly reason: string;
  readonly message: string;
  readonly host: string;
}) {
  const { at_s, pod, reason, message, host } = event;
  const time = `${timeAt(at_s).slice(0, 19)}Z`;
  return {
    kind: 'Event',
    apiVersion: 'v1',
    metadata: { name: `${pod}.${Math.round(at_s * 1000).toString(16)}.${reason.toLowerCase()}`, namespace: NAMESPACE },
    involvedObject: { kind: 'Pod', namespace: NAMESPACE, name: pod, apiVersion: 'v1' },
    reason,
    message,
    source: { component: 'kubelet', host },
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
    type: 'Normal',
  };
}
