import { sensibleTime } from '../../sources/redfish/times.ts';
import { clockSteps } from '../steady-clock.ts';
import type { Received } from './transport.ts';

/** Beyond what a clock drifts between two polls: it was set, or the controller began anew. */
const JUMP_MS = 2000;
/** A difference that is worth a word. */
const REPORTED_OFFSET_MS = 100;
/** Doubt about when an answer was true that is worth a word. */
const DOUBT_MS = 2000;

type Dated = Pick<Received, 'headers' | 'sent_ms' | 'received_ms'>;

/**
 * How far the controller's clock is from this machine's. Its answers bear its time in whole seconds (RFC 9110, Date), each
 * of which leaves a range for the difference; many of them together leave little more than an answer takes.
 */
export class ControllerClock {
  private lowest_ms = Number.NEGATIVE_INFINITY;
  private highest_ms = Number.POSITIVE_INFINITY;
  private settled: number | null = null;
  private jumped_ms: number | null = null;
  private isUnset = false;
  private widest_ms = 0;
  private doubted_ms = 0;
  private readonly steps: () => number;
  /** Of this machine's clock, as far as the bounds know of them. */
  private steps_ms: number;
  private ownStep_ms = 0;
  /** Its answers bear its time. */
  dates = false;

  /** @param steps by how much this machine's clock has been set forward so far */
  constructor(steps: () => number = clockSteps) {
    this.steps = steps;
    this.steps_ms = steps();
  }

  saw({ headers, sent_ms, received_ms }: Dated): void {
    const { date } = headers;
    const stated_ms = Date.parse(date ?? '');
    if (date === undefined || Number.isNaN(stated_ms)) return;
    this.isUnset =
      sensibleTime(new Date(stated_ms).toISOString(), { zone: 'UTC', remark: () => undefined }) === undefined;
    this.dates = !this.isUnset;
    if (!this.isUnset) this.narrow(stated_ms - received_ms, stated_ms + 1000 - sent_ms);
  }

  /**
   * As of when an answer was true, by this machine's clock: between its question and its end. Within that it is assumed that
   * a controller reads a sensor when it writes the head of its answer, as its Date says (RFC 9110, 6.6.1: when the message
   * originated), so far as its clock is known; where it bears none, or one that contradicts the clock that was measured,
   * the middle is taken, and the answer may be off by half of what it took. A time that a resource states of its own
   * (`ReadingTime`, `Timestamp`) comes before all this.
   */
  dated({ headers, sent_ms, received_ms }: Dated): number {
    const stated_ms = Date.parse(headers.date ?? '');
    const [low, high] = [this.lowest_ms, this.highest_ms];
    const isKnown = this.dates && !Number.isNaN(stated_ms) && Number.isFinite(low) && Number.isFinite(high);
    const begin = isKnown ? Math.max(sent_ms, stated_ms - high) : sent_ms;
    const end = isKnown ? Math.min(received_ms, stated_ms + 1000 - low) : received_ms;
    const [from, to] = begin <= end ? [begin, end] : [sent_ms, received_ms];
    this.widest_ms = Math.max(this.widest_ms, (to - from) / 2);
    return (from + to) / 2;
  }

  /** What there is to say of answers that nothing dates within so long. */
  doubt(): string | null {
    if (this.widest_ms < DOUBT_MS || this.widest_ms < 2 * this.doubted_ms) return null;
    this.doubted_ms = this.widest_ms;
    return `answers of the controller came late, and nothing says when they were true: readings without a time of their own are up to ${(this.widest_ms / 1000).toFixed(1)} s off`;
  }

  /** Where no answer has a Date: a resource that states the time, asked between two moments. */
  states(time_ms: number, requested_ms: number): void {
    if (!this.dates && !this.isUnset && this.lowest_ms === Number.NEGATIVE_INFINITY)
      this.narrow(time_ms - requested_ms - 1000, time_ms - requested_ms + 2000);
  }

  /** Where this machine's clock was set forward the controller's is behind it by so much more. */
  private followOwn(): void {
    const by_ms = this.steps() - this.steps_ms;
    if (by_ms === 0) return;
    this.steps_ms += by_ms;
    this.lowest_ms -= by_ms;
    this.highest_ms -= by_ms;
    if (Number.isFinite(this.lowest_ms)) this.ownStep_ms += by_ms;
  }

  private narrow(lowest: number, highest: number): void {
    this.followOwn();
    const low = Math.max(lowest, this.lowest_ms);
    const high = Math.min(highest, this.highest_ms);
    if (low <= high) {
      this.lowest_ms = low;
      this.highest_ms = high;
      return;
    }
    const before = (this.lowest_ms + this.highest_ms) / 2;
    this.lowest_ms = lowest;
    this.highest_ms = highest;
    const step = (lowest + highest) / 2 - before;
    if (Math.abs(step) > JUMP_MS) this.jumped_ms = step;
  }

  /** Added to this machine's time it is the controller's; 0 where nothing is known, or no difference can be seen. */
  get offset_ms(): number {
    return this.settled ?? this.seen;
  }

  get uncertainty_ms(): number {
    return Number.isFinite(this.lowest_ms) ? (this.highest_ms - this.lowest_ms) / 2 : 0;
  }

  private get seen(): number {
    if (!Number.isFinite(this.lowest_ms)) return 0;
    const middle = (this.lowest_ms + this.highest_ms) / 2;
    return Math.abs(middle) > Math.max(REPORTED_OFFSET_MS, this.uncertainty_ms) ? Math.round(middle) : 0;
  }

  /** From now on the difference is what it is: rows of one source are on one clock. @returns what there is to say of it */
  settle(): string | null {
    if (this.settled !== null) return null;
    this.settled = this.seen;
    this.ownStep_ms = 0;
    if (this.isUnset) return 'the clock of the controller was never set: times are those of this machine';
    if (this.settled === 0) return null;
    const seconds = Math.abs(this.settled) / 1000;
    return `the clock of the controller is ${seconds.toFixed(1)} s ${this.settled > 0 ? 'ahead of' : 'behind'} this machine's (± ${(this.uncertainty_ms / 1000).toFixed(1)} s): times are the controller's`;
  }

  /** What there is to say of a clock that was set since it was last asked. */
  step(): string | null {
    const [leap, own] = [this.jumped_ms, this.ownStep_ms];
    this.jumped_ms = null;
    this.ownStep_ms = 0;
    if (leap === null && own === 0) return null;
    if (leap === null)
      return `this machine's clock was set forward by ${(own / 1000).toFixed(0)} s: times that the controller states itself lie so far before the others since`;
    return `the clock of the controller was set by ${leap > 0 ? '+' : ''}${(leap / 1000).toFixed(0)} s while it was recorded: times that it states itself are so far from those before`;
  }
}
