import type { ChangeFact, LevelFact, WatchedState } from '../../store/facts/reader.ts';
import { areSameLimits, NO_LIMITS, type SampleLimits, sideOf } from './sample-limits.ts';
import { Tally } from './tally.ts';

/** A sample as it is stored. */
export interface Sample {
  readonly source_id: number;
  readonly time_ns: bigint;
  /** On the case's clock. */
  readonly clock_ns: bigint;
  readonly value: number;
}

interface Begun {
  /** Its changes are needed. */
  readonly isStepped: boolean;
  /** Its limits are shares of its median, if none are stated. */
  readonly hasMedian: boolean;
  readonly state?: WatchedState;
  readonly changes?: readonly ChangeFact[] | undefined;
}

/** Values are rounded to a thousandth: closer to a limit, the side is undefined. */
const GRAIN = 0.001;
const thousandths = (value: number): number => (Math.sign(value) * Math.round(Math.abs(value) * 1000)) / 1000;

/**
 * Milliseconds in three digits, rounded down, as in `watched-state.sql`: for a device that measures at random
 * times this gives a few thousand distances, however long the recording.
 */
function roundedMs(milliseconds: number): number {
  const unit = 10 ** Math.max(0, String(milliseconds).length - 3);
  return milliseconds - (milliseconds % unit);
}

/** Incremental form of `watched-changes.sql` and `watched-levels.sql` for one series. */
export class SampleTrack {
  samples = 0;
  private readonly series_id: number;
  /** undefined: changes of this series are not needed. */
  private readonly facts: Omit<ChangeFact, 'floor_s'>[] | undefined;
  /** undefined: not computed yet. */
  private excursions: Omit<LevelFact, 'floor_s'>[] | undefined;
  private limits = NO_LIMITS;
  private learnt = 0;
  private last: Sample | undefined;
  private readonly distances: Tally;
  /** undefined: its limits do not depend on recorded values. (A counter has a new value in every sample.) */
  private readonly values: Tally | undefined;

  /** @param state of a series that has samples already, with all of its changes */
  constructor(series_id: number, { isStepped, hasMedian, state, changes = [] }: Begun) {
    this.series_id = series_id;
    this.samples = state?.samples ?? 0;
    this.last = state;
    this.facts = isStepped ? [...changes] : undefined;
    this.excursions = state ? undefined : [];
    this.distances = Tally.read(state?.distances ?? null);
    this.values = hasMedian ? Tally.read(state?.values ?? null) : undefined;
  }

  /** @returns false: out of order, everything must be read again */
  add(sample: Sample): boolean {
    const { last } = this;
    if (last && !isAfter(sample, last)) return false;
    const at = {
      series_id: this.series_id,
      source_id: sample.source_id,
      time_ns: sample.time_ns,
      clock_ns: sample.clock_ns,
      value: sample.value,
      before_ns: last?.time_ns ?? null,
      before_value: last?.value ?? null,
    };
    if (!last || last.value !== sample.value) this.facts?.push(at);
    if (this.excursions) this.judge(at, this.excursions);
    if (last) this.distances.add(roundedMs(Number((sample.clock_ns - last.clock_ns) / 1_000_000n)));
    if (Number.isFinite(sample.value)) this.values?.add(thousandths(sample.value));
    else this.excursions = undefined;
    this.samples++;
    this.last = sample;
    return true;
  }

  /** Number of distinct distances and values. */
  get remembered(): number {
    return this.distances.size + (this.values?.size ?? 0);
  }

  private judge(at: Omit<ChangeFact, 'floor_s'>, excursions: Omit<LevelFact, 'floor_s'>[]): void {
    const before_side = excursions.at(-1)?.side ?? null;
    const side = sideOf(at.value, this.limits) ?? before_side ?? 0;
    if (side !== before_side) excursions.push({ ...at, side, before_side });
  }

  /** To a thousandth. */
  get median(): number | null {
    return this.values?.median() ?? null;
  }

  private get floor_s(): number | null {
    const floor_ms = this.distances.median();
    return floor_ms === null ? null : floor_ms / 1e3;
  }

  changes(): ChangeFact[] {
    const { floor_s } = this;
    return (this.facts ?? []).map((fact) => ({ ...fact, floor_s }));
  }

  /** Changes if changes or levels change. */
  get edition(): string {
    return `${this.facts?.length ?? 0} ${this.learnt} ${this.excursions?.length ?? 0} ${this.floor_s}`;
  }

  /**
   * The limits that the series has from now on.
   *
   * @returns false if past events change under them, so the series must be read with SQL and passed to {@link learn}
   */
  limit(limits: SampleLimits): boolean {
    const isPastSame = () => this.values?.every((value) => isSameSide(value, this.limits, limits)) ?? false;
    if (!this.excursions || !(areSameLimits(limits, this.limits) || isPastSame())) return false;
    this.limits = limits;
    return true;
  }

  /** Its excursions over its limits. */
  levels(): LevelFact[] {
    const { excursions = [], floor_s } = this;
    return excursions.map((fact) => ({ ...fact, floor_s }));
  }

  /** @param facts of all samples so far, under these limits */
  learn(limits: SampleLimits, facts: readonly LevelFact[]): void {
    this.limits = limits;
    this.excursions = [...facts];
    this.learnt++;
  }
}

/** By time, then as in SQL. */
function isAfter(sample: Sample, last: Sample): boolean {
  if (sample.clock_ns !== last.clock_ns) return sample.clock_ns > last.clock_ns;
  if (sample.source_id !== last.source_id) return sample.source_id > last.source_id;
  return sample.value >= last.value;
}

function isSameSide(value: number, before: SampleLimits, after: SampleLimits): boolean {
  const side = sideOf(value - GRAIN, before);
  return (
    sideOf(value + GRAIN, before) === side &&
    sideOf(value - GRAIN, after) === side &&
    sideOf(value + GRAIN, after) === side
  );
}
