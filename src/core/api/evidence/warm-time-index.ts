import type { Session } from '../../../model/storage/engine.ts';
import { type CaseTimeIndex, readCaseTimeIndex } from '../../store/facts/time-index.ts';

/** Rows unchanged for this long count as stable: a capture adds rows every second, and opening a case has priority. */
const SETTLE_MS = 2000;

/** Time index of a case with stable rows, built in the background after the first request. */
export class WarmTimeIndex {
  private readonly withSession: <T>(work: (session: Session) => Promise<T>) => Promise<T>;
  private readonly since = Date.now();
  private readonly changing = new AbortController();
  private isRequested = false;
  private known: CaseTimeIndex | undefined;

  constructor(withSession: <T>(work: (session: Session) => Promise<T>) => Promise<T>) {
    this.withSession = withSession;
  }

  /** Undefined if it is not available: the caller uses a query instead. */
  timeIndex(): CaseTimeIndex | undefined {
    if (!this.isRequested && Date.now() - this.since >= SETTLE_MS) {
      this.isRequested = true;
      void this.read();
    }
    return this.known;
  }

  /** Invalidates the index. */
  changed(): void {
    this.changing.abort();
    this.known = undefined;
  }

  private async read(): Promise<void> {
    const { signal } = this.changing;
    // Errors appear in the query of the caller.
    const known = await this.withSession((session) => readCaseTimeIndex(session, signal)).catch(() => null);
    if (known && !signal.aborted) this.known = known;
  }
}
