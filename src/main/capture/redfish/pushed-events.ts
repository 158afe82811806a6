import { isObject, type Json, linkOf, objectsOf, textOf, typeOf } from '../../sources/redfish/format.ts';
import { Bucket } from './bucket.ts';

/** Most events that wait to be read; more are counted as lost. */
const MOST_WAITING = 10_000;
const MOST_WAITING_CHARACTERS = 32 * 1024 * 1024;
/** Burst: when a whole rack fails at once. Then the rate that a controller may send continuously. */
const BURST_EVENTS = 10_000;
const EVENTS_PER_S = 200;
/** How much of a message distinguishes two events. */
const FINGERPRINT_CHARACTERS = 1000;
/** Logs repeat pushed events soon after. */
const MOST_REMEMBERED = 20_000;

export interface Pushed {
  readonly doc: Json;
  readonly requested_ms: number;
  readonly characters: number;
}

/** Events that a controller pushed, until they are read; finds their duplicates in logs. */
export class PushedEvents {
  private waiting: Pushed[] = [];
  private waitingEvents = 0;
  private waitingCharacters = 0;
  private readonly rate = new Bucket(BURST_EVENTS, EVENTS_PER_S);
  /** By signature: how many events were pushed and not yet found in a log. */
  private readonly sent = new Map<string, number>();
  /** Log entries by path and time: whether they had been pushed. */
  private readonly judged = new Map<string, boolean>();
  /** Signatures of log entries that were recorded as events. */
  private readonly logged = new Set<string>();
  private wake: () => void = () => undefined;
  /** By reason, since the last call of `refused`. */
  private readonly lost = new Map<string, number>();

  /** Counts refused events. */
  refuse(events: number, reason: string): void {
    this.lost.set(reason, (this.lost.get(reason) ?? 0) + events);
  }

  /** Number of refused events by reason since the last call. */
  *refused(): Generator<readonly [events: number, reason: string]> {
    for (const [reason, events] of this.lost) yield [events, reason];
    this.lost.clear();
  }

  /**
   * @param characters size of the message, if known
   * @returns whether it is a message that controllers send
   */
  take(doc: unknown, requested_ms: number, characters = 0): boolean {
    if (!isObject(doc)) return false;
    const events = objectsOf(doc['Events']);
    if (events.length === 0 && typeOf(doc) !== 'MetricReport') return false;
    // An event that a log already delivered is late.
    const fresh = events.filter((event) => !this.logged.has(signature(event) ?? ''));
    if (events.length > 0 && fresh.length === 0) return true;
    const count = Math.max(1, fresh.length);
    const room = this.waitingCharacters + characters > MOST_WAITING_CHARACTERS ? 0 : MOST_WAITING - this.waitingEvents;
    const fitting = Math.max(0, Math.min(count, room));
    if (fitting < count) this.refuse(count - fitting, 'more events came than could wait');
    const taken = this.rate.some(fitting);
    if (taken < fitting) this.refuse(fitting - taken, `more than ${EVENTS_PER_S} events came in a second`);
    if (taken === 0) return true;
    this.waitingEvents += taken;
    this.waitingCharacters += characters;
    const unknown = fresh.slice(0, taken);
    for (const event of unknown) {
      const what = signature(event);
      if (what !== undefined) this.sent.set(what, (this.sent.get(what) ?? 0) + 1);
    }
    bound(this.sent);
    this.waiting.push({ doc: events.length === 0 ? doc : { ...doc, Events: unknown }, requested_ms, characters });
    this.wake();
    return true;
  }

  /** Resolves when an event is available. */
  some(): Promise<void> {
    if (this.waiting.length > 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.wake = resolve;
    });
  }

  /** All waiting events. */
  drain(): readonly Pushed[] {
    const all = this.waiting;
    this.waiting = [];
    this.waitingEvents = 0;
    this.waitingCharacters = 0;
    return all;
  }

  /** Call it if the drained events could not be stored. */
  putBack(all: readonly Pushed[]): void {
    this.waiting = [...all, ...this.waiting];
    this.waitingEvents = this.waiting.reduce((sum, { doc }) => sum + Math.max(1, objectsOf(doc['Events']).length), 0);
    this.waitingCharacters = this.waiting.reduce((sum, { characters }) => sum + characters, 0);
  }

  /** Whether a log entry was pushed before: each pushed event matches one entry, a second entry is new. */
  wasPushed(entry: Json): boolean {
    const place = `${linkOf(entry)} ${textOf(entry['Created'])}`;
    const known = this.judged.get(place);
    if (known !== undefined) return known;
    const what = signature(entry);
    if (what === undefined) return false;
    const times = this.sent.get(what) ?? 0;
    if (times > 0) this.sent.set(what, times - 1);
    else this.logged.add(what);
    this.judged.set(place, times > 0);
    bound(this.judged);
    bound(this.logged);
    return times > 0;
  }
}

/**
 * Members that are equal in log and event; the zone may be written in two ways. undefined: there is no time to
 * compare.
 */
function signature(doc: Json): string | undefined {
  const seconds = Math.floor(Date.parse(textOf(doc['EventTimestamp']) || textOf(doc['Created'])) / 1000);
  return Number.isNaN(seconds)
    ? undefined
    : `${seconds} ${textOf(doc['MessageId'])} ${textOf(doc['Message'])}`.slice(0, FINGERPRINT_CHARACTERS);
}

/** Forgets the oldest. */
function bound(all: Map<string, unknown> | Set<string>): void {
  for (const oldest of all.keys()) {
    if (all.size <= MOST_REMEMBERED) return;
    all.delete(oldest);
  }
}
