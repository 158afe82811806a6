import { type Json, numberOf } from '../../sources/redfish/format.ts';
import { steadyNow } from '../steady-clock.ts';

/** What goes on beyond these means harm, or is more than can be read while it matters. */
export interface Limits {
  /** Requests of one round of learning. */
  readonly answers: number;
  /** Of all answers that are held, as they were sent. */
  readonly bytes: number;
  /** Of one collection, over all its pages. */
  readonly members: number;
  readonly pages: number;
  /** Of one round of learning. */
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

/** What may still be asked in a round of learning, and how much was left out for it. */
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

  /** Whether one more resource may be asked; else it is counted as left out. */
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

  /** What there is to say of what was left out. */
  summary(): string | null {
    if (this.leftOut === 0) return null;
    const { answers, bytes, time_ms } = this.limits;
    return `the controller has more resources than are followed (${answers} answers, ${Math.round(bytes / 1_048_576)} MiB, ${Math.round(time_ms / 1000)} s): ${this.leftOut} that are linked were left out, and what only these link`;
  }
}

/** A page of a collection with no more members than there is room for; undefined total: it has all that it is known to have. */
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

/** How many members a collection says that it has over all its pages; undefined where it does not say. */
export const statedCount = (doc: Json): number | undefined => numberOf(doc['Members@odata.count']);
