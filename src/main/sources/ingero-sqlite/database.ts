import type { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { fail, ProblemError } from '../../../model/problem.ts';
import { columns, type Row, type TableName } from './format.ts';

/** Longer texts are cut: a summary or a list of frames is short. */
const MAX_TEXT = 262_144;

/**
 * A foreign database, read and never trusted: opened read-only and as immutable, so that nothing is written
 * beside it; no extensions; only tables are read, because a view may compute anything; only columns that exist.
 */
export class Database {
  private readonly sqlite: DatabaseSync;
  private readonly name: string;

  private constructor(sqlite: DatabaseSync, name: string) {
    this.sqlite = sqlite;
    this.name = name;
  }

  /** @throws ProblemError sqlite.unavailable, sqlite.unreadable */
  static async open(path: string, name: string): Promise<Database> {
    const { DatabaseSync } = await import('node:sqlite').catch(() =>
      fail('sqlite.unavailable', `${name} is an SQLite database, which this version of Node cannot read`, {
        hint: 'use Node 24 or later, or the packaged application',
      }),
    );
    const url = pathToFileURL(path);
    url.searchParams.set('immutable', '1');
    return guarded(name, () => {
      const sqlite = new DatabaseSync(url, { readOnly: true, allowExtension: false });
      const database = new Database(sqlite, name);
      try {
        sqlite.exec('pragma trusted_schema = off; pragma cell_size_check = on');
      } catch (error) {
        sqlite.close();
        throw error;
      }
      return database;
    });
  }

  close(): void {
    this.sqlite.close();
  }

  /** Names of the tables that hold data; views and virtual tables are none. */
  tables(): string[] {
    return guarded(this.name, () =>
      this.sqlite
        .prepare(
          "select name from sqlite_schema where type = 'table' and sql like 'create table%' and name not like 'sqlite_%'",
        )
        .all()
        .map(({ name }) => String(name)),
    );
  }

  /** Columns of ours that a table has. */
  columnsOf(table: TableName): string[] {
    return guarded(this.name, () => {
      const present = new Set(
        this.sqlite
          .prepare(`pragma table_info("${table}")`)
          .all()
          .map(({ name }) => String(name)),
      );
      return columns[table].filter((column) => present.has(column));
    });
  }

  /**
   * Rows of a table one by one; a problem once when the rest of them cannot be read.
   * @param order what to sort by
   */
  *rows(table: TableName, order = ''): Generator<Row | ProblemError> {
    if (!this.tables().includes(table)) return;
    const present = this.columnsOf(table);
    if (present.length === 0) return;
    const list = present.map((column) => `"${column}"`).join(', ');
    try {
      const statement = this.sqlite.prepare(`select ${list} from "${table}"${order && ` order by ${order}`}`);
      statement.setReadBigInts(true);
      for (const row of statement.iterate()) yield cut(row);
    } catch (error) {
      yield problemOf(this.name, error);
    }
  }
}

/** For bytes instead of a text only their number is reported. */
function cut(row: Record<string, unknown>): Row {
  for (const [key, value] of Object.entries(row)) {
    if (typeof value === 'string' && value.length > MAX_TEXT) row[key] = value.slice(0, MAX_TEXT);
    else if (value instanceof Uint8Array) row[key] = `${value.length} bytes`;
  }
  return row;
}

function guarded<T>(name: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw problemOf(name, error);
  }
}

/** SQLite errors about a damaged file become problems; other errors are rethrown. */
function problemOf(name: string, error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  if (!(error instanceof Error) || !('code' in error)) throw error;
  return new ProblemError({
    code: 'sqlite.unreadable',
    message: `${name} is not a sound SQLite database: ${error.message}`,
    place: name,
    hint: 'copy it again after the tracer has stopped, with its -wal file merged',
  });
}
