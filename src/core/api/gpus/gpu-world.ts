import type { Session } from '../../../model/storage/engine.ts';
import type { GpuWorld } from '../../analysis/costs/affected-gpus.ts';
import { rowsOf } from '../../store/case-file/case-file.ts';
import { createReader } from '../../store/facts/reader.ts';
import { queries } from '../../store/queries/index.ts';

export async function readGpuWorld(session: Session): Promise<GpuWorld> {
  const reader = createReader(session);
  const models = rowsOf<{ entity: number; model: string }>(await session.query(queries.gpuModels));
  return {
    entities: await reader.entities(),
    edges: await reader.edges(),
    models: new Map(models.map(({ entity, model }) => [entity, model])),
  };
}
