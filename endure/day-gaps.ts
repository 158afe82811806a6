import type { Device } from './day-devices.ts';
import { type CaptureRun, caseTime, type Episode } from './day-schedule.ts';
import { rowsOf } from './day-stored.ts';

/** A device, and when it was ill. */
export interface Followed {
  readonly device: Pick<Device, 'name' | 'poll_ms' | 'learned_ms'>;
  readonly episodes: readonly Episode[];
}

export interface Day {
  readonly path: string;
  readonly followed: readonly Followed[];
  readonly runs: readonly CaptureRun[];
  /** When this process itself was held up, so that its devices were late: real milliseconds. */
  readonly stalls: readonly Span[];
}

type Span = readonly [from_ms: number, until_ms: number];

interface Outage {
  readonly source: number;
  readonly from: number;
  readonly until: number;
  readonly reason: string;
}

/** An answer that is waited for, and a clock that is looked at with each flush. */
const SLACK_MS = 2500;
/** A feed that was silent is asked ever less often, at last once a minute. */
const LONGEST_REST_MS = 60_000;
const POLLS = 3;

const kinds = [
  [/^this machine's clock was set forward/, 'set forward'],
  [/process had no time/, 'no time'],
  [/^the capture was killed/, 'between captures'],
] as const;
const kindOf = (reason: string): string => kinds.find(([pattern]) => pattern.test(reason))?.[1] ?? 'silence';

interface Gaps {
  readonly figures: readonly string[];
  /** Whatever else the machine had to do. */
  readonly failures: readonly string[];
  /** Not as soon, or for as long, as it should be: failures where nothing else took the machine's time. */
  readonly late: readonly string[];
}

/** Every hole is a gap, every gap was a hole. Case times are milliseconds. */
export async function checkGaps(day: Day): Promise<Gaps> {
  const [failures, late]: [string[], string[]] = [[], []];
  const sources = await rowsOf<{ id: number; name: string; format: string }>(
    day.path,
    'select source_id as id, name, format from source order by 1',
  );
  const outages = await rowsOf<Outage>(
    day.path,
    `select source_id as source, (from_ns + clock_offset_ns) / 1e6 as "from", coalesce(until_ns + clock_offset_ns, 4e18) / 1e6 as until, reason
     from outage join source using (source_id) order by 1, 2`,
  );
  const kinds = new Map<string, number>();
  for (const { reason } of outages) kinds.set(kindOf(reason), (kinds.get(kindOf(reason)) ?? 0) + 1);
  let [windows, holes] = [0, 0];
  for (const followed of day.followed) {
    const own = sources.filter(({ name }) => name === followed.device.name);
    if (own.length !== day.runs.length)
      failures.push(`${followed.device.name}: ${own.length} sources of ${day.runs.length} captures`);
    for (const [at, run] of day.runs.entries()) {
      const source = own[at];
      if (!source) continue;
      const outagesHere = outages.filter((outage) => outage.source === source.id);
      const where: Where = { day, run, next: day.runs[at + 1], followed, source: source.id, outages: outagesHere };
      windows += windowsWithout(where, late);
      outagesWithout(where, late);
      holes += await holesWithout(where, late);
    }
  }
  failures.push(...(await pointsInside(day)));
  const senders = new Set(sources.filter(({ format }) => format === 'otlp-live').map(({ id }) => id));
  for (const { source, from, until, reason } of outages)
    if (senders.has(source) && kindOf(reason) !== 'between captures')
      failures.push(`the senders, whose clocks nobody set, have an outage ${utc(from)} to ${utc(until)} (${reason})`);
  const all = [...kinds].map(([kind, count]) => `${count} ${kind}`).join(', ');
  return {
    figures: [
      `outages: ${all}`,
      `${windows} times a device was silent for more than ${POLLS} polls, ${holes} holes of more`,
    ],
    failures,
    late,
  };
}

interface Where {
  readonly day: Day;
  readonly run: CaptureRun;
  readonly next: CaptureRun | undefined;
  readonly followed: Followed;
  readonly source: number;
  readonly outages: readonly Outage[];
}

const deviceText = ({ followed, source }: Where): string => `${followed.device.name} (source ${source})`;
const utc = (ms: number): string => new Date(ms).toISOString().slice(11, 23);
const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

/** For how long of a time there is no outage. */
function uncovered([from, until]: Span, outages: readonly Outage[]): number {
  let [left, at] = [0, from];
  for (const outage of outages.toSorted((a, b) => a.from - b.from)) {
    if (outage.from >= until) break;
    if (outage.from > at) left += outage.from - at;
    at = Math.max(at, outage.until);
  }
  return left + Math.max(0, until - at);
}

/** A device that gave no values for some polls has an outage that covers them. */
function windowsWithout(where: Where, failures: string[]): number {
  const { run, followed, outages } = where;
  const { poll_ms, learned_ms } = followed.device;
  let windows = 0;
  for (const { fate, mode, from_ms, until_ms } of followed.episodes) {
    const from = Math.max(from_ms, run.from_ms + learned_ms) + poll_ms + SLACK_MS;
    const until = Math.min(until_ms, run.until_ms) - SLACK_MS;
    if (fate !== 'silent' || until - from < POLLS * poll_ms) continue;
    windows++;
    const left = uncovered([caseTime(run, from), caseTime(run, until)], outages);
    if (left > 0)
      failures.push(
        `${deviceText(where)} was ${mode} ${utc(from_ms)} to ${utc(until_ms)} (real time): ${seconds(left)} of it are no outage`,
      );
  }
  return windows;
}

/** An outage that nothing silent explains. */
function outagesWithout(where: Where, failures: string[]): void {
  const { run, followed, outages, day } = where;
  const allowed: (readonly [number, number])[] = [[run.from_ms - SLACK_MS, run.from_ms + followed.device.learned_ms]];
  for (const [from, until] of day.stalls) allowed.push([from - SLACK_MS, until + SLACK_MS]);
  let [begin, end] = [0, 0];
  for (const { fate, from_ms, until_ms } of followed.episodes) {
    if (fate === 'odd') continue;
    // Not yet asked again since it was silent before.
    if (from_ms > end) begin = from_ms;
    end = until_ms + Math.min(LONGEST_REST_MS, until_ms - begin) + 2 * SLACK_MS;
    allowed.push([begin - followed.device.poll_ms - SLACK_MS, end]);
  }
  const explained = allowed.map(([from, until]) => ({
    source: 0,
    reason: '',
    from: caseTime(run, from),
    until: caseTime(run, Math.min(until, run.until_ms + SLACK_MS)),
  }));
  for (const { from, until, reason } of outages) {
    if (kindOf(reason) !== 'silence') continue;
    const left = uncovered([from, until], explained);
    if (left > 0)
      failures.push(
        `${deviceText(where)} has an outage ${utc(from)} to ${utc(until)} (${reason}), of which ${seconds(left)} are not explained`,
      );
  }
}

/** Polls that brought nothing have an outage that covers that. */
async function holesWithout(where: Where, failures: string[]): Promise<number> {
  const { run, next, followed, source, outages } = where;
  const most = POLLS * followed.device.poll_ms + SLACK_MS;
  const rows = await rowsOf<{ at: number; next: number | null }>(
    where.day.path,
    `with polls as (select distinct (time_ns + clock_offset_ns) / 1e6 as seen from point join source using (source_id) where source_id = ${source}),
       pairs as (select seen, lead(seen) over (order by seen) as next, lag(seen) over (order by seen) as before from polls)
     select seen as "at", next from pairs where next is null or before is null or next - seen > ${most} order by seen`,
  );
  const first = rows[0];
  const last = rows.at(-1);
  if (!first || !last) {
    failures.push(`${deviceText(where)} has no point`);
    return 0;
  }
  const over = next ? next.from_ms + next.ahead_ms : caseTime(run, run.until_ms);
  const holes: Span[] = rows.map(({ at, next: following }): Span => [at, following ?? over]);
  const learned = caseTime(run, run.from_ms + followed.device.learned_ms);
  holes.push([learned, first.at]);
  // Some of what is learned is dated before all of it is.
  const wide = holes
    .map(([from, until]): Span => [Math.max(from, learned), until])
    .filter(([from, until]) => until - from > most);
  for (const hole of wide) {
    const left = uncovered(hole, outages);
    if (left > most)
      failures.push(
        `${deviceText(where)} has no point from ${utc(hole[0])} to ${utc(hole[1])}, and ${seconds(left)} of it are no outage`,
      );
  }
  return wide.length;
}

/** No rows are inside gaps, except those stamped by senders, whose clocks are not controlled here. */
async function pointsInside({ path }: Day): Promise<readonly string[]> {
  const rows = await rowsOf<{
    name: string;
    from: number;
    until: number;
    reason: string;
    points: number;
    first: number;
    last: number;
  }>(
    path,
    `select s.name, (o.from_ns + clock_offset_ns) / 1e6 as "from", (o.until_ns + clock_offset_ns) / 1e6 as until, o.reason, count(*)::integer as points,
       (min(p.time_ns) - o.from_ns) / 1e6 as first, (o.until_ns - max(p.time_ns)) / 1e6 as last
     from outage o join source s using (source_id)
     join point p on p.source_id = o.source_id and p.time_ns > o.from_ns + 1000000 and p.time_ns < o.until_ns - 1000000
     where s.format <> 'otlp-live' group by s.name, o.from_ns, o.until_ns, clock_offset_ns, o.reason order by 1, 2`,
  );
  return rows.map(
    ({ name, from, until, reason, points, first, last }) =>
      `${name}: ${points} points lie in the outage ${utc(from)} to ${utc(until)} (${reason}), ${Math.round(first)} ms after its begin to ${Math.round(last)} ms before its end`,
  );
}
