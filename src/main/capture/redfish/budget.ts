import { type Json, numberOf } from '../../sources/redfish/format.ts';
import { steadyNow } from '../steady-clock.ts';

/** Limits of a poll cycle. More than this is hostile, or too much to read in time. */
export interface Limits {
  /** Requests per discovery. */
  readonly answers: number;
  /** Total size of all cached responses, as sent. */
  readonly bytes: number;
  /** Members of one collection, over all pages. */
  readonly members: number;
  readonly pages: number;
  /** Duration of one discovery. */
  readonly time_ms: number;
}

/** A GB300 has a thousand resources of two million bytes in all, and no collection of more than two hundred members. */
export const LIMITS: Limits = {
  answers: 8000,
  bytes: 64 * 1024 * 1024,
  members: 2000,
  pages: 200,
  time_ms: 10 * 60_000,
};

/** What a discovery may still request, and how many resources were left out. */
export class Budget {
  private readonly limits: Limits;
  private readonly ends: number;
  private requestCount = 0;
  private bytes = 0;
  private leftOut = 0;

  constructor(limits: Limits) {
    this.limits = limits;
    this.ends = steadyNow() + limits.time_ms;
  }

  /** Whether one more resource may be requested; if not, it is counted as left out. */
  allows(): boolean {
    const { answers, bytes } = this.limits;
    const isSpent = this.requestCount >= answers || this.bytes >= bytes || steadyNow() >= this.ends;
    if (isSpent) this.leftOut++;
    else this.requestCount++;
    return !isSpent;
  }

  answered(bytes: number): void {
    this.bytes += bytes;
  }

  /** A remark about resources that were left out. */
  summary(): string | null {
    if (this.leftOut === 0) return null;
    const { answers, bytes, time_ms } = this.limits;
    return `the controller has more resources than the limits allow (${answers} answers, ${Math.round(bytes / 1_048_576)} MiB, ${Math.round(time_ms / 1000)} s): ${this.leftOut} linked resources were left out, with all that only they link`;
  }
}

/** A collection page, cut to the members that still fit; total undefined: the page has all members. */
export function fitted(
  doc: Json,
  room: number,
): { readonly doc: Json; readonly members: number; readonly over: number } {
  const members = doc['Members'];
  if (!Array.isArray(members)) return { doc, members: 0, over: 0 };
  const over = Math.max(0, members.length - room);
  return over === 0
    ? { doc, members: members.length, over }
    : { doc: { ...doc, Members: members.slice(0, room) }, members: room, over };
}

/** Total member count of a collection, if the document states it. */
export const statedCount = (doc: Json): number | undefined => numberOf(doc['Members@odata.count']);
