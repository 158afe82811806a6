import { fail } from '../../../model/problem.ts';
import type { FetchedSlice } from '../../../model/storage/fetched-slice.ts';
import type { OpenCase } from '../cases/open-case.ts';
import { importSource, Progress, type SourceRun } from '../imports/import.ts';
import { MostlyRejected } from '../imports/import-prompts.ts';
import type { Workspace } from '../workspace.ts';

/** Rows of one answer, and of all: more are too many to be read here. */
export const MOST_ROWS = 300_000;

/**
 * Reads answers of an archive as a case would: by the importers, into a case in memory that is gone afterwards.
 *
 * @param slices tables in Parquet, fetched one after another
 * @throws ProblemError fleet.too_much, fleet.no_scratch, those of the archive and the importers
 */
export async function withScratch<T>(
  workspace: Workspace,
  slices: AsyncIterable<FetchedSlice>,
  signal: AbortSignal,
  work: (scratch: OpenCase) => Promise<T>,
): Promise<T> {
  const { reader, now } = workspace.dependencies;
  const scratch = await workspace.scratch();
  try {
    const rejected = new MostlyRejected(true, workspace.importPrompts, signal);
    const run: SourceRun = { openCase: async () => scratch, reader, signal, rejected, force: true, now };
    const state = { progress: new Progress(0), identities: undefined, onCommitted: () => undefined };
    let read = 0;
    for await (const slice of slices) {
      try {
        read += await readSlice(run, slice, state, read);
      } finally {
        await slice.discard();
      }
    }
    scratch.changed();
    return await work(scratch);
  } finally {
    await scratch.close();
  }
}

/** @returns rows */
async function readSlice(
  run: SourceRun,
  { files }: FetchedSlice,
  state: Parameters<typeof importSource>[2],
  number: number,
): Promise<number> {
  const source = {
    name: `slice ${number}`,
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    format: 'parquet',
    files,
    assume: { zone: null, device: null, mapping: null },
    clock_offset_ns: 0n,
    clock_uncertainty_ns: 0n,
    named: true,
    problem: undefined,
    remaining: 0,
  };
  const importing = importSource(run, source, state);
  let rows = 0;
  let step = await importing.next();
  for (; !step.done; step = await importing.next())
    if (step.value.kind === 'source')
      rows += Object.values(step.value.source.rows).reduce((sum, count) => sum + count, 0);
  if (step.value) fail(step.value.code, step.value.message, step.value);
  if (rows >= MOST_ROWS)
    fail('fleet.too_much', `more than ${MOST_ROWS} records would have to be read`, {
      hint: 'ask for a shorter time or fewer services',
    });
  return rows;
}
