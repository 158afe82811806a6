import type { Session } from '../../../model/storage/engine.ts';
import { type CaseMoments, readCaseMoments } from '../../store/facts/moments.ts';

/** Rows that have not changed for so long are taken to stay: a capture brings some every second, and an opening case has other work. */
const STANDING_MS = 2000;

/** The moments of a case whose rows stand still, read beside other work once somebody has asked for them. */
export class StandingRows {
  private readonly withSession: <T>(work: (session: Session) => Promise<T>) => Promise<T>;
  private readonly since = Date.now();
  private readonly changing = new AbortController();
  private isAsked = false;
  private known: CaseMoments | undefined;

  constructor(withSession: <T>(work: (session: Session) => Promise<T>) => Promise<T>) {
    this.withSession = withSession;
  }

  /** Undefined where they are not known yet, or never will be: whoever asks goes another way. */
  moments(): CaseMoments | undefined {
    if (!this.isAsked && Date.now() - this.since >= STANDING_MS) {
      this.isAsked = true;
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
    const known = await this.withSession((session) => readCaseMoments(session, signal)).catch(() => null);
    if (known && !signal.aborted) this.known = known;
  }
}
