import { fail, ProblemError } from '../../../model/problem.ts';
import { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import type { RowBatch } from '../../../model/rows/rows.ts';
import { BATCH_ROWS, type FileHead, type Source, type SourceInput } from '../../../model/storage/source.ts';
import { attributesJson } from '../traces/span-rows.ts';
import { EventAppender, framesOf } from './append-event.ts';
import { appendAggregate, appendChain, appendSchedule, appendSnapshot } from './append-others.ts';
import { Database } from './database.ts';
import { columns, marks, parsed, plainRow, type Row, type TableName, textOf } from './format.ts';
import { Machines } from './machines.ts';

const MAGIC = 'SQLite format 3\0';
/** Limit for rows of lookup tables in memory. */
const MAX_LOOKUPS = 200_000;

export const ingeroSqlite: Source = {
  id: 'ingero-sqlite',
  title: 'Ingero database (SQLite)',
  looks_for: 'an SQLite database with the tables "events", "causal_chains" and "stack_traces"',
  leaves_open: ['device'],
  detect,
  read,
};

/** The first pages contain the schema, or Ingero's own table metadata. */
function detect({ bytes }: FileHead): boolean {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!head.subarray(0, MAGIC.length).equals(Buffer.from(MAGIC))) return false;
  return head.includes('causal_chains') && marks.filter((mark) => head.includes(mark)).length >= 3;
}

async function* read(input: SourceInput): AsyncIterable<RowBatch> {
  const [file] = input.files;
  if (!file) fail('file.missing', `${input.name} holds no file`);
  const database = await Database.open(await file.onDisk(), input.name);
  try {
    const tables = database.tables();
    if (!tables.includes('events') || !tables.includes('causal_chains'))
      fail('ingero.no_tables', `${input.name} is an SQLite database, but none of Ingero's`, { place: input.name });
    yield* new Reading(database, input).batches(file.bytes);
  } finally {
    database.close();
  }
}

/** One pass over all tables. */
class Reading {
  private readonly builder = new BatchBuilder();
  private readonly database: Database;
  private readonly input: SourceInput;
  private readonly machines: Machines;
  private readonly events: EventAppender;

  constructor(database: Database, input: SourceInput) {
    this.database = database;
    this.input = input;
    this.machines = new Machines(input);
    this.events = new EventAppender(this.machines);
  }

  *batches(bytes: number): Generator<RowBatch> {
    const { builder, machines, events } = this;
    this.learn();
    // Together with what it encloses an operation begins; the longer one is around.
    const present = this.database.columnsOf('events');
    const order = present.includes('timestamp') && present.includes('duration') ? '"timestamp", "duration" desc' : '';
    yield* this.each('events', bytes, (row) => events.append(builder, row), order);
    yield* this.each('causal_chains', bytes, (row) => appendChain(builder, machines, row));
    yield* this.each('system_snapshots', bytes, (row) => appendSnapshot(builder, machines, row));
    yield* this.each('event_aggregates', bytes, (row) => appendAggregate(builder, machines, events, row));
    yield* this.each('cgroup_schedstat', bytes, (row) => appendSchedule(builder, machines, row));
    const foreign = this.database.tables().filter((table) => !Object.hasOwn(columns, table));
    if (foreign.length > 0) builder.remark(`left out: the tables ${foreign.slice(0, 20).join(', ')}`);
    yield this.finish(bytes);
  }

  /** Tables that name what others mention. */
  private learn(): void {
    const { machines, events } = this;
    this.lookUp('sources', (row) => events.sources.set(textOf(row['id']), textOf(row['name'])));
    this.lookUp('ops', ({ source_id, op_id, name }) =>
      events.operations.set(`${textOf(source_id)}/${textOf(op_id)}`, textOf(name)),
    );
    this.lookUp('stack_traces', (row) => events.stacks.set(textOf(row['hash']), framesOf(row, parsed)));
    this.lookUp('process_names', ({ pid, name }) => machines.processNames.set(textOf(pid), textOf(name)));
    this.lookUp('cgroup_metadata', (row) => machines.addCgroup(row));
    this.lookUp('sessions', (row) => machines.addSession(row));
  }

  private lookUp(table: TableName, take: (row: Row) => unknown): void {
    let count = 0;
    for (const row of this.database.rows(table)) {
      if (row instanceof ProblemError) this.builder.reject(this.input.name, count, `${table}: ${row.problem.message}`);
      else take(row);
      if (++count >= MAX_LOOKUPS) {
        this.builder.remark(`only the first ${MAX_LOOKUPS} rows of ${table} are used`);
        return;
      }
    }
  }

  private *each(table: TableName, bytes: number, append: (row: Row) => void, order = ''): Generator<RowBatch> {
    let count = 0;
    for (const row of this.database.rows(table, order)) {
      try {
        if (row instanceof ProblemError) throw row;
        append(row);
      } catch (error) {
        const excerpt = row instanceof ProblemError ? '' : attributesJson(plainRow(row));
        this.builder.reject(this.input.name, count, `${table} row ${count + 1}: ${reasonOf(error)}`, excerpt);
      }
      count++;
      if (this.builder.rowCount >= BATCH_ROWS) yield this.finish(bytes);
    }
  }

  private finish(bytes: number): RowBatch {
    this.machines.nextBatch();
    return this.builder.finish(bytes);
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof ProblemError) return error.problem.message;
  // JSON inside a text may nest deeper than writing it again can follow.
  if (error instanceof RangeError) return 'nested too deeply';
  throw error;
}
