import { type RowBatch, rowCount } from '../../../model/rows/rows.ts';
import type { FeedClock, FeedSink } from '../../../model/storage/feed.ts';
import type { Source } from '../../../model/storage/source.ts';
import { type Nanos, nanos } from '../../../model/time.ts';
import { reportChangesOnly } from '../feed-state.ts';
import { asFiles } from '../plan/as-files.ts';
import { PollSchedule } from '../poll-schedule.ts';
import { steadyNanos, steadyNow } from '../steady-clock.ts';
import { OnlyNew } from './only-new.ts';

const LONGEST_REST_MS = 15 * 60_000;
const MOST_WAITING = 100_000;

/** Responses of a provider as received, and the importer that reads them. */
export interface CloudAnswer {
  readonly source: Source;
  readonly name: string;
  /** Responses that belong together; the importer joins them. */
  readonly answers: readonly unknown[];
  /** Device of responses that name none. */
  readonly device?: string;
}

export interface CloudPoll {
  readonly every_s: number;
  /** Clock of records without a time. */
  readonly stampedBy: FeedClock;
  /** Polls everything once. */
  poll(signal: AbortSignal): Promise<{ readonly answers: readonly CloudAnswer[]; readonly about: string }>;
  /** Why a poll failed, in one line. Rethrows our own bugs. */
  whyNot(error: unknown): string;
}

/** Polls a provider at the plan's interval, and less and less often while it does not answer. */
export async function pollCloud(
  { every_s, stampedBy, poll, whyNot }: CloudPoll,
  sink: FeedSink,
  signal: AbortSignal,
): Promise<void> {
  const reportState = reportChangesOnly(sink);
  const onlyNew = new OnlyNew();
  const waiting: RowBatch[] = [];
  const schedule = new PollSchedule();
  let failures = 0;
  while (!signal.aborted) {
    const began = steadyNow();
    try {
      const { answers, about } = await poll(signal);
      failures = 0;
      reportState('up', about);
      waiting.push(...(await newRowsOf(answers, onlyNew, requestTime(stampedBy))));
      deliver(waiting, sink);
    } catch (error) {
      if (signal.aborted) return;
      failures++;
      reportState('down', whyNot(error), steadyNow() - began);
    }
    const regular_ms = every_s * 1000;
    const pause = Math.min(Math.max(regular_ms, LONGEST_REST_MS), regular_ms * 2 ** failures);
    if (failures > 0) schedule.from(began);
    await schedule.rest(pause, signal, (late_ms) => sink.missed?.(late_ms));
  }
}

/**
 * Poll times follow the feed's clock, which is corrected as a whole if this machine's clock is set back; a sender's is
 * not.
 */
const requestTime = (stampedBy: FeedClock): Nanos =>
  nanos(stampedBy === 'sender' ? BigInt(Date.now()) * 1_000_000n : steadyNanos());

async function newRowsOf(answers: readonly CloudAnswer[], onlyNew: OnlyNew, requestedAt: Nanos): Promise<RowBatch[]> {
  const batches: RowBatch[] = [];
  for (const answer of answers)
    for await (const batch of rowsOf(answer, requestedAt)) batches.push(onlyNew.filter(batch, requestedAt));
  return batches.filter((batch) => rowCount(batch) > 0 || batch.remarks.length > 0);
}

/** If there is no room, rows wait for the next poll: some providers deliver them only once. */
function deliver(waiting: RowBatch[], sink: FeedSink): void {
  if (waiting.length === 0) return;
  const rows = waiting.reduce((sum, batch) => sum + rowCount(batch), 0);
  if (sink.take([...waiting])) waiting.length = 0;
  else if (rows > MOST_WAITING) {
    sink.lost(rows, 'writing was too slow: responses were dropped');
    waiting.length = 0;
  }
}

/** Rows that the importer of the format reads from the responses. */
export function rowsOf({ source, name, answers, device }: CloudAnswer, asked: Nanos): AsyncIterable<RowBatch> {
  const bodies = answers.map((answer) => Buffer.from(JSON.stringify(answer)));
  return source.read(asFiles({ name, bodies, requestedAt: asked, device: device ?? null }));
}
