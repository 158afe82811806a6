import type { FleetEvent, Output } from '../../../model/contract/index.ts';
import type { FetchedSlice } from '../../../model/storage/fetched-slice.ts';
import { fleetQueries } from '../../fleet/queries/index.ts';
import { type FleetQuestion, requireTable, windowValues } from '../../fleet/question.ts';
import { rowsOf } from '../../store/case-file/case-file.ts';
import { queries } from '../../store/queries/index.ts';
import type { Workspace } from '../workspace.ts';
import { MOST_ROWS, withScratch } from './scratch-rows.ts';

/**
 * Events that the log records of an archive state, as those of a case: the archive finds the records with the texts that importers
 * look for, and the importers read them.
 *
 * @throws ProblemError fleet.no_table, fleet.too_much
 */
export async function fleetEvents(
  workspace: Workspace,
  question: FleetQuestion,
  { at_ns, limit }: { readonly at_ns: bigint; readonly limit: number },
): Promise<Output<'fleet.events'>> {
  const { store, signal } = question;
  await requireTable(store, 'logs', signal);
  const values = {
    ...windowValues(question),
    marks: workspace.dependencies.reader.eventMarks,
    limit: MOST_ROWS,
  };
  async function* slices(): AsyncGenerator<FetchedSlice> {
    yield await store.slice(fleetQueries.eventRecords, values, signal);
  }
  const rows = await withScratch(workspace, slices(), signal, (scratch) =>
    scratch.withSession(async (session) =>
      rowsOf<FleetEvent & { readonly found: number }>(
        await session.query(queries.eventsNear, [at_ns, BigInt(limit)], signal),
      ),
    ),
  );
  const events = rows
    .map(({ found: _, ...event }) => event)
    .sort((a, b) => (a.time_ns < b.time_ns ? -1 : a.time_ns > b.time_ns ? 1 : 0));
  return { events, found: rows[0]?.found ?? 0 };
}
