import { assert } from '../../../base/assert.ts';
import { type TableName, tableNames } from '../../../model/rows/rows.ts';
import { type AppendColumn, type AppendRows, bytesOf, type Session } from '../../../model/storage/engine.ts';

/**
 * Rows that wait for the database; readers that are faster than the database must wait. The curve: `bench --only curves`. With
 * 32 MB of them the thread that inserts held more than V8 lets it without collecting garbage: 6 or 7 times while 1.5 M spans
 * were imported, with 16 MB twice; 300 k spans of three events each take a twentieth less processor time.
 */
const MOST_WAITING_BYTES = 16 * 1024 * 1024;
/** An INSERT gives way to another table's rows when so many of them wait. */
const MOST_OTHERS_BYTES = MOST_WAITING_BYTES / 2;

/**
 * As many rows of a transaction are copied here: to plan an INSERT and to give the database a second thread for it takes longer.
 * An import of three small files takes a tenth less processor time.
 */
const FEW_ROWS = 2048;

interface Queue {
  readonly rows: AppendRows[];
  bytes: number;
}

/**
 * The INSERTs of one transaction. One runs at a time, always for the table whose rows need it most, and goes on while
 * rows keep coming: long INSERTs are what the database does in parallel. Until {@link end} or {@link stop} has
 * settled, nothing else may be asked of the session.
 */
export class RowInserts {
  private readonly session: Session;
  private readonly queues = new Map<TableName, Queue>();
  private readonly cancel = new AbortController();
  private readonly running: Promise<void>;
  private waitingBytes = 0;
  /** Rows that were copied here. */
  private copied = 0;
  private ended = false;
  private other: (() => Promise<void>) | undefined;
  private wake = Promise.withResolvers<void>();
  private room = Promise.withResolvers<void>();

  constructor(session: Session) {
    this.session = session;
    this.running = this.run();
    // A failure is thrown by the next `put` or `end`.
    this.running.catch(() => undefined);
  }

  /** Settles when there is room for more; rejects when rows could not be inserted. */
  async put(table: TableName, rows: AppendRows): Promise<void> {
    assert(!this.ended && rows.count > 0, 'rows after the end, or none');
    const queue = this.queues.get(table) ?? { rows: [], bytes: 0 };
    this.queues.set(table, queue);
    const bytes = bytesOf(rows);
    queue.rows.push(rows);
    queue.bytes += bytes;
    this.waitingBytes += bytes;
    this.wake.resolve();
    while (this.waitingBytes > MOST_WAITING_BYTES) await Promise.race([this.running, this.room.promise]);
  }

  /** Runs other work on the session, between two INSERTs, as soon as the rows that wait are in. */
  async alone<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    assert(!this.ended && !this.other, 'other work after the end, or twice at once');
    const done = Promise.withResolvers<T>();
    this.other = async () => {
      this.other = undefined;
      done.resolve(await work(this.cancel.signal));
    };
    this.wake.resolve();
    await Promise.race([this.running, done.promise]);
    return done.promise;
  }

  /** Settles when every row is in. */
  end(): Promise<void> {
    this.ended = true;
    this.wake.resolve();
    return this.running;
  }

  /** Settles when nothing runs any more. */
  async stop(): Promise<void> {
    this.cancel.abort(new Error('cancelled'));
    this.wake.resolve();
    await this.running.catch(() => undefined);
  }

  private async run(): Promise<void> {
    for (;;) {
      this.cancel.signal.throwIfAborted();
      const table = this.fullest();
      if (table !== undefined) await this.insert(table);
      else if (this.other) await this.other();
      else if (this.ended) return;
      else {
        await this.wake.promise;
        this.wake = Promise.withResolvers();
      }
    }
  }

  private insert(table: TableName): Promise<void> {
    const queue = this.queues.get(table)!;
    const waiting = queue.rows.reduce((sum, { count }) => sum + count, 0);
    if (this.copied + waiting <= FEW_ROWS) return this.copy(table, queue);
    const types = queue.rows[0]!.columns.map(({ type }): AppendColumn['type'] => type);
    const next = (): AppendRows | 'later' | 'end' => {
      // An interrupt that comes before the statement has begun is lost on it.
      if (this.cancel.signal.aborted) return 'end';
      const rows = this.take(queue);
      return rows ?? (this.ended || this.other || this.waitingBytes > MOST_OTHERS_BYTES ? 'end' : 'later');
    };
    return this.session.insert(table, { types, next }, this.cancel.signal);
  }

  private async copy(table: TableName, queue: Queue): Promise<void> {
    for (let rows = this.take(queue); rows; rows = this.take(queue)) {
      await this.session.append(table, rows.columns, rows.count);
      this.copied += rows.count;
      rows.done?.();
    }
  }

  private take(queue: Queue): AppendRows | undefined {
    const rows = queue.rows.shift();
    if (!rows) return undefined;
    const bytes = bytesOf(rows);
    queue.bytes -= bytes;
    this.waitingBytes -= bytes;
    this.room.resolve();
    this.room = Promise.withResolvers();
    return rows;
  }

  private fullest(): TableName | undefined {
    let found: TableName | undefined;
    for (const name of tableNames)
      if ((this.queues.get(name)?.rows.length ?? 0) > 0 && this.bytesOf(name) >= this.bytesOf(found)) found = name;
    return found;
  }

  private bytesOf(name: TableName | undefined): number {
    return name === undefined ? 0 : (this.queues.get(name)?.bytes ?? 0);
  }
}
