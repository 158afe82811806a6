import type { GpuHealth } from '../../../model/contract/index.ts';
import type { Session } from '../../../model/storage/engine.ts';
import type { MetricName } from '../../../model/telemetry/metric.ts';
import { rowsOf } from '../../store/case-file/case-file.ts';
import { listText } from '../../store/list-text.ts';
import { queries } from '../../store/queries/index.ts';

/** The counters of each column; several are added. */
const counters = {
  corrected: ['hw.gpu.ecc.corrected'],
  uncorrected: ['hw.gpu.ecc.uncorrected'],
  remapped: ['hw.gpu.rows.remapped.corrected', 'hw.gpu.rows.remapped.uncorrected'],
  nvlink: ['hw.nvlink.errors'],
  replays: ['hw.gpu.pcie.replays'],
} as const satisfies Readonly<Record<string, readonly MetricName[]>>;
type Column = keyof typeof counters;

/** Xids and grown error counters of each GPU within a time, by its number. */
export async function readGpuHealth(
  session: Session,
  { start_ns, end_ns }: { readonly start_ns: bigint; readonly end_ns: bigint },
  signal?: AbortSignal,
): Promise<(entity: number) => GpuHealth> {
  const metrics = listText(Object.values(counters).flat());
  const grown = rowsOf<{ entity: number; metric: string; grown: number }>(
    await session.query(queries.gpuCounters, [start_ns, end_ns, metrics], signal),
  );
  const xids = rowsOf<{ entity: number; xid: number; count: number }>(
    await session.query(queries.gpuXids, [start_ns, end_ns], signal),
  );
  const [grownOf, xidsOf] = [Map.groupBy(grown, ({ entity }) => entity), Map.groupBy(xids, ({ entity }) => entity)];
  return (entity) => {
    const sum = (column: Column): number | null => {
      const own = (grownOf.get(entity) ?? []).filter(({ metric }) => counters[column].some((name) => name === metric));
      return own.length === 0 ? null : own.reduce((all, one) => all + one.grown, 0);
    };
    return {
      xids: (xidsOf.get(entity) ?? []).map(({ xid, count }) => ({ xid, count })),
      corrected: sum('corrected'),
      uncorrected: sum('uncorrected'),
      remapped: sum('remapped'),
      nvlink: sum('nvlink'),
      replays: sum('replays'),
    };
  };
}
