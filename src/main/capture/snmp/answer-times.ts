/**
 * When the values of an agent were measured: between request and response. Each gets the midpoint, so the error is at
 * most half the response time. For a repeated request the first one counts.
 */
export class AnswerTimes {
  private readonly middles = new Map<string, number>();
  private longest_ms = 0;

  /** Starts a new poll: values without a response in it have no time. */
  begin(): void {
    this.middles.clear();
    this.longest_ms = 0;
  }

  saw(oids: Iterable<string>, requested_ms: number, answered_ms: number): void {
    const middle = (requested_ms + answered_ms) / 2;
    for (const oid of oids) this.middles.set(oid, middle);
    this.longest_ms = Math.max(this.longest_ms, answered_ms - requested_ms);
  }

  /** Milliseconds of the clock that was passed to {@link saw}; undefined: no response in this poll. */
  middleOf(oid: string): number | undefined {
    return this.middles.get(oid);
  }

  /** Uncertainty of the times of this poll. */
  get uncertainty_ms(): number {
    return this.longest_ms / 2;
  }
}
