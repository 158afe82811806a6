import type { CorrelateOptions } from '../../../model/incident/incident.ts';
import { nanoseconds } from '../../../model/time.ts';
import type { EventFact, Reader } from '../../store/facts/reader.ts';
import type { FileClock } from '../clocks/clock-estimate.ts';
import { correctTimes } from '../clocks/correct-times.ts';
import { pollingIntervals, sourcesOfFewTimes } from '../clocks/polling.ts';
import { readClocks } from '../clocks/read-clocks.ts';
import { noDoubts, type TimeDoubts, timeDoubts } from '../clocks/time-doubts.ts';
import { supposeByOnset } from '../clocks/zone-by-onset.ts';
import type { ImpactWindow } from '../impact/impact.ts';
import { firstAtOrAfter } from '../impact/measurement-table.ts';
import { searchWindow, slowestOf } from '../ranking/candidates.ts';
import type { GraphsByTime } from '../topology/graphs-by-time.ts';
import type { Warning } from '../warnings/warning.ts';
import type { Background } from './background.ts';
import { withoutEnded } from './lasting-events.ts';
import type { Mechanisms } from './mechanisms.ts';
import { causality } from './parameters.ts';

interface Case {
  readonly graphs: GraphsByTime;
  readonly mechanisms: Mechanisms;
  readonly background: Background;
  readonly windows: readonly ImpactWindow[];
  readonly options: CorrelateOptions;
  /** Nanoseconds to add to the times of a source's events beyond every correction, by source. */
  readonly shifts?: Shifts | undefined;
}

type Shifts = ReadonlyMap<number, bigint>;
const NO_SHIFTS: Shifts = new Map();

/** The events of a case on one clock. */
export class RecordedEvents {
  readonly clocks: readonly FileClock[];
  readonly doubts: TimeDoubts;
  private readonly reader: Reader;
  private readonly options: CorrelateOptions;
  private readonly shifts: Shifts;
  /** All of the search windows; undefined when they are too many. */
  private readonly all: readonly EventFact[] | undefined;
  /** After the search windows, until some time after the impacts: what samples show late may have happened within one. */
  private readonly later: readonly EventFact[];
  /** Of all impacts, ascending. */
  private readonly onsets: readonly bigint[];

  private constructor(
    reader: Reader,
    { options, windows, shifts = NO_SHIFTS }: Case,
    found: Pick<RecordedEvents, 'clocks' | 'doubts'> & {
      readonly all: readonly EventFact[] | undefined;
      readonly later?: readonly EventFact[];
    },
  ) {
    this.reader = reader;
    this.options = options;
    this.shifts = shifts;
    this.clocks = found.clocks.map((clock) => shiftClock(clock, shifts));
    this.doubts = found.doubts;
    this.all = found.all;
    this.later = found.later ?? [];
    this.onsets = windows.map(({ onset_ns }) => onset_ns).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  }

  static async read(reader: Reader, about: Case): Promise<RecordedEvents> {
    const { windows, options, background, graphs, mechanisms, shifts = NO_SHIFTS } = about;
    const [first] = windows;
    const unread = { clocks: [], doubts: noDoubts };
    if (!first || background.eventsInCase === 0) return new RecordedEvents(reader, about, { ...unread, all: [] });
    const bounds = windows.map((window) => searchWindow(window, options));
    const from = bounds.reduce((least, [start]) => (start < least ? start : least), bounds[0]![0]!);
    const to = bounds.reduce((most, [, end]) => (end > most ? end : most), bounds[0]![1]!);
    const few = background.eventsInCase <= causality.fewEvents;
    if (!few) return new RecordedEvents(reader, about, { ...unread, all: undefined });
    const graph = graphs.at(first.onset_ns);
    const { estimates, floors, reporters, ...read } = await readClocks(reader, graph, [from, to], mechanisms);
    const supposed = supposeByOnset(estimates, read.events, { alone: read.alone, windows, graph, mechanisms });
    const shifted = reporters.spread(shifts);
    const clocks = supposed.map((clock) => (shifted.has(clock.source_id) ? { ...clock, perhaps: null } : clock));
    const corrections = clocks.map(({ correction_ns, perhaps }) => correction_ns + (perhaps?.correction_ns ?? 0n));
    const margin = farthest(corrections) + farthest(shifts.values());
    const ownClocks = async (begin: bigint, end: bigint) => reporters.byClock(await reader.events(begin, end));
    const all = shiftTimes(correctTimes(await ownClocks(from - margin, to + margin), clocks), shifted);
    const doubts = timeDoubts({ every_s: pollingIntervals(all), unknown: sourcesOfFewTimes(all) }, floors, clocks);
    const end = lastOf(windows) + nanoseconds(causality.afterwardsSeconds);
    const after = correctTimes(await ownClocks(to + margin + 1n, end), clocks);
    return new RecordedEvents(reader, { ...about, shifts: shifted }, { clocks, doubts, all, later: after });
  }

  /** Events in the search window for causes and effects. */
  async around(window: ImpactWindow): Promise<readonly EventFact[]> {
    return withoutEnded(await this.within(window), window, slowestOf(this.options));
  }

  /**
   * What goes on during an impact and from then on, for example a link that flaps, is no habit of its device, nor is what comes shortly
   * before impacts again and again.
   */
  habitsBeside(window: ImpactWindow, background: Background): Background {
    const [from, to] = searchWindow(window, this.options);
    const goingOn = new Map<string, bigint>();
    const during = [...(this.all ?? []), ...this.later].filter((event) => {
      if (event.time_ns < from) return this.isBeforeImpact(event);
      const until = goingOn.get(keyOf(event)) ?? window.end_ns;
      const goesOn = event.time_ns <= until;
      if (goesOn) goingOn.set(keyOf(event), later(window.end_ns, event.time_ns + nanoseconds(causality.goesOnSeconds)));
      return event.time_ns > to && (goesOn || this.isBeforeImpact(event));
    });
    const times = Map.groupBy(during, keyOf);
    return {
      ...background,
      occurrences: (entity, type) =>
        Math.max(1, background.occurrences(entity, type) - (times.get(`${entity} ${type}`)?.length ?? 0)),
    };
  }

  private isBeforeImpact({ time_ns }: EventFact): boolean {
    const at = firstAtOrAfter(this.onsets, time_ns);
    return at < this.onsets.length && this.onsets[at]! - time_ns <= nanoseconds(this.options.lag);
  }

  private async within(window: ImpactWindow): Promise<readonly EventFact[]> {
    if (this.all) {
      const [from, to] = searchWindow(window, this.options);
      const earliest = (event: EventFact) => event.time_ns - nanoseconds(this.doubts.seenLate_s(event));
      return [...this.all, ...this.later].filter((event) => event.time_ns >= from && earliest(event) <= to);
    }
    const earliest = window.previous_ns - nanoseconds(this.options.lag);
    const to = window.onset_ns + nanoseconds(causality.crowdedLateSeconds);
    const margin = farthest(this.shifts.values());
    if (margin === 0n) return this.reader.events(earliest, to);
    // Separately, because the part in between has mostly been read before.
    const read = [
      ...(await this.reader.events(earliest - margin, earliest - 1n)),
      ...(await this.reader.events(earliest, to)),
      ...(await this.reader.events(to + 1n, to + margin)),
    ];
    return shiftTimes(read, this.shifts).filter(({ time_ns }) => time_ns >= earliest && time_ns <= to);
  }

  /** Warnings about clocks that affect the order of events. */
  warnings(): Warning[] {
    const wrong = this.clocks.filter(({ error, perhaps }) => error === 'shift' || error === 'zone' || perhaps !== null);
    const clocks = wrong.map(({ name, remark }): Warning => ({ kind: 'clock', source: name, remark }));
    return this.all === undefined ? [...clocks, { kind: 'clocks_not_compared' }] : clocks;
  }
}

const keyOf = ({ entity, type }: EventFact): string => `${entity} ${type}`;

const later = (a: bigint, b: bigint): bigint => (a > b ? a : b);

const lastOf = (windows: readonly ImpactWindow[]): bigint =>
  windows.reduce((last, { end_ns }) => (end_ns > last ? end_ns : last), 0n);

const abs = (value: bigint): bigint => (value < 0n ? -value : value);

const farthest = (values: Iterable<bigint>): bigint =>
  [...values].reduce((most, value) => (abs(value) > most ? abs(value) : most), 0n);

function shiftTimes(events: readonly EventFact[], shifts: Shifts): EventFact[] {
  if (shifts.size === 0) return [...events];
  return events
    .map((event) => ({ ...event, time_ns: event.time_ns + (shifts.get(event.source_id) ?? 0n) }))
    .sort((a, b) => (a.time_ns < b.time_ns ? -1 : a.time_ns > b.time_ns ? 1 : a.event_id - b.event_id));
}

function shiftClock(clock: FileClock, shifts: Shifts): FileClock {
  const shift = shifts.get(clock.source_id);
  if (shift === undefined) return clock;
  const remark = `${clock.remark}; supposed to be ${Number(abs(shift)) / 1e9} s ${shift < 0n ? 'earlier' : 'later'}`;
  return { ...clock, offset_ns: clock.offset_ns + shift, correction_ns: clock.correction_ns + shift, remark };
}
