import { isObject, type Json, linkOf, objectsOf, textOf, typeOf } from '../../sources/redfish/format.ts';

/** So many may wait to be read; a storm beyond it is counted as lost. */
const MOST_WAITING = 10_000;
/** Logs repeat what was sent, soon after. */
const MOST_REMEMBERED = 20_000;

export interface Pushed {
  readonly doc: Json;
  readonly asked_ms: number;
}

/** What a controller sent by itself, through whatever door it came, until it is read; and what of it its logs tell again. */
export class PushedEvents {
  private waiting: Pushed[] = [];
  /** How often events of a signature were sent and not found in a log yet. */
  private readonly sent = new Map<string, number>();
  /** Entries of logs by address and time: whether they had been sent. */
  private readonly judged = new Map<string, boolean>();
  /** Signatures of entries that were told as such. */
  private readonly logged = new Set<string>();
  private wake: () => void = () => undefined;
  lost = 0;

  /** @returns whether this is something that controllers send */
  take(doc: unknown, asked_ms: number): boolean {
    if (!isObject(doc)) return false;
    const events = objectsOf(doc['Events']);
    if (events.length === 0 && typeOf(doc) !== 'MetricReport') return false;
    // What a log has told already comes late.
    const unknown = events.filter((event) => !this.logged.has(signature(event) ?? ''));
    if (events.length > 0 && unknown.length === 0) return true;
    if (this.waiting.length >= MOST_WAITING) {
      this.lost += Math.max(1, unknown.length);
      return true;
    }
    for (const event of unknown) {
      const what = signature(event);
      if (what !== undefined) this.sent.set(what, (this.sent.get(what) ?? 0) + 1);
    }
    bound(this.sent);
    this.waiting.push({ doc: events.length === 0 ? doc : { ...doc, Events: unknown }, asked_ms });
    this.wake();
    return true;
  }

  /** Settles when something has come. */
  some(): Promise<void> {
    if (this.waiting.length > 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.wake = resolve;
    });
  }

  /** All that waits. */
  drain(): readonly Pushed[] {
    const all = this.waiting;
    this.waiting = [];
    return all;
  }

  /** What was drained was not kept after all. */
  putBack(all: readonly Pushed[]): void {
    this.waiting.unshift(...all);
  }

  /** Whether an entry of a log is an event that came by itself before: each event is one entry, the second is another. */
  told(entry: Json): boolean {
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

/** Log and event agree in these; the zone may be written in two ways. undefined: without a time nothing is the same. */
function signature(doc: Json): string | undefined {
  const seconds = Math.floor(Date.parse(textOf(doc['EventTimestamp']) || textOf(doc['Created'])) / 1000);
  return Number.isNaN(seconds) ? undefined : `${seconds} ${textOf(doc['MessageId'])} ${textOf(doc['Message'])}`;
}

/** Forgets the oldest. */
function bound(all: Map<string, unknown> | Set<string>): void {
  for (const oldest of all.keys()) {
    if (all.size <= MOST_REMEMBERED) return;
    all.delete(oldest);
  }
}
