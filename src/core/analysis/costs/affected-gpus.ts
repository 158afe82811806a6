import { entityKey } from '../../../model/entity.ts';
import { type Workloads, workOf } from '../gpus/gpu-workloads.ts';

/** A GPU that a service ran on within some time. */
export interface AffectedGpu {
  /** `gpu:node-1/GPU-0` */
  readonly key: string;
  readonly model: string | null;
  /** Services and jobs that used it then, as `kind:id`. */
  readonly work: readonly string[];
}

/** GPUs of the case and their workloads. */
export interface GpuWorld extends Workloads {
  /** Of a GPU, or of the GPUs of a host, by canonical entity. */
  readonly models: ReadonlyMap<number, string>;
}

/** GPUs of each service or job during a window, with other users; by its name. */
export function affectedGpus(
  world: GpuWorld,
  window: { readonly start_ns: bigint; readonly end_ns: bigint },
): (service: string) => AffectedGpu[] {
  const usedBy = workOf(world, { start_ns: window.start_ns, end_ns: window.end_ns + 1n });
  const gpus = world.entities
    .filter(({ kind, entity_id, canonical_id }) => kind === 'gpu' && entity_id === canonical_id)
    .map(({ entity_id, kind, id }) => ({
      key: entityKey(kind, id),
      model: world.models.get(entity_id) ?? null,
      work: usedBy(entity_id),
    }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
  return (service) => gpus.filter(({ work }) => work.includes(`service:${service}`) || work.includes(`job:${service}`));
}
