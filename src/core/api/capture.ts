import type { CallContext, CaptureEvent, Parsed } from '../../model/contract/index.ts';
import type { Feed, FeedOutcome, FeedSink, Feeds } from '../../model/feed.ts';
import { fail, type Problem, ProblemError } from '../../model/problem.ts';
import { type RowBatch, rowCount } from '../../model/rows.ts';
import { formatUtc, nanos } from '../../model/time.ts';
import { finishCapture, LiveWriter } from '../store/live-writer.ts';
import type { Desk } from './desk.ts';
import type { OpenCase } from './open-case.ts';

/** Every row is on disk within two of these. */
const FLUSH_MS = 1000;
/** Rows that may wait to be written: about 100 MB of spans. What comes beyond is refused, so that its sender waits. */
const MOST_WAITING = 200_000;

/** Live feeds into a case. */
export function captureHandlers(desk: Desk) {
  return {
    'capture.run': async function* (
      { plan }: Parsed<'capture.run'>,
      context: CallContext,
    ): AsyncGenerator<CaptureEvent> {
      const { feeds, storage, now } = desk.dependencies;
      if (!feeds) fail('capture.unavailable', 'this host has no live feeds');
      const opened = await feeds.open(plan);
      const stop = new AbortController();
      context.signal?.addEventListener('abort', () => stop.abort(new Error('stopped')), { once: true });
      const done = await desk.beginImport(stop.signal);
      try {
        const into =
          desk.current() ?? (await desk.open(storage.create(`capture-${formatUtc(nanos(now())).slice(0, 10)}`)));
        yield* capture(into, opened, { feeds, now, stop, told: () => desk.changes.tell('rows', context.window) });
      } finally {
        stop.abort(new Error('stopped'));
        done();
        desk.changes.tell('rows', context.window);
      }
    },
  };
}

interface Run {
  readonly feeds: Feeds;
  now(): bigint;
  readonly stop: AbortController;
  /** Rows have been written. */
  told(): void;
}

async function* capture(opened: OpenCase, feeds: readonly Feed[], run: Run): AsyncGenerator<CaptureEvent> {
  const session = await opened.stored.engine.session();
  const events: CaptureEvent[] = [];
  try {
    const writer = await LiveWriter.begin(session);
    const running = feeds.map(
      (feed) => new RunningFeed(feed, writer, { now: run.now, tell: (event) => events.push(event) }),
    );
    yield { kind: 'begun', case: opened.stored.name, feeds: feeds.map(({ name }) => name) };
    const { signal } = run.stop;
    const all = Promise.all(running.map((feed) => feed.run(signal)));
    try {
      let isOver = false;
      const over = () => {
        isOver = true;
      };
      all.then(over, over);
      while (!signal.aborted && !isOver) {
        await run.feeds.wait(FLUSH_MS, signal);
        yield* flush(opened, writer, { running, events, told: run.told });
      }
    } finally {
      run.stop.abort(new Error('stopped'));
      await all;
      await writer.flush();
      await finishCapture(session);
      await opened.derive();
      await opened.stored.engine.checkpoint();
    }
    yield* events.splice(0);
    yield { kind: 'ended', feeds: running.map(({ outcome }) => outcome) };
  } finally {
    session.close();
  }
}

interface Flush {
  readonly running: readonly RunningFeed[];
  readonly events: CaptureEvent[];
  told(): void;
}

async function* flush(
  opened: OpenCase,
  writer: LiveWriter,
  { running, events, told }: Flush,
): AsyncGenerator<CaptureEvent> {
  yield* events.splice(0);
  if (!(await writer.flush())) return;
  opened.changed();
  told();
  const sum = (of: (outcome: FeedOutcome) => number): number =>
    running.reduce((all, { outcome }) => all + of(outcome), 0);
  yield { kind: 'written', rows: sum(({ rows }) => rows), lost: sum(({ lost }) => lost) };
}

interface Surroundings {
  now(): bigint;
  tell(event: CaptureEvent): void;
}

/** A mistake of ours in one feed must not take the evidence of the others with it. */
const broken = (error: unknown): Problem => ({
  code: 'feed.broken',
  message: `the feed failed by a mistake of Faultline's: ${error instanceof Error ? error.message : String(error)}`,
  hint: 'the other feeds go on; please report it',
});

/** One feed and the source that its rows become. One that fails ends alone. */
class RunningFeed implements FeedSink {
  private readonly feed: Feed;
  private readonly writer: LiveWriter;
  private readonly around: Surroundings;
  private readonly place: number;
  private rows = 0;
  private lostRecords = 0;
  private problem: Problem | null = null;
  private downSince: bigint | null = null;

  constructor(feed: Feed, writer: LiveWriter, around: Surroundings) {
    this.feed = feed;
    this.writer = writer;
    this.around = around;
    const source = { name: feed.name, format: feed.format, imported_at_ns: around.now() };
    this.place = writer.add({ ...source, clock_offset_ns: 0n, clock_uncertainty_ns: 0n });
  }

  get outcome() {
    return { name: this.feed.name, rows: this.rows, lost: this.lostRecords, problem: this.problem };
  }

  async run(signal: AbortSignal): Promise<void> {
    try {
      await this.feed.run(this, signal);
    } catch (error) {
      this.problem = error instanceof ProblemError ? error.problem : broken(error);
      this.say('down', this.problem.message);
    }
  }

  take(batches: readonly RowBatch[]): boolean {
    if (this.writer.waiting >= MOST_WAITING) return false;
    for (const batch of batches) {
      this.rows += rowCount(batch);
      this.writer.append(this.place, batch);
    }
    return true;
  }

  say(state: 'up' | 'down', reason: string): void {
    const at_ns = this.around.now();
    this.around.tell({ kind: 'feed', feed: this.feed.name, state, reason, about: this.feed.about, at_ns });
    const time = formatUtc(nanos(at_ns));
    if (state === 'down' && this.downSince === null) {
      this.downSince = at_ns;
      this.writer.remark(this.place, `nothing was received from ${time} on: ${reason}`);
    } else if (state === 'up' && this.downSince !== null) {
      this.writer.remark(this.place, `received again from ${time} on, after ${formatUtc(nanos(this.downSince))}`);
      this.downSince = null;
    }
  }

  lost(records: number, reason: string): void {
    this.lostRecords += records;
    this.writer.remark(this.place, `records were lost: ${reason}`);
  }
}
