import { latestWins } from '../../../base/latest-wins.ts';
import type { Input, LaneData, LaneMetric } from '../../../model/contract/index.ts';
import type { Problem } from '../../../model/problem.ts';
import { type Nanos, nanos } from '../../../model/time.ts';
import type { Client } from '../../client/client.ts';
import { isAbort, problemOf } from '../../client/problem-of.ts';
import { depthsOf } from '../../draw/timeline/bands.ts';
import { type MetricShape, measureMetric } from '../../draw/timeline/metric-line.ts';
import type { LaneEntry } from '../../draw/timeline/scene.ts';
import type { TimeWindow } from '../../state/focus-history.ts';
import { hostNow } from '../../state/host-clock.ts';
import { padWindow, spanOf } from '../../state/time-window.ts';
import { type Tail, tailOf, withTail } from './lane-tail.ts';

export interface Wanted {
  readonly window: TimeWindow;
  readonly bounds: TimeWindow;
  readonly lanes: readonly string[];
  /** CSS pixels of the visible window times the pixel ratio. */
  readonly pixels: number;
}

/** Late rows: recent time is requested again at once, older time at this interval. */
const EDGE_NS = 120_000_000_000n;
const ELSEWHERE_MS = 10_000;
/** Slow queries run less often: they take at most a third of the time. */
const PATIENCE = 2;
/** Only the end of a growing lane is requested, from this far back to include late rows. */
const TAIL_NS = 10_000_000_000n;
/** Limit of lanes per request that are reloaded in full because of their age. */
const MOST_AGED = 8;
const PAD = 0.5;
const MOST_ENTRIES = 1200;
const MOST_PER_CALL = 60;

/**
 * Loads padded windows of the visible lanes; the current data stays on screen until better data arrives. It is not in the query
 * cache: an answer there is whole, while lanes are loaded, extended at their end and dropped one by one.
 */
export class LaneStore {
  private readonly entries = new Map<string, LaneEntry>();
  private readonly shapes = new Map<string, MetricShape>();
  private readonly moved = new Map<string, Moved>();
  private shifts: ReadonlyMap<string, bigint> = new Map();
  private mixed: ReadonlyMap<string, readonly ClockShift[]> = new Map();
  /** Clock shifts of the loaded data, for lanes with several data sources. */
  private readonly requestedClocks = new Map<string, readonly ClockShift[]>();
  /** Counter of live updates, and the counter at each lane's last request. */
  private came = 0;
  private tookMs = 0;
  private readonly freshness = new Map<string, Freshness>();
  private wanted: Wanted | undefined;
  private readonly runner = latestWins<Wanted>((_wanted, signal) => this.fetch(signal));
  problem: Problem | null = null;

  private readonly client: Client;
  private readonly onChange: () => void;

  constructor(client: Client, onChange: () => void) {
    this.client = client;
    this.onChange = onChange;
  }

  /** The data of a lane, on the current clock of its data source. */
  readonly get = (lane: string): LaneEntry | undefined => {
    const entry = this.entries.get(lane);
    const shift = this.shifts.get(lane) ?? 0n;
    if (!entry || shift === 0n) return entry;
    const known = this.moved.get(lane);
    if (known?.of === entry && known.shift === shift) return known.entry;
    const moved = { ...entry, startNs: nanos(entry.startNs + shift), endNs: nanos(entry.endNs + shift) };
    this.moved.set(lane, { of: entry, shift, entry: moved });
    return moved;
  };

  /**
   * Sets by how much lanes are drawn later than recorded; lanes without a shift are absent.
   * @param shifts of lanes with one data source: they are moved without a request
   * @param mixed of lanes with several data sources: only the core can separate their rows
   */
  shift(shifts: ReadonlyMap<string, bigint>, mixed: ReadonlyMap<string, readonly ClockShift[]>): void {
    this.shifts = shifts;
    this.mixed = mixed;
  }

  want(wanted: Wanted): void {
    this.wanted = wanted;
    if (this.problem === null && this.lacking(wanted).length > 0) this.runner.request(wanted);
  }

  /** Live rows arrived: loaded data stays valid except at its end. */
  rowsCame(): void {
    this.came++;
  }

  private isStale(lane: string, { window, bounds }: Wanted): boolean {
    const freshness = this.freshness.get(lane);
    if (freshness === undefined || freshness.came === this.came) return false;
    const sinceMs = performance.now() - freshness.at;
    if (sinceMs < this.tookMs * (1 + PATIENCE)) return false;
    return window.endNs + EDGE_NS > bounds.endNs || sinceMs > ELSEWHERE_MS;
  }

  retry(): void {
    this.problem = null;
    if (this.wanted) this.runner.request(this.wanted);
  }

  close(): void {
    this.runner.cancel();
  }

  private lacking(wanted: Wanted): string[] {
    const { window, bounds, lanes } = wanted;
    return lanes
      .filter(
        (lane) =>
          !covers(this.get(lane), window, bounds) ||
          this.mixed.get(lane) !== this.requestedClocks.get(lane) ||
          this.isStale(lane, wanted),
      )
      .slice(0, MOST_PER_CALL);
  }

  private async fetch(signal: AbortSignal): Promise<void> {
    const wanted = this.wanted;
    const lanes = wanted ? this.lacking(wanted) : [];
    if (!wanted || lanes.length === 0) return;
    const began = performance.now();
    const tails = this.tailsOf(lanes, wanted);
    try {
      await this.fetchTails(tails, wanted, signal);
      await this.fetchWhole(
        lanes.filter((lane) => !tails.has(lane)),
        wanted,
        signal,
      );
    } catch (error) {
      if (isAbort(error)) return;
      this.problem = problemOf(error);
    }
    this.tookMs = performance.now() - began;
    this.evict(wanted.lanes);
    this.onChange();
    const newest = this.wanted;
    if (newest && this.problem === null && this.lacking(newest).length > 0) this.runner.request(newest);
  }

  /** Loaded lanes that only grow. */
  private tailsOf(lanes: readonly string[], wanted: Wanted): ReadonlyMap<string, Tail> {
    const { window, bounds } = wanted;
    const tails = new Map<string, Tail>();
    const aged: string[] = [];
    for (const lane of lanes) {
      const asked = this.freshness.get(lane);
      const isOwn = !this.mixed.has(lane) && !this.shifts.has(lane) && !this.requestedClocks.has(lane);
      if (!asked || !isOwn || !covers(this.get(lane), window, bounds)) continue;
      const tail = tailOf(this.entries.get(lane), asked.upTo - TAIL_NS, recordedUpTo(wanted) + TAIL_NS);
      if (tail) tails.set(lane, tail);
      if (tail && performance.now() - asked.wholeAt > ELSEWHERE_MS) aged.push(lane);
    }
    const age = (lane: string): number => this.freshness.get(lane)?.wholeAt ?? 0;
    for (const lane of aged.sort((a, b) => age(a) - age(b)).slice(0, MOST_AGED)) tails.delete(lane);
    return tails;
  }

  private async fetchTails(tails: ReadonlyMap<string, Tail>, wanted: Wanted, signal: AbortSignal): Promise<void> {
    const { came } = this;
    const at = performance.now();
    for (const group of Map.groupBy(tails, ([, { startNs, endNs, first, end }]) =>
      [startNs, endNs, first, end].join(' '),
    ).values()) {
      const [[, { startNs, endNs, first, end }]] = group as [[string, Tail]];
      const lanes = group.map(([lane]) => lane);
      const query = { start_ns: startNs, end_ns: endNs, buckets: end - first, lanes };
      for (const data of await this.client.call('timeline.data', query, signal)) {
        const tail = tails.get(data.lane);
        if (!tail) continue;
        const { entry } = tail;
        // A lane that is no longer a metric is stored as it is.
        if (data.kind === 'metric') this.store(withTail(tail, data), entry, entry.bucketNs);
        else this.entries.delete(data.lane);
      }
      for (const lane of lanes) {
        const asked = this.freshness.get(lane);
        if (asked) this.freshness.set(lane, { ...asked, came, at, upTo: recordedUpTo(wanted) });
      }
    }
  }

  private async fetchWhole(lanes: readonly string[], wanted: Wanted, signal: AbortSignal): Promise<void> {
    const at = performance.now();
    const fresh = { came: this.came, at, wholeAt: at, upTo: recordedUpTo(wanted) };
    const buckets = Math.min(8192, Math.max(64, Math.round(wanted.pixels * (1 + 2 * PAD))));
    for (const [moved, own] of Map.groupBy(lanes, (lane) => this.mixed.get(lane) ?? this.shifts.get(lane) ?? 0n)) {
      const clocks = typeof moved === 'bigint' ? [] : [...moved];
      const padded = padWindow(movedBy(wanted.window, typeof moved === 'bigint' ? -moved : 0n), PAD);
      const ask = { start_ns: padded.startNs, end_ns: padded.endNs, buckets, lanes: own, clocks };
      const answers = await this.client.call('timeline.data', ask, signal);
      for (const data of answers) this.store(data, padded, spanOf(padded) / buckets);
      for (const lane of own) {
        this.noteRequest(lane, typeof moved === 'bigint' ? undefined : moved);
        this.freshness.set(lane, fresh);
      }
    }
  }

  private noteRequest(lane: string, clocks: readonly ClockShift[] | undefined): void {
    if (clocks) this.requestedClocks.set(lane, clocks);
    else this.requestedClocks.delete(lane);
  }

  private store(data: LaneData, { startNs, endNs }: TimeWindow, bucketNs: number): void {
    const shape = data.kind === 'metric' ? this.shapeOf(data) : null;
    const depths = data.kind === 'bands' ? depthsOf(data) : 0;
    this.entries.set(data.lane, { data, startNs, endNs, bucketNs, shape, depths });
  }

  /** The range of a lane only grows, so that its line does not jump while the window moves. */
  private shapeOf(data: LaneMetric): MetricShape {
    const shape = measureMetric(data);
    const before = this.shapes.get(data.lane);
    const grown = before
      ? { ...shape, low: Math.min(before.low, shape.low), high: Math.max(before.high, shape.high) }
      : shape;
    this.shapes.set(data.lane, grown);
    return grown;
  }

  private evict(retained: readonly string[]): void {
    if (this.entries.size <= MOST_ENTRIES) return;
    const needed = new Set(retained);
    for (const lane of this.entries.keys()) {
      if (needed.has(lane)) continue;
      this.entries.delete(lane);
      this.moved.delete(lane);
      this.requestedClocks.delete(lane);
      this.freshness.delete(lane);
    }
  }
}

/** State at the last request of a lane: update counter, time, time of the last full request, end of the recording. */
interface Freshness {
  readonly came: number;
  readonly at: number;
  readonly wholeAt: number;
  readonly upTo: bigint;
}

/** Rows dated after the present do not extend the recording. */
function recordedUpTo({ bounds }: Wanted): bigint {
  const now = hostNow();
  return bounds.endNs < now ? bounds.endNs : now;
}

export type ClockShift = NonNullable<Input<'timeline.data'>['clocks']>[number];

interface Moved {
  readonly of: LaneEntry;
  readonly shift: bigint;
  readonly entry: LaneEntry;
}

const movedBy = ({ startNs, endNs }: TimeWindow, by: bigint): TimeWindow => ({
  startNs: nanos(startNs + by),
  endNs: nanos(endNs + by),
});

/** Whether data covers the window within the bounds, finely enough but not too finely for the connection. */
export function covers(entry: LaneEntry | undefined, window: TimeWindow, bounds: TimeWindow): boolean {
  if (!entry) return false;
  const early = window.startNs > bounds.startNs;
  const late = window.endNs < bounds.endNs;
  const start: Nanos = early ? window.startNs : bounds.startNs;
  const end: Nanos = late ? window.endNs : bounds.endNs;
  const outside = end <= start;
  const asked = spanOf(window) * (1 + 2 * PAD);
  const ratio = Number(entry.endNs - entry.startNs) / asked;
  const fine = ratio <= 1.7 && ratio >= 0.45;
  return fine && (outside || (entry.startNs <= start && entry.endNs >= end));
}
