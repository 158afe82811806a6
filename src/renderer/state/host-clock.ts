import { type Nanos, nanos } from '../../model/time.ts';

/** Network delay and clock synchronisation stay below this; they move nothing on screen. */
const MOST_OFF_NS = 2_000_000_000n;

/** The clock of this browser, fine enough to glide. It stops while the machine sleeps. */
const own = (): bigint => BigInt(Math.round((performance.timeOrigin + performance.now()) * 1e3)) * 1000n;

/** Number of recent host times to compare. */
const MOST_RECENT = 5;

let ahead_ns = 0n;
const recent: bigint[] = [];

/** The time of the host: live rows use its clock, and the window may be on another machine. */
export const hostNow = (): Nanos => nanos(own() + ahead_ns);

/** The host reported its time. Delayed messages understate it, so the largest of the last few is the best. */
export function updateHostClock(now_ns: bigint): void {
  recent.push(now_ns - own());
  if (recent.length > MOST_RECENT) recent.shift();
  const nearest = recent.reduce((most, one) => (one > most ? one : most));
  const off_ns = nearest - ahead_ns;
  if (off_ns > MOST_OFF_NS || off_ns < -MOST_OFF_NS) ahead_ns = nearest;
}
