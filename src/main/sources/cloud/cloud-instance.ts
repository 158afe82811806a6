import type { BatchBuilder } from '../../../model/rows/batch-builder.ts';

/** A machine of a provider by the name that its records use, with its other names. */
export function cloudInstance(
  builder: BatchBuilder,
  id: string,
  names: { readonly ids?: readonly string[]; readonly host?: string } = {},
): number {
  const aliases = [id, ...(names.ids ?? [])].map((name) => ({ kind: 'cloud_instance_id', name }));
  if (names.host) aliases.push({ kind: 'host_name', name: names.host });
  return builder.entity('instance', id, aliases);
}
