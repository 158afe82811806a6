import { fail } from '../../../model/problem.ts';
import type { Archive, ArchiveQuery, PullEstimate, TimeWindow } from '../../../model/storage/archive.ts';
import type { Session } from '../../../model/storage/engine.ts';
import { rowsOf } from '../../store/case-file/case-file.ts';
import { missingWindows, onGrain, slicesOf } from './missing-windows.ts';

/** What is to be pulled by one query. */
export interface PlannedQuery {
  readonly query: ArchiveQuery;
  /** Asked for, on the grain of the query. */
  readonly window: TimeWindow;
  readonly slices: readonly TimeWindow[];
  /** Of what is missing. */
  readonly estimate: PullEstimate;
  /** How many nanoseconds of the window the case has already. */
  readonly present_ns: bigint;
}

/** A slice is in memory or on disk as a whole, and is lost as a whole when it fails. */
const SLICE_ROWS = 400_000;
const SLICE_BYTES = 16 * 1024 * 1024;
const MOST_SLICES = 100_000n;

export interface Wanted {
  readonly archive: Archive;
  readonly window: TimeWindow;
  /** What was recorded later may still arrive in the archive. */
  readonly settled_ns: bigint;
  readonly signal: AbortSignal;
}

/**
 * @param session of the case; undefined: a new one, which has nothing
 * @throws ProblemError pull.too_many_slices, archive.*
 */
export async function planQuery(
  { archive, window: wanted, settled_ns, signal }: Wanted,
  query: ArchiveQuery,
  session: Session | undefined,
): Promise<PlannedQuery> {
  const window = onGrain(wanted, query.grain_ns, settled_ns);
  const present = session ? await presentWindows(session, archive, query) : [];
  const missing = missingWindows(window, present);
  const missing_ns = missing.reduce((sum, { from_ns, until_ns }) => sum + until_ns - from_ns, 0n);
  const present_ns = window.until_ns - window.from_ns - missing_ns;
  if (missing_ns <= 0n) return { query, window, slices: [], estimate: { rows: 0, bytes: 0 }, present_ns };
  const whole = await query.estimate(window, signal);
  const share = Number(missing_ns) / Number(missing_ns + present_ns);
  const longest_ns = longestSlice(whole, window, query);
  if (missing_ns / longest_ns > MOST_SLICES)
    fail('pull.too_many_slices', `the window has more than ${MOST_SLICES} slices: pull a shorter one`, {
      hint: 'or set slice_s of the plan',
    });
  return {
    query,
    window,
    slices: missing.flatMap((one) => slicesOf(one, longest_ns, query.grain_ns)),
    estimate: { rows: shareOf(whole.rows, share), bytes: shareOf(whole.bytes, share) },
    present_ns,
  };
}

const shareOf = (count: number | null, share: number): number | null =>
  count === null ? null : Math.round(count * share);

function longestSlice({ rows, bytes }: PullEstimate, { from_ns, until_ns }: TimeWindow, query: ArchiveQuery): bigint {
  const parts = Math.ceil(Math.max((rows ?? 0) / SLICE_ROWS, (bytes ?? 0) / SLICE_BYTES, 1));
  const length_ns = (until_ns - from_ns) / BigInt(Math.min(parts, Number(MOST_SLICES)));
  const longest_ns = length_ns < query.longest_ns ? length_ns : query.longest_ns;
  return longest_ns < query.grain_ns ? query.grain_ns : longest_ns;
}

const presentWindows = async (session: Session, { address }: Archive, { text }: ArchiveQuery): Promise<TimeWindow[]> =>
  rowsOf(
    await session.query(
      // What a repair could not read is asked for again.
      `select from_ns, until_ns from pulled join source using (source_id)
      where archive = $1 and query = $2 and not starts_with(digest, 'lost:') order by from_ns`,
      [address, text],
    ),
  );
