import type { FleetGpus } from '../../../model/contract/index.ts';
import type { TimeWindow } from '../../../model/storage/archive.ts';
import type { FetchedSlice } from '../../../model/storage/fetched-slice.ts';
import { type GpuBucket, gpuHosts } from '../../fleet/gpu-hosts.ts';
import { gpuDevices, gpuMeasures } from '../../fleet/gpu-names.ts';
import { fleetQueries } from '../../fleet/queries/index.ts';
import { type FleetQuestion, windowValues } from '../../fleet/question.ts';
import { rowsOf } from '../../store/case-file/case-file.ts';
import { createReader } from '../../store/facts/reader.ts';
import { queries } from '../../store/queries/index.ts';
import type { OpenCase } from '../cases/open-case.ts';
import { placesOf } from '../lanes/lane-places.ts';
import type { Workspace } from '../workspace.ts';
import { MOST_ROWS, withScratch } from './scratch-rows.ts';

/** Of sums: what was added since the last report has no meaning once it is thinned. */
const CUMULATIVE = 'and AggregationTemporality <> 1';

/**
 * How the GPUs of a fleet did, by host: their samples are thinned where they are, and read by the importers, which know what
 * exporters call them.
 *
 * @throws ProblemError fleet.too_much
 */
export async function fleetGpus(workspace: Workspace, question: FleetQuestion, buckets: number): Promise<FleetGpus> {
  const { store, window, signal } = question;
  const values = {
    ...windowValues(question),
    width_ns: widthOf(window, buckets),
    device: gpuDevices,
    measure: gpuMeasures,
    limit: MOST_ROWS,
  };
  async function* slices(): AsyncGenerator<FetchedSlice> {
    for (const { name, kind } of await store.sampleTables(signal)) {
      const sql = fleetQueries.gpuSamples.replace('/* cumulative */', kind === 'sum' ? CUMULATIVE : '');
      yield await store.slice(sql, { ...values, table: name }, signal);
    }
  }
  return withScratch(workspace, slices(), signal, (scratch) => hostsOf(scratch, question, buckets));
}

const widthOf = ({ from_ns, until_ns }: TimeWindow, buckets: number): bigint =>
  (until_ns - from_ns + BigInt(buckets) - 1n) / BigInt(buckets);

/** The same of a case. */
export async function hostsOf(
  opened: OpenCase,
  { window, signal }: Pick<FleetQuestion, 'window' | 'signal'>,
  buckets: number,
): Promise<FleetGpus> {
  return opened.withSession(async (session) => {
    const reader = createReader(session);
    const [entities, edges] = [await reader.entities(), await reader.edges()];
    const placeOf = placesOf(entities, edges);
    const names = new Map(entities.map(({ entity_id, id }) => [entity_id, id]));
    const { from_ns, until_ns } = window;
    const rows = rowsOf<GpuBucket>(
      await session.query(queries.gpuBuckets, [from_ns, until_ns, widthOf(window, buckets)], signal),
    );
    return gpuHosts(rows, buckets, (gpu) => ({ gpu: names.get(gpu) ?? '', within: placeOf(gpu) }));
  });
}
