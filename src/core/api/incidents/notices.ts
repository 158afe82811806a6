import type { CallContext, CaptureEvent, CaseInfo, NoticeView, Output, Parsed } from '../../../model/contract/index.ts';
import { findNotices, type Notice } from '../../analysis/notices/notices.ts';
import { createReader } from '../../store/facts/reader.ts';
import { LIVE_DIGEST } from '../../store/live/live-source.ts';
import { MOST_AHEAD_NS } from '../../store/live/live-writer.ts';
import type { OpenCase } from '../cases/open-case.ts';
import { metricLane } from '../lanes/lane-catalog.ts';
import type { Workspace } from '../workspace.ts';

/** Notices of metrics that head for a limit. */
export function noticeHandlers(workspace: Workspace) {
  return {
    'notices.list': ({ at_ns }: Parsed<'notices.list'>, { signal }: CallContext) =>
      readNotices(workspace.required(), at_ns, workspace.dependencies.now(), signal),
  };
}

/** Interval of the search for notices. */
const WATCH_NS = 20_000_000_000n;
/** A notice is repeated after a pause of this length. */
const FORGET_NS = 600_000_000_000n;

/** Emits notices during a capture, each once. */
export class NoticeWatch {
  private readonly opened: OpenCase;
  private readonly around: { now(): bigint; emit(event: CaptureEvent): void };
  /** When each was last seen. */
  private readonly seen = new Map<string, bigint>();
  private evaluated_ns = 0n;
  private running: Promise<void> = Promise.resolve();

  constructor(opened: OpenCase, around: NoticeWatch['around']) {
    this.opened = opened;
    this.around = around;
  }

  /** To be called whenever rows were written. */
  due(): void {
    const now = this.around.now();
    // If the clock was set back, the waiting time would be too long.
    if (now >= this.evaluated_ns && now - this.evaluated_ns < WATCH_NS) return;
    this.evaluated_ns = now;
    this.running = this.running.then(() => this.evaluate(now));
    // A bug must not end the capture; the end of the capture reports it.
    this.running.catch(() => undefined);
  }

  settled(): Promise<void> {
    return this.running;
  }

  private async evaluate(at_ns: bigint): Promise<void> {
    const { notices } = await readNotices(this.opened, null, this.around.now());
    for (const { series_id, limit_name, text, lane, breach_s } of notices) {
      const key = `${series_id} ${limit_name}`;
      const before = this.seen.get(key);
      if (before === undefined || at_ns - before > FORGET_NS)
        this.around.emit({ kind: 'notice', text, lane, breach_s, at_ns });
      this.seen.set(key, at_ns);
    }
  }
}

/** @param at_ns null: now for live cases, else the end of the recording */
export async function readNotices(
  opened: OpenCase,
  at_ns: bigint | null,
  now_ns: bigint,
  signal?: AbortSignal,
): Promise<Output<'notices.list'>> {
  const at = at_ns ?? lastOf(await opened.info(), now_ns);
  if (at === null) return { at_ns: null, notices: [] };
  const found = await opened.withSession((session) => findNotices(createReader(session, signal), at));
  return { at_ns: at, notices: found.map(toView) };
}

/** Timestamps in the future do not count as now. */
function lastOf({ last_ns, sources }: CaseInfo, now_ns: bigint): bigint | null {
  const isLive = sources.some(({ digest }) => digest.startsWith(LIVE_DIGEST));
  const latest = now_ns + MOST_AHEAD_NS;
  return isLive && last_ns !== null && last_ns > latest ? latest : last_ns;
}

function toView(notice: Notice): NoticeView {
  const { entity_kind, entity_id, metric } = notice;
  return { ...notice, lane: metricLane(entity_kind, entity_id, metric), text: noticeText(notice) };
}

/** `9 s`, `6 min`, `2.5 h`. */
function secondsText(seconds: number): string {
  if (seconds < 90) return `${Math.round(seconds)} s`;
  return seconds < 5400
    ? `${Number((seconds / 60).toPrecision(2))} min`
    : `${Number((seconds / 3600).toPrecision(2))} h`;
}

const quantityText = (value: number, unit: string): string =>
  `${Number(value.toPrecision(4))}${unit === '' ? '' : ` ${unit === 'Cel' ? '°C' : unit}`}`;

/** `CDU-1: temperature 38.2 °C reaches its upper critical limit (40 °C) in 6 min (95 %: 4 min to 11 min) if the trend of the last … continues`. */
function noticeText({ metric, entity_id, ...notice }: Notice): string {
  const { value, limit, unit, limit_name, breach_s, earliest_s, latest_s, stretch_s } = notice;
  const between = `${secondsText(earliest_s)} to ${latest_s === null ? 'never' : secondsText(latest_s)}`;
  const name = metric.replace(/^hw\./, '').replaceAll(/[._]/g, ' ');
  return (
    `${entity_id}: ${name} ${quantityText(value, unit)} reaches ${limit_name} (${quantityText(limit, unit)}) ` +
    `in ${secondsText(breach_s)} (95 %: ${between}) if the trend of the last ${secondsText(stretch_s)} continues`
  );
}
