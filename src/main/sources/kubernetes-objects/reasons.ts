import type { Severity } from '../../../model/entity.ts';
import type { EventType } from '../../../model/telemetry/event-catalog.ts';

type Meaning = readonly [EventType, Severity];

/**
 * Reasons of Kubernetes events with a known meaning (kubelet `events/event.go`, node lifecycle controller, scheduler,
 * taint eviction, node-problem-detector, horizontal autoscaler `podautoscaler/horizontal.go`). An open list: other reasons stay `kubernetes_event`.
 */
export const eventReasons: Readonly<Record<string, Meaning>> = {
  Evicted: ['pod_evicted', 'high'],
  EvictionThresholdMet: ['node_condition', 'medium'],
  Preempted: ['pod_preempted', 'medium'],
  Preempting: ['pod_preempted', 'medium'],
  TaintManagerEviction: ['pod_evicted', 'high'],
  NodeControllerEviction: ['pod_evicted', 'high'],
  DeletingAllPods: ['node_drained', 'high'],
  OOMKilling: ['out_of_memory', 'high'],
  SystemOOM: ['out_of_memory', 'high'],
  NodeNotReady: ['node_not_ready', 'high'],
  NodeReady: ['node_ready', 'low'],
  NodeNotSchedulable: ['node_tainted', 'medium'],
  NodeSchedulable: ['node_condition', 'low'],
  NodeHasDiskPressure: ['node_condition', 'medium'],
  NodeHasInsufficientMemory: ['node_condition', 'medium'],
  NodeHasInsufficientPID: ['node_condition', 'medium'],
  Rebooted: ['host_rebooted', 'medium'],
  Starting: ['kubernetes_event', 'low'],
  Started: ['pod_started', 'low'],
  FailedMount: ['mount_failed', 'medium'],
  FailedAttachVolume: ['mount_failed', 'medium'],
  FailedMapVolume: ['mount_failed', 'medium'],
  FailedScheduling: ['pod_unschedulable', 'medium'],
  BackoffLimitExceeded: ['job_failed', 'high'],
  PodFailurePolicy: ['job_failed', 'high'],
  DeadlineExceeded: ['job_cancelled', 'medium'],
  BackOff: ['pod_failed', 'medium'],
  Failed: ['pod_failed', 'medium'],
  FailedCreatePodSandBox: ['pod_failed', 'medium'],
  FailedPodSandBoxStatus: ['pod_failed', 'medium'],
  InspectFailed: ['pod_failed', 'medium'],
  ErrImageNeverPull: ['pod_failed', 'medium'],
  Unhealthy: ['health_check_failed', 'medium'],
  ProbeWarning: ['health_check_failed', 'low'],
  SuccessfulRescale: ['replicas_changed', 'low'],
  FailedRescale: ['scaling_failed', 'medium'],
  FailedGetScale: ['scaling_failed', 'medium'],
  FailedGetResourceMetric: ['scaling_failed', 'medium'],
  FailedGetPodsMetric: ['scaling_failed', 'medium'],
  FailedGetObjectMetric: ['scaling_failed', 'medium'],
  FailedGetExternalMetric: ['scaling_failed', 'medium'],
  FailedComputeMetricsReplicas: ['scaling_failed', 'medium'],
  KernelOops: ['host_degradation', 'high'],
  TaskHung: ['host_degradation', 'medium'],
  KernelDeadlock: ['host_degradation', 'high'],
  ReadonlyFilesystem: ['host_degradation', 'high'],
};

/** Kubeflow's operators name the kind of the job: `PyTorchJobFailed`. */
const JOB_FAILED = /^\w{0,40}JobFailed$/;

export const meaningOfReason = (reason: string, warning: boolean): Meaning =>
  (Object.hasOwn(eventReasons, reason) ? eventReasons[reason] : undefined) ??
  (JOB_FAILED.test(reason) ? ['job_failed', 'high'] : ['kubernetes_event', warning ? 'medium' : 'low']);
