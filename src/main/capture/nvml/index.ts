import { hostname } from 'node:os';
import { withEither } from '../../../base/with-either.ts';
import { fail, ProblemError } from '../../../model/problem.ts';
import { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import { rowCount } from '../../../model/rows/rows.ts';
import type { Feed, FeedCheck, FeedSink, FeedState } from '../../../model/storage/feed.ts';
import { burstOf, pollingOf } from '../burst.ts';
import type { FeedKind } from '../feed-kind.ts';
import { reportChangesOnly } from '../feed-state.ts';
import { PollSchedule } from '../poll-schedule.ts';
import { steadyNow } from '../steady-clock.ts';
import { followDriver } from './driver-thread.ts';
import { NvidiaSmi } from './nvidia-smi-poll.ts';
import { libraryOf, type NvmlPlan, nvmlPlanSchema } from './plan.ts';
import { ReadingRows } from './reading-rows.ts';
import type { ThreadMessage } from './readings.ts';

/** Without an answer for so long, the driver counts as blocked. */
const SILENCE_MS = 10_000;

/** The GPUs of this machine, by the driver's library, or by `nvidia-smi` if the library cannot be loaded. */
export const nvmlFeed: FeedKind<typeof nvmlPlanSchema> = {
  kind: 'nvml',
  plan: nvmlPlanSchema,
  open: (plan): Feed => {
    let about = libraryOf(plan);
    return {
      name: plan.name,
      format: 'nvml-live',
      stampedBy: 'here',
      burst: burstOf(plan.burst, plan.every_s),
      get about() {
        return about;
      },
      async run(sink, signal) {
        const reportState = reportChangesOnly(sink);
        const unavailable = await byLibrary(plan, { sink, reportState }, signal);
        if (unavailable === undefined || signal.aborted) return;
        about = plan.nvidia_smi;
        await byProgram(plan, unavailable, { sink, reportState }, signal);
      },
    };
  },
  test,
};

interface DriverListener {
  readonly sink: FeedSink;
  readonly reportState: FeedSink['reportState'];
}

/** Why there is no library; undefined if the capture ended. */
async function byLibrary(plan: NvmlPlan, listener: DriverListener, signal: AbortSignal): Promise<string | undefined> {
  const builder = new BatchBuilder();
  const rows = new ReadingRows(builder, plan.host ?? hostname());
  let unavailable: string | undefined;
  let lastMessage_ms = steadyNow();
  const watch = setInterval(() => {
    const silence = steadyNow() - lastMessage_ms;
    if (silence > Math.max(SILENCE_MS, plan.every_s * 3000))
      listener.reportState('down', `the driver has not answered for ${Math.round(silence / 10_000) * 10} s`, silence);
  }, 1000);
  const onMessage = (message: ThreadMessage) => {
    lastMessage_ms = steadyNow();
    if (message.kind === 'unavailable') unavailable = message.reason;
    else if (message.kind === 'down') listener.reportState('down', message.reason);
    else {
      append(rows, builder, message);
      if (message.kind === 'poll') listener.reportState(...stateOf(message));
      deliver(builder, listener.sink, () => rows.forget());
    }
  };
  try {
    await followDriver(plan, onMessage, signal);
  } finally {
    clearInterval(watch);
  }
  return unavailable;
}

type Poll = ThreadMessage & { readonly kind: 'poll' };

function stateOf({ gpus, lost, driver, count }: Poll): [FeedState, string] {
  if (count === 0) return ['down', 'the driver knows of no GPU'];
  const gone = lost.length === 0 ? '' : `; lost: ${lost.join(', ')}`;
  if (gpus.length === 0) return ['down', `no GPU answers${gone}`];
  return ['up', `${gpus.length} of ${count} GPUs answer, driver ${driver || 'of unknown version'}${gone}`];
}

function append(rows: ReadingRows, builder: BatchBuilder, message: ThreadMessage): void {
  switch (message.kind) {
    case 'poll':
    case 'change':
      for (const reading of message.gpus) rows.reading(reading, message.driver);
      return;
    case 'event':
      return rows.event(message);
    case 'lost':
      return rows.lost(message);
    case 'remark':
      return builder.remark(message.text);
  }
}

function deliver(builder: BatchBuilder, sink: FeedSink, forget: () => void): void {
  const batch = builder.finish(0);
  if (sink.take([batch])) return;
  sink.lost(rowCount(batch), 'writing was too slow: rows were dropped');
  forget();
}

/** @throws ProblemError feed.no_nvml if there is neither library nor program */
async function byProgram(
  plan: NvmlPlan,
  unavailable: string,
  { sink, reportState }: DriverListener,
  signal: AbortSignal,
): Promise<void> {
  const builder = new BatchBuilder();
  const program = new NvidiaSmi(plan.nvidia_smi, plan.host ?? hostname(), builder);
  builder.remark(`polled by ${plan.nvidia_smi}, which shows no Xids and no short clock changes: ${unavailable}`);
  const schedule = new PollSchedule();
  while (!signal.aborted) {
    const began = steadyNow();
    try {
      const gpus = await program.poll(signal);
      reportState(gpus > 0 ? 'up' : 'down', `${gpus} GPUs by ${plan.nvidia_smi}, because the library cannot be loaded`);
      deliver(builder, sink, () => program.forget());
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof ProblemError)) throw error;
      if (error.problem.code === 'feed.no_nvidia_smi') noDriver(unavailable, error.problem.message);
      reportState('down', error.problem.message, steadyNow() - began);
    }
    await schedule.rest(pollingOf(plan) * 1000, signal, (late_ms) => sink.missed?.(late_ms));
  }
}

const HINT = 'this machine has no NVIDIA driver, or it is elsewhere: the plan may name library and nvidia_smi';
const noDriver = (library: string, program: string): never =>
  fail('feed.no_nvml', `NVIDIA's driver cannot be used: ${library}; ${program}`, { hint: HINT });

async function* test(plan: NvmlPlan, signal: AbortSignal): AsyncGenerator<FeedCheck> {
  const found = await firstAnswer(plan, signal);
  if (found.kind === 'unavailable') {
    yield { step: 'route', passed: false, detail: found.reason, hint: HINT };
    return;
  }
  yield { step: 'route', passed: true, detail: `${found.by} can be used` };
  if (found.kind === 'down') {
    yield { step: 'view', passed: false, detail: found.reason, hint: 'check that nvidia-smi works for this user' };
    return;
  }
  yield { step: 'view', passed: true, detail: found.seen };
  const passed = found.values > 0;
  yield {
    step: 'values',
    passed,
    detail: `${found.values} values are read at each poll, in ${Math.round(found.took_ms)} ms`,
  };
}

type Answer =
  | { readonly kind: 'unavailable'; readonly reason: string }
  | { readonly kind: 'down'; readonly by: string; readonly reason: string }
  | {
      readonly kind: 'seen';
      readonly by: string;
      readonly seen: string;
      readonly values: number;
      readonly took_ms: number;
    };

async function firstAnswer(plan: NvmlPlan, signal: AbortSignal): Promise<Answer> {
  const enough = new AbortController();
  const by = libraryOf(plan);
  let answer = { kind: 'down', by, reason: 'the driver does not answer' } as Answer;
  const hear = (message: ThreadMessage) => {
    if (message.kind === 'unavailable') answer = message;
    else if (message.kind === 'down') answer = { ...message, by };
    else if (message.kind === 'poll') {
      const [state, seen] = stateOf(message);
      const values = message.gpus.reduce((sum, gpu) => sum + gpu.values.length, 0);
      answer =
        state === 'down'
          ? { kind: 'down', by, reason: seen }
          : { kind: 'seen', by, seen, values, took_ms: message.took_ms };
    } else return;
    enough.abort();
  };
  await withEither([signal, enough.signal, AbortSignal.timeout(SILENCE_MS)], (until) =>
    followDriver(plan, hear, until),
  );
  return answer.kind === 'unavailable' ? await firstOfProgram(plan, answer.reason, signal) : answer;
}

async function firstOfProgram(plan: NvmlPlan, unavailable: string, signal: AbortSignal): Promise<Answer> {
  const builder = new BatchBuilder();
  const by = `${plan.nvidia_smi} (${unavailable})`;
  const began = steadyNow();
  try {
    const gpus = await new NvidiaSmi(plan.nvidia_smi, plan.host ?? hostname(), builder).poll(signal);
    if (gpus === 0) return { kind: 'down', by, reason: 'the driver knows of no GPU' };
    return { kind: 'seen', by, seen: `${gpus} GPUs`, values: builder.rowCount, took_ms: steadyNow() - began };
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    if (error.problem.code === 'feed.no_nvidia_smi')
      return { kind: 'unavailable', reason: `${unavailable}; ${error.problem.message}` };
    return { kind: 'down', by, reason: error.problem.message };
  }
}
