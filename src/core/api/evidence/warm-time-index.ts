import type { Session } from '../../../model/storage/engine.ts';
import { type CaseTimeIndex, readCaseTimeIndex } from '../../store/facts/time-index.ts';

/** Rows that have not changed for so long are taken to stay: a capture brings some every second, and an opening case has other work. */
const SETTLE_MS = 2000;

/** The moments of a case whose rows stand still, read beside other work once somebody has asked for them. */
export class WarmTimeIndex {
  private readonly withSession: <T>(work: (session: Session) => Promise<T>) => Promise<T>;
  private readonly since = Date.now();
  private readonly changing = new AbortController();
  private isRequested = false;
  private known: CaseTimeIndex | undefined;

  constructor(withSession: <T>(work: (session: Session) => Promise<T>) => Promise<T>) {
    this.withSession = withSession;
  }

  /** Undefined where they are not known yet, or never will be: whoever asks goes another way. */
  timeIndex(): CaseTimeIndex | undefined {
    if (!this.isRequested && Date.now() - this.since >= SETTLE_MS) {
      this.isRequested = true;
      void this.read();
    }
    return this.known;
  }

  /** They stand no longer. */
  changed(): void {
    this.changing.abort();
    this.known = undefined;
  }

  private async read(): Promise<void> {
    const { signal } = this.changing;
    // What cannot be read here is told to whoever asks the database itself.
    const known = await this.withSession((session) => readCaseTimeIndex(session, signal)).catch(() => null);
    if (known && !signal.aborted) this.known = known;
  }
}
