import type { SourceInput } from '../../../model/storage/source.ts';
import { jsonRecords } from '../bytes/json-records.ts';
import { contentId } from '../traces/ids.ts';
import { Flows } from './flows.ts';
import { readEvent, type TraceEvent } from './format.ts';
import { type Header, headerOf } from './header.ts';
import { nest, Points, Slices } from './nesting.ts';
import { Pairing } from './pairing.ts';
import { Tracks } from './tracks.ts';

/** Everything about a trace that must be known before its first event can become a row. */
export interface Survey {
  readonly header: Header;
  readonly tracks: Tracks;
  readonly slices: Slices;
  /** One per instant on a thread and per end of a flow, in the order of the file. */
  readonly points: Points;
  readonly flows: Flows;
  readonly events: number;
  /** Microseconds of the earliest beginning and the latest end. */
  readonly earliest: number;
  readonly latest: number;
}

/** Reads the whole file once; a few bytes are kept of each event. */
export async function survey({ files }: SourceInput): Promise<Survey> {
  const pass = new Pass();
  const members: Record<string, unknown> = Object.create(null);
  const file = files[0];
  if (file)
    for await (const record of jsonRecords(file.open(), ['traceEvents'])) {
      if (record.reason !== undefined) continue;
      if (isEventPath(record.path)) {
        const event = readEvent(record.value);
        if (event && !('reason' in event)) pass.see(event);
      } else members[record.path] = record.value;
    }
  pass.finish();
  const { slices, points, flows, tracks, events, earliest, latest } = pass;
  nest(slices, points);
  return { header: headerOf(members), slices, points, flows, tracks, events, earliest, latest };
}

/** Elements of a bare list, and of `traceEvents`. */
export const isEventPath = (path: string): boolean => path === '' || path === 'traceEvents';

class Pass {
  readonly tracks = new Tracks();
  readonly slices = new Slices();
  readonly points = new Points();
  readonly flows = new Flows();
  events = 0;
  earliest = Number.POSITIVE_INFINITY;
  latest = Number.NEGATIVE_INFINITY;
  private readonly pairing = new Pairing();

  see(event: TraceEvent): void {
    if (event.phase === 'metadata') {
      this.tracks.name(event);
      return;
    }
    this.events++;
    const track = this.tracks.of(event.pid, event.tid);
    const end = event.ts + (Number.isNaN(event.dur) ? 0 : event.dur);
    this.earliest = Math.min(this.earliest, event.ts);
    this.latest = Math.max(this.latest, end);
    if (event.category === 'causal_chain') this.tracks.machines = true;
    if (event.phase === 'instant') {
      if (isOnThread(event)) this.points.add(event.ts, track);
    } else if (event.phase.startsWith('flow')) this.flows.add(this.points.add(event.ts, track), event);
    else this.slice(event, track, end);
  }

  /** What never ended was still going on when the recording did. */
  finish(): void {
    for (const { index } of this.pairing.rest()) this.slices.end.values[index] = this.latest;
  }

  private slice(event: TraceEvent, track: number, end: number): void {
    const { slices, pairing } = this;
    const parent = event.phase === 'async begin' ? pairing.enclosing(event) : -1;
    if (pairing.opens(event) >= 0)
      slices.add({ start: event.ts, end, track, id: idOf(event), flight: event.phase === 'async begin', parent });
    const closed = pairing.closes(event);
    if (closed?.end) slices.end.values[closed.index] = Math.max(event.ts, closed.begin.ts);
  }
}

/** `s`: t is the scope of the thread, which is also the default. */
export const isOnThread = ({ record }: TraceEvent): boolean => record['s'] === undefined || record['s'] === 't';

function idOf({ phase, name, category, pid, tid, ts, dur, args }: TraceEvent): bigint {
  const correlation = args['correlation'] ?? args['External id'];
  const number = typeof correlation === 'number' ? correlation : '';
  return contentId(`${phase[0]}\n${pid}\n${tid}\n${ts}\n${dur}\n${category}\n${name}\n${number}`);
}
