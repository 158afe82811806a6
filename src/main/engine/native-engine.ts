import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BIGINT, type DuckDBConnection, DuckDBInstance, type DuckDBType, version } from '@duckdb/node-api';
import { assert } from '../../base/assert.ts';
import { lockedStream } from '../../base/locked-stream.ts';
import { fail, ProblemError } from '../../model/problem.ts';
import type { Engine, Session, SqlResult, SqlValue } from '../../model/storage/engine.ts';
import { scratchName, sweepOnce } from '../disk/scratch-folder.ts';
import { appendColumns } from './append-columns.ts';
import { Checkpoints } from './checkpoints.ts';
import { claimDatabase } from './claim-database.ts';
import { damagedCase, damageIn } from './damage.ts';
import { bytesOnDisk, DatabaseThreads, threadsAtFirst } from './database-threads.ts';
import { type FileLoan, insertFile } from './insert-file.ts';
import { insertRows, registerRowFunction } from './insert-rows.ts';
import { Interruptible } from './interruptible.ts';
import { describeParquet, insertParquet } from './parquet-tables.ts';
import { readValues } from './read-values.ts';
import { streamColumns } from './stream-columns.ts';
import { readSome, runUntrusted } from './untrusted-sql.ts';
import { writeParquet } from './write-parquet.ts';

/**
 * Memory that DuckDB may take: leaves room under the 1.5 GB budget for decoders and the window. 22.5 M spans in 10 GB:
 * with 900 MB a peak of 1.78 GB, with 640 one of 1.32 GB and no slower.
 */
const MEMORY_LIMIT = '640MB';

export const engineVersion: string = version();

/** A file of fewer is a row group or two. */
const LARGE_PARQUET_BYTES = 2 ** 20;

/**
 * Opens a native DuckDB. External access is off for the whole instance, so no SQL, ours or a user's, can
 * reach a file or the network through it, except in two folders with random names: one for the exchange of a bundle's
 * tables, the other for a file while it is inserted. Both are removed afterwards.
 * A file is opened once: a second instance of this process would corrupt it, and end the lock that keeps other processes away.
 * @param path a file, or ':memory:'
 * @throws ProblemError `case.locked` when this or another process has the file open, `case.damaged` when it is no database
 */
export async function openNativeEngine(path: string, options: { readonly readOnly?: boolean } = {}): Promise<Engine> {
  const release = await claimDatabase(path);
  try {
    return await openClaimed(path, options.readOnly ?? false, release);
  } catch (error) {
    release();
    throw error;
  }
}

async function openClaimed(path: string, readOnly: boolean, release: () => void): Promise<Engine> {
  await sweepOnce();
  const bytes = await bytesOnDisk(path);
  const instance = await create(path, readOnly, threadsAtFirst(bytes));
  const exchange = join(tmpdir(), scratchName('exchange'));
  const lent = join(tmpdir(), scratchName('import'));
  try {
    await confine(instance, [exchange, lent]);
  } catch (error) {
    instance.closeSync();
    throw error;
  }
  const threads = new DatabaseThreads(instance, bytes);
  const loan: FileLoan = {
    folder: lent,
    set: async (setting) => {
      const own = await instance.connect();
      await own.run(`set ${setting}`);
      own.closeSync();
    },
  };
  const checkpoints = new Checkpoints(instance, path);
  const closing = new Set<Promise<unknown>>();
  const sessions = new OpenSessions();
  return {
    exchange,
    session: () => sessions.open(async () => nativeSession(await instance.connect(), closing, { loan, threads })),
    checkpoint: async () => {
      await translated(() => checkpoints.now());
      threads.reached(await bytesOnDisk(path));
    },
    setManualCheckpoints: (isOn) => checkpoints.setManual(isOn),
    checkpointLongLog: () => translated(() => checkpoints.whenLong()),
    close: async () => {
      try {
        await sessions.ended();
        await Promise.all(closing);
        instance.closeSync();
      } finally {
        release();
      }
      for (const folder of [exchange, lent]) await rm(folder, { recursive: true, force: true });
    },
  };
}

/** What every connection of a case may do from now on. */
async function confine(instance: DuckDBInstance, mayUse: readonly string[]): Promise<void> {
  const connection = await instance.connect();
  registerRowFunction(connection);
  const folders = mayUse.map((folder) => `'${folder.replaceAll("'", "''")}'`);
  await connection.run(`set allowed_directories = [${folders.join(', ')}]`);
  await connection.run('set enable_external_access = false');
  // Local times without a zone in files are UTC, independent of the zone of this machine.
  await connection.run("set global timezone = 'UTC'");
  // For files whose rows come in parts that stay in their order; threads and progress for those that are inserted; captures checkpoint by hand.
  await connection.run(
    "set allowed_configs = ['preserve_insertion_order', 'threads', 'enable_progress_bar', 'enable_progress_bar_print', 'checkpoint_threshold']",
  );
  await connection.run('set lock_configuration = true');
  connection.closeSync();
}

/** Longer than any question takes to hear that nobody waits for it. */
const PATIENCE_MS = 10_000;

/** The library crashes where a database is closed under a statement, so those that are open are waited for. */
class OpenSessions {
  private readonly opened = new Set<Promise<void>>();
  private isClosing = false;

  /** @throws ProblemError case.closed */
  async open(connect: () => Promise<Session>): Promise<Session> {
    if (this.isClosing) fail('case.closed', 'the case has been closed');
    const closed = Promise.withResolvers<void>();
    this.opened.add(closed.promise);
    const end = () => {
      this.opened.delete(closed.promise);
      closed.resolve();
    };
    try {
      const session = await connect();
      const close = () => {
        session.close();
        end();
      };
      return { ...session, close };
    } catch (error) {
      end();
      throw error;
    }
  }

  /** No other is opened from now on. */
  async ended(): Promise<void> {
    this.isClosing = true;
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, PATIENCE_MS);
    });
    await Promise.race([Promise.all(this.opened), patience]);
    clearTimeout(timer);
  }
}

async function create(path: string, readOnly: boolean, threads: number): Promise<DuckDBInstance> {
  try {
    return await DuckDBInstance.create(path, {
      access_mode: readOnly ? 'READ_ONLY' : 'AUTOMATIC',
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
      memory_limit: MEMORY_LIMIT,
      threads: String(threads),
      // Otherwise an INSERT runs on one thread only. Queries state their order.
      preserve_insertion_order: 'false',
      // Row groups that an INSERT's threads hold before they write them: five each are half a gigabyte of spans.
      write_buffer_row_group_count: '1',
      // The first that knows zstd for texts. A file of before stays what it is.
      storage_compatibility_version: 'v1.2.0',
    });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    // POSIX, then Windows. Messages on damage contain words like "block", so the whole phrase must match.
    if (/could not set lock|conflicting lock|used by another process/i.test(message)) {
      return fail('case.locked', 'this case is open in another Faultline', {
        hint: 'close it there, or use the window that has it open',
      });
    }
    return damagedCase(message);
  }
}

/** The failures of a statement of ours that a user can do something about. */
function asProblem(error: unknown): unknown {
  const message = error instanceof Error ? error.message : String(error);
  if (/read-?only/i.test(message)) {
    return new ProblemError({
      code: 'case.read_only',
      message: 'this case cannot be written to',
      hint: 'copy it to a place where you may write',
    });
  }
  if (/^fatal error.*no space left|has been invalidated.*no space left/is.test(message)) {
    return new ProblemError({
      code: 'disk.filled',
      message: 'there was no space left while this case was put in order',
      hint: 'make room, then open it again',
    });
  }
  if (/no space left|out of disk/i.test(message)) {
    return new ProblemError({ code: 'disk.full', message: 'there is no space left for this case' });
  }
  if (/^out of memory error/i.test(message)) {
    return new ProblemError({
      code: 'memory.full',
      message: 'this takes more memory than Faultline gives its database',
      hint: 'query less: a shorter time window or fewer entities',
    });
  }
  return error;
}

async function translated<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw asProblem(error);
  }
}

/** Of statements over the case's own rows. */
async function translatedOfCase<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await translated(work);
  } catch (error) {
    throw damageIn(error) ?? error;
  }
}

/**
 * The engine takes any bigint for a HUGEINT, and then compares times slowly and without its zone maps. Half of the range of
 * BIGINT, so that a clock correction can be taken from a time without overflow.
 */
const typeOf = (value: SqlValue) =>
  typeof value === 'bigint' && BigInt.asIntN(63, value) === value ? BIGINT : undefined;

/** What the sessions of a case share. */
interface CaseShares {
  /** Where files may be inserted. */
  readonly loan: FileLoan;
  readonly threads: DatabaseThreads;
}

/** @param closing gets what must settle before the database can be closed */
export function nativeSession(
  connection: DuckDBConnection,
  closing = new Set<Promise<unknown>>(),
  shares?: CaseShares,
): Session {
  const interruptible = new Interruptible(connection);
  const { threads } = shares ?? {};
  const during: Interruptible['run'] = (work, signal, after) =>
    interruptible.run(threads ? () => threads.run(work) : work, signal, after);
  const widely = <T>(work: () => Promise<T>): Promise<T> => (threads ? threads.all(work) : work());
  const inserting = async (work: () => Promise<number>): Promise<number> => {
    const rows = await widely(work);
    threads?.added(rows);
    return rows;
  };
  // Errors of an importer's own database on a foreign file become problems in the importer.
  const ofCase = shares ? translatedOfCase : translated;
  const run = (sql: string, values: readonly SqlValue[]): Promise<SqlResult> =>
    translated(async () => {
      // Without values it need not be prepared: a third less of processor time for a short question.
      const result = await (values.length === 0
        ? connection.run(sql)
        : connection.run(sql, [...values], values.map(typeOf) as DuckDBType[]));
      const [names, types] = [result.deduplicatedColumnNames(), result.columnTypes().map(String)];
      return { names, types, ...(await readValues(result)) };
    });
  return {
    query: (sql, values = [], signal) => during(() => ofCase(() => run(sql, values)), signal),
    execute: (script) => during(() => ofCase(() => runScript(connection, script))),
    append: (table, columns, count) =>
      during(async () => {
        await translated(() => appendColumns(connection, table, columns, count));
        threads?.added(count);
      }),
    insert: async (table, feed, signal) => {
      await during(() => translated(() => inserting(() => insertRows(connection, table, feed))), signal);
    },
    insertFile: (table, file, work) => {
      assert(shares !== undefined, 'this database is lent no files');
      const request = { connection, run: (sql: string) => run(sql, []), loan: shares.loan };
      const insert = () => insertFile(request, { table, ...file }, work);
      return during(() => translated(() => inserting(insert)), work.signal);
    },
    stream: (sql, shape) =>
      lockedStream(
        (work) => during(work),
        () => streamColumns(connection, sql, shape),
      ),
    queryUntrusted: (sql, limit, signal) =>
      runUntrusted({ connection, during, widely, sql, signal }, () => readSome(connection, sql, limit, signal)),
    queryParquet: (sql, signal) =>
      runUntrusted({ connection, during, widely, sql, signal }, async () =>
        writeParquet(await connection.stream(sql), signal),
      ),
    describeParquet: (path) => during(() => describeParquet((sql) => run(sql, []), path)),
    insertParquet: async (table, file, { mostTextBytes, signal }) => {
      const insert = () => insertParquet((sql) => run(sql, []), table, file, mostTextBytes);
      const isLarge = (await bytesOnDisk(file.path)) > LARGE_PARQUET_BYTES;
      await during(async () => (isLarge ? inserting(insert) : threads?.added(await insert())), signal);
    },
    close: () => {
      const { free } = interruptible;
      if (!free) return connection.closeSync();
      const closed = free.then(() => connection.closeSync());
      closing.add(closed);
      void closed.then(() => closing.delete(closed));
    },
  };
}

/** A transaction that failed while it was committed has ended already: to take it back once more is no failure. */
async function runScript(connection: DuckDBConnection, script: string): Promise<void> {
  try {
    await connection.run(script);
  } catch (error) {
    const isOver = script === 'rollback' && /no transaction is active/i.test(String(error));
    if (!isOver) throw error;
  }
}
