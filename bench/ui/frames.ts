import type { CDPSession } from '@playwright/test';

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly ts: number;
  readonly dur?: number;
  /** Processor time of the thread. */
  readonly tdur?: number;
  readonly pid: number;
  readonly tid: number;
  readonly args?: { readonly name?: string };
}

const CATEGORIES = ['devtools.timeline', 'disabled-by-default-devtools.timeline', 'toplevel', 'cc', '__metadata'];

/** Milliseconds of every frame's tasks on the main thread. */
export interface FrameTimes {
  /** Processor time of the thread: what the window did. */
  readonly work: readonly number[];
  /** From beginning to end, with what other threads and processes took of the processor meanwhile. */
  readonly wall: readonly number[];
}

/**
 * Main-thread work of every frame while `act` runs, in milliseconds: all tasks between one frame's beginning and the
 * next one's, script, style, layout and paint together. Waiting is not counted; rasterising is another thread's, but
 * for canvases, which are rasterised within these tasks where there is no graphics card.
 */
export async function frameWork(session: CDPSession, act: () => Promise<void>): Promise<FrameTimes> {
  const events: TraceEvent[] = [];
  const collect = ({ value }: { value: unknown[] }) => {
    for (const event of value) events.push(event as TraceEvent);
  };
  session.on('Tracing.dataCollected', collect);
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: CATEGORIES, recordMode: 'recordAsMuchAsPossible' },
  });
  await act();
  const done = new Promise<void>((resolve) => session.once('Tracing.tracingComplete', () => resolve()));
  await session.send('Tracing.end');
  await done;
  session.off('Tracing.dataCollected', collect);
  return perFrame(events);
}

function perFrame(events: readonly TraceEvent[]): FrameTimes {
  const main = mainThread(events);
  const own = events.filter(({ pid, tid }) => pid === main?.pid && tid === main.tid);
  const tasks = own
    .filter(({ name, ph }) => ph === 'X' && (name === 'RunTask' || name === 'ThreadControllerImpl::RunTask'))
    .sort((a, b) => a.ts - b.ts);
  const starts = own
    .filter(({ name, ph }) => name === 'ProxyMain::BeginMainFrame' && ph === 'X')
    .map(({ ts }) => ts)
    .sort((a, b) => a - b);
  const work = starts.map(() => 0);
  const wall = starts.map(() => 0);
  let frame = -1;
  let ended = 0;
  for (const { ts, dur = 0, tdur = dur } of tasks) {
    // Nested tasks are part of the one around them.
    if (ts < ended) continue;
    ended = ts + dur;
    // The task in which a frame begins belongs to that frame.
    while (frame + 1 < starts.length && starts[frame + 1]! <= ended) frame++;
    if (frame < 0) continue;
    work[frame] = work[frame]! + tdur / 1000;
    wall[frame] = wall[frame]! + dur / 1000;
  }
  return { work, wall };
}

/** The renderer whose main thread worked most: the page's own. */
function mainThread(events: readonly TraceEvent[]): { readonly pid: number; readonly tid: number } | undefined {
  const named = events.filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain');
  const busy = new Map<string, number>();
  for (const { pid, tid, dur = 0 } of events) busy.set(`${pid} ${tid}`, (busy.get(`${pid} ${tid}`) ?? 0) + dur);
  const work = ({ pid, tid }: TraceEvent): number => busy.get(`${pid} ${tid}`) ?? 0;
  return named.toSorted((a, b) => work(b) - work(a))[0];
}
