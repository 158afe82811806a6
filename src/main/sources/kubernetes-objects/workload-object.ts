import { asList, asObject, asText, at, type Json, rawText } from '../bytes/json-access.ts';
import { appendEvent } from '../event-details/append-event.ts';
import { appendController, referenced, type Target, timeOf } from './objects.ts';

/** A Deployment, ReplicaSet, Job and so on: whom it belongs to. @returns why it cannot be kept, or '' */
export function appendWorkloadObject(target: Target, workload: Json): string {
  const name = asText(at(workload, 'metadata', 'name'));
  if (name === '') return 'a workload without a name';
  const namespace = asText(at(workload, 'metadata', 'namespace'));
  const entity = referenced(target.builder, { kind: asText(workload.kind) || 'Job', name, namespace });
  appendController(target, workload, entity);
  appendFailure(target, workload, entity);
  return '';
}

/**
 * That a job failed: the condition `Failed` of Job, JobSet and Kubeflow's jobs; the phase of a Volcano job; the status of a RayJob. A
 * deadline that somebody set is a limit, no failure.
 */
function appendFailure({ builder }: Target, { kind, status }: Json, entity: number): void {
  const failed = asList(at({ status }, 'status', 'conditions'))
    .map(asObject)
    .find((one) => one.type === 'Failed' && one.status === 'True');
  const phase = asObject(at({ status }, 'status', 'state'));
  const { jobStatus, endTime, message } = asObject(status);
  const isFailed =
    phase.phase === 'Failed' || phase.phase === 'Aborted' || (kind === 'RayJob' && jobStatus === 'FAILED');
  const time = timeOf(builder, failed?.lastTransitionTime ?? phase.lastTransitionTime ?? endTime);
  if ((!failed && !isFailed) || time === undefined) return;
  const reason = asText(failed?.reason) || asText(phase.reason);
  const isLimit = reason === 'DeadlineExceeded' || phase.phase === 'Aborted';
  appendEvent(builder, {
    entity,
    time_ns: time,
    type: isLimit ? 'job_cancelled' : 'job_failed',
    severity: isLimit ? 'medium' : 'high',
    message: [reason, asText(failed?.message) || asText(phase.message) || asText(message)].filter(Boolean).join(': '),
    origin: 'kubernetes',
    attributes: { reason: reason || undefined },
    raw: rawText(status),
  });
}
