import type { PatternEvent } from './case-facts.ts';

/** What Kubernetes says beside the message: its reason, and what containers wait for. */
const saidBy = ({ message, attributes }: PatternEvent): string =>
  `${message} ${String(attributes['reason'] ?? '')} ${String(attributes['waiting'] ?? '')}`;

export const isPull = (event: PatternEvent): boolean =>
  /ErrImagePull|ImagePullBackOff|ErrImageNeverPull|InvalidImageName|Failed to pull image|Back-off pulling image/i.test(
    saidBy(event),
  );
export const isCrashLoop = (event: PatternEvent): boolean =>
  /CrashLoopBackOff|Back-off restarting failed/i.test(saidBy(event));
/** The kubelet's own words (eviction manager): the node, or the pod's own limit, ran short of something. */
export const isPressure = (event: PatternEvent): boolean =>
  /low on resource|node was low|Pressure|exceeds the limit|exceeded its local ephemeral|TerminationByKubelet/i.test(
    saidBy(event),
  );
