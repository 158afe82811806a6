import type { PartView } from '../../../model/contract/index.ts';
import { entityName } from '../../draw/text/gpu-text.ts';

/** `GPU 5` where its place in the machine is known: the ids of cards differ in their last digits only. */
export function partName({ entity, names }: Pick<PartView, 'entity' | 'names'>): string {
  const index = names.flatMap(({ kind, name }) =>
    kind === 'gpu_index' ? (/\/gpu(\d+)$/.exec(name)?.[1] ?? []) : [],
  )[0];
  return index === undefined ? entityName(entity) : `GPU ${index}`;
}
