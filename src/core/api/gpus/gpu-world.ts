import type { Session } from '../../../model/storage/engine.ts';
import { gpuOfInstanceType } from '../../../model/telemetry/instance-gpus.ts';
import type { GpuWorld } from '../../analysis/costs/affected-gpus.ts';
import { rowsOf } from '../../store/case-file/case-file.ts';
import { createReader, type EdgeFact, type Reader } from '../../store/facts/reader.ts';
import { queries } from '../../store/queries/index.ts';

export async function readGpuWorld(
  session: Session,
  reader: Pick<Reader, 'entities' | 'edges' | 'observers'> = createReader(session),
): Promise<GpuWorld> {
  const edges = await reader.edges();
  const [entities, observers] = [await reader.entities(), await reader.observers()];
  return { entities, edges, observers, models: await readModels(session, edges) };
}

interface HostGpus {
  readonly entity: number;
  readonly product: string | null;
  readonly instance_type: string | null;
}

/** Models of GPUs by what states them, else by their host; and of hosts. */
async function readModels(session: Session, edges: readonly EdgeFact[]): Promise<Map<number, string>> {
  const own = rowsOf<{ entity: number; model: string }>(await session.query(queries.gpuModels));
  const hosts = rowsOf<HostGpus>(await session.query(queries.hostGpus));
  const models = new Map<number, string>();
  for (const { entity, product, instance_type } of hosts) {
    const model = product ?? gpuOfInstanceType(instance_type ?? '');
    if (model !== null) models.set(entity, model);
  }
  // What a host contains beside GPUs has no model that anybody asks for.
  const parts = edges.filter(({ kind, from_id }) => kind === 'contains' && models.has(from_id));
  for (const { from_id, to_id } of parts) models.set(to_id, models.get(from_id)!);
  for (const { entity, model } of own) models.set(entity, model);
  return models;
}
