import type { EventType } from '../../../model/telemetry/event-catalog.ts';
import type { StatedEvent } from '../../../model/telemetry/event-details.ts';
import { statedText, type Wording } from './wording.ts';

const pods: readonly EventType[] = ['pod_failed', 'pod_evicted', 'node_condition'];

/** The message with Kubernetes' reason, and what containers wait for. */
const withReason = ({ message, attributes }: StatedEvent): string =>
  [message, statedText(attributes, 'reason'), statedText(attributes, 'waiting')].filter(Boolean).join(' ');

/** The kubelet's, scheduler's and controllers' own words. */
export const kubernetesWordings: readonly Wording[] = [
  {
    types: 'any',
    words:
      /\b(?:roll(?:ed|ing)?[ -]?out|deploy(?:ed|ment|ing)?|scaled up|new (?:version|replica|revision)|successfully pulled|pulling image|created container|started container)\b/i,
    means: 'rollout',
  },
  {
    // "to" is a new set of replicas, "from" one that only grows.
    types: ['kubernetes_event'],
    words: /Scaled up replica set (\S+) to \d+/,
    means: ([, replica_set = '']) => ({ replica_set }),
  },
  {
    types: pods,
    of: withReason,
    words:
      /ErrImagePull|ImagePullBackOff|ErrImageNeverPull|InvalidImageName|Failed to pull image|Back-off pulling image/i,
    means: 'image_pull',
  },
  { types: pods, words: /image "?([^\s",]+)/, means: ([, image = '']) => ({ image }) },
  {
    // The runtime's own error follows the name of the image.
    types: pods,
    words: /pull image [^:]+(?::[\w.-]+)?"?: (.+)/,
    means: ([, image_error = '']) => ({ image_error }),
  },
  { types: pods, of: withReason, words: /CrashLoopBackOff|Back-off restarting failed/i, means: 'crash_loop' },
  {
    // Eviction manager: the node, or the pod's own limit, ran short of something.
    types: pods,
    of: withReason,
    words:
      /low on resource|node was low|Pressure|NodeHasInsufficient(?:Memory|PID)|EvictionThresholdMet|exceeds the limit|exceeded its local ephemeral|TerminationByKubelet/i,
    means: 'resource_pressure',
  },
  { types: pods, words: /low on resource:? ?([\w-]+(?:\.[\w-]+)*)/i, means: ([, resource = '']) => ({ resource }) },
  {
    types: ['node_condition', 'host_degradation'],
    of: withReason,
    words: /DiskPressure|Read-?only ?file ?system/i,
    means: 'disk_pressure',
  },
];
