import { readFile } from 'node:fs/promises';
import { withEither } from '../../../base/with-either.ts';
import type { CaptureEvent, FeedTest } from '../../../model/contract/index.ts';
import { fail } from '../../../model/problem.ts';
import { formatUtc, nanos } from '../../../model/time.ts';
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

export const captureCommand: Command = {
  name: 'capture',
  summary: 'record live feeds into a case, until Ctrl-C or for a duration',
  usage:
    'faultline capture PLAN.yaml --case CASE [--duration 10m] [--json]\n' +
    'faultline capture PLAN.yaml --test [--json]\n' +
    '  --test checks every feed and every push step by step, and records nothing\n' +
    '  a plan lists feeds:  feeds: [{kind: otlp, grpc: "127.0.0.1:4317", http: "127.0.0.1:4318"}, {kind: rapl, every_s: 1}]',
  options: {
    case: { type: 'string' },
    duration: { type: 'string' },
    test: { type: 'boolean' },
    json: { type: 'boolean' },
  },
  run: async (invocation) => {
    const path = positional(invocation, 0, 'PLAN.yaml');
    if (invocation.values['test']) return testPlan(await readPlan(path), invocation);
    const into = text(invocation, 'case');
    if (into === null) throw new UsageError('--case is missing');
    const limit = limitOf(invocation);
    const plan = await readPlan(path);
    await withCore(invocation, undefined, async (core) => {
      await core.placeCase(into);
      await withEither([invocation.terminal.signal, ...limit], (until) => record(core, plan, until, invocation));
    });
  },
};

async function record(core: Core, plan: string, signal: AbortSignal, invocation: Invocation): Promise<void> {
  let rows = -1;
  const { terminal } = invocation;
  terminal.outlastOutput();
  terminal.waitForEnd();
  const ended = new AbortController();
  signal.addEventListener('abort', () => noticeEnding(terminal, ended.signal), { once: true });
  try {
    for await (const event of core.api['capture.run']({ plan }, { signal })) {
      // A second in which nothing came is no news.
      if (event.kind !== 'written' || event.rows !== rows) printEvent(event, invocation);
      if (event.kind === 'written') rows = event.rows;
    }
  } finally {
    ended.abort();
  }
}

/** Many spans take longer to put in order than a person at a terminal takes for a process that hangs. */
const ENDING_NOTICE_MS = 2000;

function noticeEnding({ err }: Terminal, ended: AbortSignal): void {
  const line = 'ending: completing the case; Ctrl-C ends at once, and the next opening completes it\n';
  setTimeout(() => ended.aborted || err(line), ENDING_NOTICE_MS).unref();
}

const readPlan = (path: string): Promise<string> =>
  readFile(path, 'utf8').catch(() =>
    fail('plan.unreadable', `the plan ${path} cannot be read`, { hint: 'check its path', place: path }),
  );

/** A line for each step of each feed and of each push. @throws ProblemError feed.test_failed when one of them did not pass */
async function testPlan(plan: string, invocation: Invocation): Promise<void> {
  const { terminal } = invocation;
  const outcomes: boolean[] = [];
  await withCore(invocation, undefined, async (core) => {
    for await (const event of core.api['capture.test']({ plan }, { signal: terminal.signal })) {
      if (event.kind === 'tested') outcomes.push(event.passed);
      if (invocation.values['json']) terminal.out(toJson(event).replaceAll(/\n\s*/g, ' ').trimEnd().concat('\n'));
      else if (event.kind === 'check') terminal.out(checkLine(event));
    }
  });
  const wrong = outcomes.filter((passed) => !passed).length;
  if (wrong > 0)
    fail('feed.test_failed', `${wrong} of ${outcomes.length} tests did not pass`, {
      hint: 'see the hint of each failed step above',
    });
}

const checkLine = ({ name, check }: Extract<FeedTest, { kind: 'check' }>): string =>
  `${name}: ${check.step} ${check.passed ? 'ok' : 'FAILED'}, ${check.detail}${check.hint === undefined ? '' : `\n  ${check.hint}`}\n`;

const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** Aborted when the time is up that was asked for; none: until Ctrl-C. */
function limitOf({ values }: Invocation): AbortSignal[] {
  const { duration } = values;
  if (typeof duration !== 'string') return [];
  const [, amount, unit = 's'] = /^(\d+(?:\.\d+)?)([smhd]?)$/.exec(duration) ?? [];
  const seconds = Number(amount) * (units[unit === '' ? 's' : unit] ?? Number.NaN);
  if (!(seconds > 0)) throw new UsageError(`invalid --duration "${duration}": write 90s, 10m, 2h or 1d`);
  return [AbortSignal.timeout(seconds * 1000)];
}

function printEvent(event: CaptureEvent, { terminal, values }: Invocation): void {
  const print = event.kind === 'ended' ? terminal.summary : terminal.out;
  if (values.json) return print(toJson(event).replaceAll(/\n\s*/g, ' ').trimEnd().concat('\n'));
  switch (event.kind) {
    case 'begun':
      return terminal.out(`recording ${event.feeds.join(', ')} into ${event.case}; Ctrl-C ends it\n`);
    case 'feed':
      return terminal.out(feedLine(event));
    case 'push':
      return terminal.out(`${formatUtc(nanos(event.at_ns))} ${event.push}: ${event.state}, ${event.reason}\n`);
    case 'notice':
      return terminal.out(`${formatUtc(nanos(event.at_ns))} notice: ${event.text}\n`);
    case 'disk':
      return terminal.err(`${formatUtc(nanos(event.at_ns))} ${diskMessages[event.state]}\n`);
    case 'written':
      return terminal.progress(`${event.rows} rows written${event.lost > 0 ? `, ${event.lost} records lost` : ''}`);
    case 'ended':
      return ended(event, terminal);
  }
}

const diskMessages = {
  full: 'the disk is full: rows are buffered in memory, and senders must wait; make room',
  written: 'there is room again: the buffered rows are written',
} as const;

const feedLine = ({ feed, state, reason, about, at_ns }: Extract<CaptureEvent, { kind: 'feed' }>): string =>
  `${formatUtc(nanos(at_ns))} ${feed}: ${state}, ${reason}${state === 'up' && about !== '' ? ` (${about})` : ''}\n`;

/** A capture of which nothing could begin has failed. */
function ended({ feeds }: Extract<CaptureEvent, { kind: 'ended' }>, terminal: Terminal): void {
  if (terminal.interactive) terminal.err('\n');
  for (const { name, rows, lost } of feeds)
    terminal.summary(`${name}: ${rows} rows${lost > 0 ? `, ${lost} records lost` : ''}\n`);
  const failed = feeds.flatMap(({ problem }) => problem ?? []);
  const [first] = failed;
  if (first && failed.length === feeds.length)
    fail(first.code, first.message, first.hint === undefined ? {} : { hint: first.hint });
}
