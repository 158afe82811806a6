import { sensibleTime } from '../../sources/redfish/times.ts';
import { clockSteps } from '../steady-clock.ts';
import type { Received } from './transport.ts';

/** More than clock drift between two polls: the clock was set, or the controller restarted. */
const JUMP_MS = 2000;
/** Smaller offsets are not reported. */
const REPORTED_OFFSET_MS = 100;
/** Smaller uncertainties of a sample time are not reported. */
const DOUBT_MS = 2000;

type Dated = Pick<Received, 'headers' | 'sent_ms' | 'received_ms'>;

/**
 * Offset of the controller's clock. Its responses have a Date header in whole seconds (RFC 9110): each one gives a
 * range for the offset, and many together narrow it to little more than a response time.
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
  /** Steps of this machine's clock that the bounds include. */
  private steps_ms: number;
  private ownStep_ms = 0;
  /** Whether its responses have a Date header. */
  dates = false;

  /** @param steps total of forward steps of this machine's clock so far */
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
   * When a response was true, by this machine's clock: between request and response. We assume that a controller reads
   * a sensor when it writes the response head, at its Date (RFC 9110, 6.6.1), as far as its clock is known. Without a
   * Date, or if it contradicts the measured clock, the midpoint is used: the error is at most half the response time. A
   * time that a resource states itself (`ReadingTime`, `Timestamp`) has precedence.
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

  /** A remark about late responses whose sample time is uncertain. */
  doubt(): string | null {
    if (this.widest_ms < DOUBT_MS || this.widest_ms < 2 * this.doubted_ms) return null;
    this.doubted_ms = this.widest_ms;
    return `responses of the controller came late: readings without their own timestamp are up to ${(this.widest_ms / 1000).toFixed(1)} s off`;
  }

  /** For controllers without a Date header: uses a resource that states the time. */
  states(time_ms: number, requested_ms: number): void {
    if (!this.dates && !this.isUnset && this.lowest_ms === Number.NEGATIVE_INFINITY)
      this.narrow(time_ms - requested_ms - 1000, time_ms - requested_ms + 2000);
  }

  /** After a forward step of this machine's clock the controller's is behind by that much more. */
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

  /** Add it to this machine's time to get the controller's; 0 if unknown or not significant. */
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

  /** Fixes the offset: rows of one data source use one clock. @returns a remark */
  settle(): string | null {
    if (this.settled !== null) return null;
    this.settled = this.seen;
    this.ownStep_ms = 0;
    if (this.isUnset) return 'the clock of the controller was never set: times are those of this machine';
    if (this.settled === 0) return null;
    const seconds = Math.abs(this.settled) / 1000;
    return `the clock of the controller is ${seconds.toFixed(1)} s ${this.settled > 0 ? 'ahead of' : 'behind'} this machine's (± ${(this.uncertainty_ms / 1000).toFixed(1)} s): times are the controller's`;
  }

  /** A remark about a clock step since the last call. */
  step(): string | null {
    const [leap, own] = [this.jumped_ms, this.ownStep_ms];
    this.jumped_ms = null;
    this.ownStep_ms = 0;
    if (leap === null && own === 0) return null;
    if (leap === null)
      return `this machine's clock was set forward by ${(own / 1000).toFixed(0)} s: since then, the controller's own times are behind by that much`;
    return `the clock of the controller was set by ${leap > 0 ? '+' : ''}${(leap / 1000).toFixed(0)} s during the capture: its own times shifted by that much`;
  }
}
