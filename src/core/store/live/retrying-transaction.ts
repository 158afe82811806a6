import { ProblemError } from '../../../model/problem.ts';
import type { AppendRows, RowFeed, Session } from '../../../model/storage/engine.ts';

const isFull = (error: unknown): boolean => error instanceof ProblemError && error.problem.code === 'disk.full';

/** What only asks changes nothing that would have to be done again. */
const isReadOnly = (sql: string): boolean => !/^\s*(insert|update|delete)\b/i.test(sql);

/** Rows of a feed as often as they are asked for. */
function again(feed: RowFeed): () => RowFeed {
  const replay: AppendRows[] = [];
  return () => {
    const before = replay.values();
    const next = (): ReturnType<RowFeed['next']> => {
      const known = before.next();
      if (!known.done) return known.value;
      const fresh = feed.next();
      if (typeof fresh !== 'string') replay.push(fresh);
      return fresh;
    };
    return { types: feed.types, next };
  };
}

/**
 * One transaction that outlasts a full disk: it is rolled back as a whole, and what was done in it is done again when there may be
 * room, so that nothing of it has to be kept anywhere else. No other writer may add rows in the meantime.
 */
class PatientTransaction {
  private readonly session: Session;
  /** Settles when it is worth another try. @throws when it has been given up */
  private readonly room: (error: unknown) => Promise<void>;
  private readonly done: (() => Promise<unknown>)[] = [];

  constructor(session: Session, room: (error: unknown) => Promise<void>) {
    this.session = session;
    this.room = room;
  }

  /** What may be done in it. */
  get inside(): Session {
    const { session } = this;
    return {
      ...session,
      query: (sql, values, signal) => this.step(() => session.query(sql, values, signal), !isReadOnly(sql)),
      execute: (script) => this.step(() => session.execute(script), true),
      append: (table, columns, count) => this.step(() => session.append(table, columns, count), true),
      insert: (table, feed, signal) => {
        const rows = again(feed);
        return this.step(() => session.insert(table, rows(), signal), true);
      },
    };
  }

  async begin(): Promise<void> {
    await this.step(() => this.session.execute('begin transaction'), true);
  }

  async commit(): Promise<void> {
    await this.step(() => this.session.execute('commit'), false);
  }

  private async step<T>(work: () => Promise<T>, isRedone: boolean): Promise<T> {
    for (;;) {
      try {
        const result = await work();
        if (isRedone) this.done.push(work);
        return result;
      } catch (error) {
        if (!isFull(error)) throw error;
        await this.again(error);
      }
    }
  }

  private async again(error: unknown): Promise<void> {
    for (let why = error; ; ) {
      await this.session.execute('rollback');
      await this.room(why);
      try {
        for (const work of this.done) await work();
        return;
      } catch (next) {
        if (!isFull(next)) throw next;
        why = next;
      }
    }
  }
}

/** Work within one transaction, once at a time, that waits where the disk is full. */
export class PatientWork<T> {
  private running: Promise<T> | null = null;
  private tryAgain: PromiseWithResolvers<void> | null = null;
  private why: unknown;
  private foundFull: () => void = () => undefined;

  /** There was no room, and what came is held until it has been written. */
  isBlocked = false;

  /** Goes on with what is held, else begins. @returns 'full' where there is no room; the work is not over then */
  async run(session: Session, work: (session: Session) => Promise<T>): Promise<T | 'full'> {
    const full = new Promise<'full'>((resolve) => {
      this.foundFull = () => resolve('full');
    });
    this.running ??= this.begin(session, work).finally(() => {
      this.running = null;
    });
    this.tryAgain?.resolve();
    return Promise.race([this.running, full]);
  }

  /** It will not be tried again. @throws what the work was held by */
  async giveUp(): Promise<void> {
    const { running } = this;
    this.tryAgain?.reject(this.why);
    await running;
  }

  private async begin(session: Session, work: (session: Session) => Promise<T>): Promise<T> {
    const transaction = new PatientTransaction(session, (error) => this.room(error));
    await transaction.begin();
    try {
      const result = await work(transaction.inside);
      await transaction.commit();
      this.isBlocked = false;
      return result;
    } catch (error) {
      await session.execute('rollback');
      throw error;
    }
  }

  private async room(error: unknown): Promise<void> {
    this.why = error;
    this.isBlocked = true;
    this.tryAgain = Promise.withResolvers();
    this.foundFull();
    try {
      await this.tryAgain.promise;
    } finally {
      this.tryAgain = null;
    }
  }
}
