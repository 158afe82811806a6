import { onAbort } from '../../../base/on-abort.ts';
import type { CallContext, CaptureEvent, Parsed } from '../../../model/contract/index.ts';
import { fail, ProblemError } from '../../../model/problem.ts';
import type { Session } from '../../../model/storage/engine.ts';
import type { Feed, FeedOutcome, Feeds } from '../../../model/storage/feed.ts';
import { formatUtc, nanos } from '../../../model/time.ts';
import { finishCapture } from '../../store/live/finish-capture.ts';
import { LiveWriter } from '../../store/live/live-writer.ts';
import type { OpenCase } from '../cases/open-case.ts';
import { NoticeWatch } from '../incidents/notices.ts';
import type { Workspace } from '../workspace.ts';
import { liveFeeds } from './capture-plans.ts';
import { Rest } from './capture-rest.ts';
import { liveDeriver } from './live-deriver.ts';
import { PushOut } from './push-alerts.ts';
import { RunningFeed, type Unwritten } from './running-feed.ts';

/** Time limit for the last notices. */
const FINAL_RESULTS_TIMEOUT_MS = 5000;
/** From one flush to the next: every row is on disk within two seconds, which are this and the time that writing takes. */
const FLUSH_MS = 1500;
/** Minimum pause between two flushes. */
const SHORTEST_REST_MS = 100;
/** Listening addresses are reported at once. */
const FIRST_MS = 300;

const NEVER = new AbortController().signal;

/** Live feeds into a case. */
export function captureHandlers(workspace: Workspace) {
  return {
    'capture.run': async function* (
      { plan, new_case = false }: Parsed<'capture.run'> & { readonly new_case?: boolean },
      context: CallContext,
    ): AsyncGenerator<CaptureEvent> {
      const { storage, now, version } = workspace.dependencies;
      const feeds = await liveFeeds(workspace);
      const opened = await feeds.open(plan);
      const stop = new AbortController();
      onAbort(context.signal, () => stop.abort(new Error('stopped')));
      const done = await workspace.beginImport(stop.signal, 'capture').catch(stoppedBefore(stop.signal));
      try {
        const into =
          (new_case ? undefined : workspace.current()) ??
          (await workspace.replace(() => storage.create(`capture-${formatUtc(nanos(now())).slice(0, 10)}`)));
        yield* capture(into, opened, {
          feeds,
          plan,
          version,
          now,
          stop,
          rowsChanged: (of) => workspace.changes.notify('rows', context.window, of),
        });
      } finally {
        stop.abort(new Error('stopped'));
        done();
        workspace.changes.notify('rows', context.window);
      }
    },
  };
}

/** Ended by its owner before it started. */
const stoppedBefore =
  (stop: AbortSignal) =>
  (error: unknown): never => {
    if (!stop.aborted) throw error;
    return fail('capture.not_begun', 'the capture ended before anything was recorded', {
      hint: 'it takes a second to start',
    });
  };

interface Run {
  readonly feeds: Feeds;
  readonly plan: string;
  readonly version: string;
  now(): bigint;
  readonly stop: AbortController;
  /** Rows of these tables have been written; `entity`: new entities. */
  rowsChanged(of: readonly string[]): void;
}

/** A changed clock does not measure durations. */
function restAfter(taken_ns: bigint): number {
  const taken_ms = Number(taken_ns) / 1e6;
  if (taken_ms < 0 || taken_ms > 10 * FLUSH_MS) return FLUSH_MS;
  return Math.max(SHORTEST_REST_MS, FLUSH_MS - taken_ms);
}

/** Current time; all feeds are informed of clock changes first. */
function watchedClock(run: Run, feeds: readonly RunningFeed[]): () => bigint {
  const clock = run.feeds.clockSteps?.();
  return () => {
    const step = clock?.next();
    if (step) for (const feed of feeds) feed.clockWasSet(step);
    return run.now();
  };
}

async function* capture(opened: OpenCase, feeds: readonly Feed[], run: Run): AsyncGenerator<CaptureEvent> {
  const { engine } = opened.stored;
  const session = await engine.session();
  const events: CaptureEvent[] = [];
  engine.shield?.(true);
  await engine.setManualCheckpoints?.(true);
  try {
    const { signal } = run.stop;
    const writer = await LiveWriter.begin(session, await liveDeriver(session), {
      now: run.now,
      runs: () => run.feeds.machineRuns?.() ?? null,
      breathe: () => run.feeds.wait(0, NEVER),
    });
    const rest = new Rest(signal);
    const emit = (event: CaptureEvent) => void events.push(event);
    const running: RunningFeed[] = [];
    const now = watchedClock(run, running);
    for (const feed of feeds) running.push(new RunningFeed(feed, writer, { now, emit, hurry: () => rest.end() }));
    yield { kind: 'begun', case: opened.stored.name, feeds: feeds.map(({ name }) => name) };
    const feedsNow = () => running.map(({ progress }) => progress);
    const around = { opened, version: run.version, now: run.now, feeds: feedsNow, emit: emit };
    const push = new PushOut(run.feeds.pushes(run.plan), around);
    const notices = new NoticeWatch(opened, { now: run.now, emit });
    await push.open();
    const all = Promise.all(running.map((feed) => feed.run(signal)));
    let canWrite = true;
    try {
      let isOver = false;
      let rest_ms = FIRST_MS;
      const over = () => {
        isOver = true;
      };
      all.then(over, over);
      while (!signal.aborted && !isOver) {
        await rest.take(run.feeds, rest_ms);
        const began_ns = now();
        yield* flush(opened, writer, { running, events, rowsChanged: run.rowsChanged, now });
        rest_ms = restAfter(now() - began_ns);
        notices.due();
        push.due(signal);
      }
    } catch (error) {
      canWrite = false;
      throw diskFullProblem(error);
    } finally {
      run.stop.abort(new Error('stopped'));
      await all;
      for (const feed of running) feed.close();
      if (canWrite) await complete({ opened, session, writer, running });
      await notices.settled();
      await push.close(AbortSignal.timeout(FINAL_RESULTS_TIMEOUT_MS));
    }
    yield* events.splice(0);
    yield { kind: 'ended', feeds: running.map(({ outcome }) => outcome) };
  } finally {
    engine.shield?.(false);
    await engine.setManualCheckpoints?.(false);
    session.close();
  }
}

interface Complete {
  readonly opened: OpenCase;
  readonly session: Session;
  readonly writer: LiveWriter;
  readonly running: readonly RunningFeed[];
}

/** The last rows and the derived data. */
async function complete({ opened, session, writer, running }: Complete): Promise<void> {
  try {
    const flushed = await writer.flush();
    if (flushed === 'full') {
      const lost = running.map(({ unwritten }) => unwritten).filter(({ rows }) => rows > 0);
      await writer.giveUp().catch((error: unknown) => {
        throw diskFullProblem(error, lost);
      });
    }
    await finishCapture(session, 'ended', opened.readPlaces);
    await opened.derive();
    await opened.stored.engine.checkpoint();
  } catch (error) {
    throw diskFullProblem(error);
  }
}

const MAKE_ROOM = 'make room, then open the case again';

/** Disk full: the case stays as it is, and the next opening completes it. */
function diskFullProblem(error: unknown, lost: readonly Unwritten[] = []): unknown {
  if (!(error instanceof ProblemError) || error.problem.hint === MAKE_ROOM) return error;
  if (error.problem.code !== 'disk.full' && error.problem.code !== 'disk.filled') return error;
  const rows = lost.map(({ name, rows }) => `${rows} rows of ${name}`).join(', ');
  const gone = rows === '' ? '' : `${rows} received since then are lost, `;
  const message = `no disk space left for this case: the capture has ended, ${gone}written rows are kept`;
  return new ProblemError({ code: 'disk.full', message, hint: MAKE_ROOM });
}

interface Flush {
  readonly running: readonly RunningFeed[];
  readonly events: CaptureEvent[];
  readonly rowsChanged: Run['rowsChanged'];
  now(): bigint;
}

async function* flush(
  opened: OpenCase,
  writer: LiveWriter,
  { running, events, rowsChanged, now }: Flush,
): AsyncGenerator<CaptureEvent> {
  yield* events.splice(0);
  const wasBlocked = writer.isBlocked;
  const flushed = await writer.flush();
  if ((flushed === 'full') !== wasBlocked) yield { kind: 'disk', state: wasBlocked ? 'written' : 'full', at_ns: now() };
  // Nothing was written.
  if (flushed === 'full') return;
  if (flushed) await opened.stored.engine.checkpointLongLog?.();
  if (flushed) {
    opened.rowsCame(flushed);
    if (flushed.alarms > 0) for (const feed of running) feed.trigger();
    rowsChanged([...flushed.tables, ...(flushed.newEntities ? ['entity'] : [])]);
  }
  const feeds = running.map(({ written }) => written);
  const sum = (of: (counts: Pick<FeedOutcome, 'rows' | 'lost'>) => number): number =>
    feeds.reduce((all, counts) => all + of(counts), 0);
  yield { kind: 'written', rows: sum(({ rows }) => rows), lost: sum(({ lost }) => lost), feeds };
}
