import { assignedName } from '../../../model/incident/assigned-name.ts';

const UUID_WITHOUT_PREFIX = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** `GPU-8f2a…` as the driver writes it: exporters and BMCs leave the prefix out or change its case; an all-zero one was anonymised. */
export function gpuUuid(text: string | undefined): string | undefined {
  const value = assignedName(text ?? '');
  if (UUID_WITHOUT_PREFIX.test(value)) return `GPU-${value.toLowerCase()}`;
  const match = /^(gpu|mig)-(.+)$/i.exec(value);
  return match ? `${match[1]!.toUpperCase()}-${match[2]}` : undefined;
}

/** Id of a MIG slice: the GPU instance on its GPU, `GPU-8f2a…/gi3`. */
export const migSliceId = (gpuId: string, instance: string): string => `${gpuId}/gi${instance}`;
