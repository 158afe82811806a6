/**
 * When the values of an agent were measured, as far as can be known: after they were asked for, before they were answered. Each
 * is dated by the middle of that, which is wrong by half of it at most; a question that had to be asked twice was first asked then.
 */
export class AnswerTimes {
  private readonly middles = new Map<string, number>();
  private longest_ms = 0;

  /** A new poll begins: what is not answered in it has no time. */
  begin(): void {
    this.middles.clear();
    this.longest_ms = 0;
  }

  saw(oids: Iterable<string>, requested_ms: number, answered_ms: number): void {
    const middle = (requested_ms + answered_ms) / 2;
    for (const oid of oids) this.middles.set(oid, middle);
    this.longest_ms = Math.max(this.longest_ms, answered_ms - requested_ms);
  }

  /** Milliseconds of the clock that {@link saw} was given; undefined: it was not answered in this poll. */
  middleOf(oid: string): number | undefined {
    return this.middles.get(oid);
  }

  /** By how much a time of this poll may be wrong. */
  get uncertainty_ms(): number {
    return this.longest_ms / 2;
  }
}
