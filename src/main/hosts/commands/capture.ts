import { readFile } from 'node:fs/promises';
import type { CaptureEvent } from '../../../model/contract/index.ts';
import { fail } from '../../../model/problem.ts';
import { formatUtc, nanos } from '../../../model/time.ts';
import {
  type Command,
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
  summary: 'record live feeds into a case, until Ctrl-C or for a time',
  usage:
    'faultline capture PLAN.yaml --case CASE [--duration 10m] [--json]\n' +
    '  a plan lists feeds:  feeds: [{kind: otlp, grpc: "127.0.0.1:4317", http: "127.0.0.1:4318"}, {kind: rapl, every_s: 1}]',
  options: { case: { type: 'string' }, duration: { type: 'string' }, json: { type: 'boolean' } },
  run: async (invocation) => {
    const path = positional(invocation, 0, 'PLAN.yaml');
    const into = text(invocation, 'case');
    if (into === null) throw new UsageError('--case is missing');
    const until = stopAfter(invocation);
    const plan = await readFile(path, 'utf8').catch(() =>
      fail('plan.unreadable', `the plan ${path} cannot be read`, { hint: 'check its path', place: path }),
    );
    await withCore(invocation, undefined, async (core) => {
      await core.placeCase(into);
      for await (const event of core.api['capture.run']({ plan }, { signal: until })) tell(event, invocation);
    });
  },
};

const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** Aborted by Ctrl-C, or when the time is up. */
function stopAfter({ terminal, values }: Invocation): AbortSignal {
  const { duration } = values;
  if (typeof duration !== 'string') return terminal.signal;
  const [, amount, unit = 's'] = /^(\d+(?:\.\d+)?)([smhd]?)$/.exec(duration) ?? [];
  const seconds = Number(amount) * (units[unit === '' ? 's' : unit] ?? Number.NaN);
  if (!(seconds > 0)) throw new UsageError(`--duration is written 90s, 10m, 2h or 1d, not "${duration}"`);
  return AbortSignal.any([terminal.signal, AbortSignal.timeout(seconds * 1000)]);
}

function tell(event: CaptureEvent, { terminal, values }: Invocation): void {
  if (values.json) return terminal.out(toJson(event).replaceAll(/\n\s*/g, ' ').trimEnd().concat('\n'));
  switch (event.kind) {
    case 'begun':
      return terminal.out(`recording ${event.feeds.join(', ')} into ${event.case}; Ctrl-C ends it\n`);
    case 'feed':
      return terminal.out(feedLine(event));
    case 'written':
      return progress(terminal, `${event.rows} rows written${event.lost > 0 ? `, ${event.lost} records lost` : ''}`);
    case 'ended':
      return ended(event, terminal);
  }
}

const feedLine = ({ feed, state, reason, about, at_ns }: Extract<CaptureEvent, { kind: 'feed' }>): string =>
  `${formatUtc(nanos(at_ns))} ${feed}: ${state}, ${reason}${state === 'up' && about !== '' ? ` (${about})` : ''}\n`;

function progress(terminal: Terminal, line: string): void {
  if (terminal.interactive) terminal.err(`\r${line}\u001b[K`);
}

/** A capture of which nothing could begin has failed. */
function ended({ feeds }: Extract<CaptureEvent, { kind: 'ended' }>, terminal: Terminal): void {
  if (terminal.interactive) terminal.err('\n');
  for (const { name, rows, lost } of feeds)
    terminal.out(`${name}: ${rows} rows${lost > 0 ? `, ${lost} records lost` : ''}\n`);
  const failed = feeds.flatMap(({ problem }) => problem ?? []);
  const [first] = failed;
  if (first && failed.length === feeds.length)
    fail(first.code, first.message, first.hint === undefined ? {} : { hint: first.hint });
}
