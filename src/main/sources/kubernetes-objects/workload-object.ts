import { asText, at, type Json } from '../bytes/json-access.ts';
import { appendController, referenced, type Target } from './objects.ts';

/** A Deployment, ReplicaSet, Job and so on: whom it belongs to. @returns why it cannot be kept, or '' */
export function appendWorkloadObject(target: Target, workload: Json): string {
  const name = asText(at(workload, 'metadata', 'name'));
  if (name === '') return 'a workload without a name';
  const namespace = asText(at(workload, 'metadata', 'namespace'));
  const entity = referenced(target.builder, { kind: asText(workload.kind) || 'Job', name, namespace });
  appendController(target, workload, entity);
  return '';
}
