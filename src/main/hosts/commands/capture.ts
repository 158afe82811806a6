import { withEither } from '../../../base/with-either.ts';
import type { CaptureEvent } from '../../../model/contract/index.ts';
import { fail } from '../../../model/problem.ts';
import { formatUtc, nanos } from '../../../model/time.ts';
import { lengthOf } from '../length-of-time.ts';
import { readPlan, testPlan } from '../plan-tests.ts';
import {
  type Command,
  type Core,
  type Invocation,
  positional,
  type Terminal,
  text,
  toJson,
  UsageError,
  withCore,
} from './command.ts';
import { messages } from './messages/capture.ts';
import { messages as common } from './messages/common.ts';

export const captureCommand: Command = {
  name: 'capture',
  summary: messages.summary,
  usage: messages.usage,
  options: {
    case: { type: 'string' },
    duration: { type: 'string' },
    test: { type: 'boolean' },
    json: { type: 'boolean' },
  },
  run: async (invocation) => {
    const path = positional(invocation, 0, 'PLAN.yaml');
    if (invocation.values['test']) return testPlan(await readPlan(path), 'capture.test', invocation);
    const into = text(invocation, 'case');
    if (into === null) throw new UsageError(common.missing('--case'));
    const duration_ms = durationOf(invocation);
    const plan = await readPlan(path);
    await withCore(invocation, undefined, async (core) => {
      await core.placeCase(into);
      const limit = new TimeLimit(duration_ms);
      await withEither([invocation.terminal.signal, limit.signal], (until) =>
        record(core, plan, until, { ...invocation, limit }),
      );
    });
  },
};

/** Ends a capture after `--duration`, counted from its start, or later from the first feed that delivers. */
class TimeLimit {
  private readonly over = new AbortController();
  private readonly duration_ms: number | null;
  private timer: NodeJS.Timeout | undefined;
  private isUp = false;

  /** @param duration_ms null: no limit */
  constructor(duration_ms: number | null) {
    this.duration_ms = duration_ms;
  }

  get signal(): AbortSignal {
    return this.over.signal;
  }

  follow(event: CaptureEvent): void {
    const isFirstUp = !this.isUp && event.kind === 'feed' && event.state === 'up';
    if (this.duration_ms === null || !(event.kind === 'begun' || isFirstUp)) return;
    this.isUp ||= isFirstUp;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.over.abort(), this.duration_ms);
  }

  clear(): void {
    clearTimeout(this.timer);
  }
}

type LimitedInvocation = Invocation & { readonly limit: TimeLimit };

async function record(core: Core, plan: string, signal: AbortSignal, invocation: LimitedInvocation): Promise<void> {
  let rows = -1;
  const { terminal, limit } = invocation;
  terminal.outlastOutput();
  terminal.waitForEnd();
  const ended = new AbortController();
  signal.addEventListener('abort', () => noticeEnding(terminal, ended.signal), { once: true });
  try {
    for await (const event of core.api['capture.run']({ plan }, { signal })) {
      limit.follow(event);
      // A second without new rows is not printed.
      if (event.kind !== 'written' || event.rows !== rows) printEvent(event, invocation);
      if (event.kind === 'written') rows = event.rows;
    }
  } finally {
    limit.clear();
    ended.abort();
  }
}

/** Completing a case with many spans takes long; without a notice the process would seem to hang. */
const ENDING_NOTICE_MS = 2000;

function noticeEnding({ err }: Terminal, ended: AbortSignal): void {
  setTimeout(() => ended.aborted || err(`${messages.ending}\n`), ENDING_NOTICE_MS).unref();
}

/** null: the capture runs until Ctrl-C. */
function durationOf({ values }: Invocation): number | null {
  const { duration } = values;
  if (typeof duration !== 'string') return null;
  const seconds = lengthOf(duration);
  if (seconds === null || seconds === 0) throw new UsageError(messages.invalidDuration(duration));
  return seconds * 1000;
}

function printEvent(event: CaptureEvent, { terminal, values }: Invocation): void {
  const print = event.kind === 'ended' ? terminal.summary : terminal.out;
  if (values.json) return print(toJson(event).replaceAll(/\n\s*/g, ' ').trimEnd().concat('\n'));
  switch (event.kind) {
    case 'begun':
      return terminal.out(`${messages.recording(event.feeds.join(', '), event.case)}\n`);
    case 'feed':
      return terminal.out(feedLine(event));
    case 'push':
      return terminal.out(`${messages.state(timeOf(event), event.push, event.state, event.reason)}\n`);
    case 'notice':
      return terminal.out(`${messages.notice(timeOf(event), event.text)}\n`);
    case 'disk':
      return terminal.err(`${timeOf(event)} ${messages.disk[event.state]}\n`);
    case 'written':
      return terminal.progress(`${messages.rowsWritten(event.rows)}${lostText(event.lost)}`);
    case 'ended':
      return ended(event, terminal);
  }
}

const timeOf = ({ at_ns }: { readonly at_ns: bigint }): string => formatUtc(nanos(at_ns));

const lostText = (records: number): string => (records > 0 ? messages.lost(records) : '');

function feedLine(event: Extract<CaptureEvent, { kind: 'feed' }>): string {
  const { feed, state, reason, about } = event;
  return `${messages.state(timeOf(event), feed, state, reason)}${state === 'up' && about !== '' ? ` (${about})` : ''}\n`;
}

/** Prints the totals. A capture whose feeds all failed has failed. @throws ProblemError of its first feed */
function ended({ feeds }: Extract<CaptureEvent, { kind: 'ended' }>, terminal: Terminal): void {
  if (terminal.interactive) terminal.err('\n');
  for (const { name, rows, lost } of feeds) terminal.summary(`${messages.rowsOf(name, rows)}${lostText(lost)}\n`);
  const failed = feeds.flatMap(({ problem }) => problem ?? []);
  const [first] = failed;
  if (first && failed.length === feeds.length)
    fail(first.code, first.message, first.hint === undefined ? {} : { hint: first.hint });
}
