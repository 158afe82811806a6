import { fail } from '../../../model/problem.ts';
import type { Archive, ArchiveQuery, PullEstimate, SliceSize, TimeWindow } from '../../../model/storage/archive.ts';
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
const OF_TEXT: SliceSize = { rows: 400_000, bytes: 16 * 1024 * 1024 };
const MOST_SLICES = 100_000n;

export interface Wanted {
  readonly window: TimeWindow;
  /** What was recorded later may still arrive in the archive. */
  readonly settled_ns: bigint;
  readonly signal: AbortSignal;
}

/**
 * @param present windows of this query that the case has
 * @returns null: the archive has nothing to be asked for; what arrives there later is found by the next plan
 * @throws ProblemError pull.too_many_slices, archive.*
 */
export async function planQuery(
  { window: wanted, settled_ns, signal }: Wanted,
  query: ArchiveQuery,
  present: readonly TimeWindow[],
): Promise<PlannedQuery | null> {
  const window = query.extent ?? onGrain(wanted, query.grain_ns, settled_ns);
  const missing = missingWindows(window, present);
  const missing_ns = missing.reduce((sum, { from_ns, until_ns }) => sum + until_ns - from_ns, 0n);
  const present_ns = window.until_ns - window.from_ns - missing_ns;
  if (missing_ns <= 0n) return { query, window, slices: [], estimate: { rows: 0, bytes: 0 }, present_ns };
  const whole = await query.estimate(window, signal);
  if (whole.isCounted && whole.rows === 0) return null;
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
  const most = query.most ?? OF_TEXT;
  const parts = Math.ceil(Math.max((rows ?? 0) / most.rows, (bytes ?? 0) / most.bytes, 1));
  const length_ns = (until_ns - from_ns) / BigInt(Math.min(parts, Number(MOST_SLICES)));
  const longest_ns = length_ns < query.longest_ns ? length_ns : query.longest_ns;
  return longest_ns < query.grain_ns ? query.grain_ns : longest_ns;
}

/** What a case has of an archive, by query. */
export async function presentWindows(session: Session, { address }: Archive): Promise<Map<string, TimeWindow[]>> {
  const rows = rowsOf<TimeWindow & { readonly query: string }>(
    await session.query(
      // What a repair could not read is asked for again.
      `select query, from_ns, until_ns from pulled join source using (source_id)
      where archive = $1 and not starts_with(digest, 'lost:')`,
      [address],
    ),
  );
  const windows = new Map<string, TimeWindow[]>();
  for (const { query, ...window } of rows) {
    const list = windows.get(query);
    if (list) list.push(window);
    else windows.set(query, [window]);
  }
  return windows;
}
