import { type Nanos, nanos } from '../../model/time.ts';

/** What the way here takes, and corrections of clocks that are kept right, move nothing on screen. */
const MOST_OFF_NS = 2_000_000_000n;

/** This browser's clock, in steps that are fine enough to glide by. It stands still while the machine sleeps. */
const own = (): bigint => BigInt(Math.round((performance.timeOrigin + performance.now()) * 1e3)) * 1000n;

/** So many words of the host are compared. */
const MOST_RECENT = 5;

let ahead_ns = 0n;
const recent: bigint[] = [];

/** What time it is where it is recorded: live rows bear that clock, and a window may look on from elsewhere. */
export const hostNow = (): Nanos => nanos(own() + ahead_ns);

/** The host said what time it has. A word that came late says too little: of the last few the largest is nearest. */
export function updateHostClock(now_ns: bigint): void {
  recent.push(now_ns - own());
  if (recent.length > MOST_RECENT) recent.shift();
  const nearest = recent.reduce((most, one) => (one > most ? one : most));
  const off_ns = nearest - ahead_ns;
  if (off_ns > MOST_OFF_NS || off_ns < -MOST_OFF_NS) ahead_ns = nearest;
}
