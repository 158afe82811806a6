import type { ImportEvent } from '../../../model/contract/index.ts';
import { fail, type Problem, ProblemError } from '../../../model/problem.ts';
import { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import { type RowBatch, rowCount } from '../../../model/rows/rows.ts';
import type { TimeWindow } from '../../../model/storage/archive.ts';
import type { Session } from '../../../model/storage/engine.ts';
import type { Assumptions, FoundFile, OpenedSource, SourceReader } from '../../../model/storage/source.ts';
import { formatUtc, nanos } from '../../../model/time.ts';
import { one } from '../../store/case-file/case-file.ts';
import { type NewSource, SourceWriter } from '../../store/writer/append.ts';
import { outdateDerivedEvents } from '../../store/writer/derived-events.ts';
import type { Identities } from '../../store/writer/identities.ts';
import type { OpenCase } from '../cases/open-case.ts';
import type { MostlyRejected, ReadSource } from './import-prompts.ts';

export interface ImportSource {
  readonly name: string;
  readonly bytes: number;
  /** null: not to be read, because of `problem`. */
  readonly format: string | null;
  readonly files: readonly FoundFile[];
  readonly assume: Assumptions;
  readonly clock_offset_ns: bigint;
  readonly clock_uncertainty_ns: bigint;
  /** The user named it explicitly: an unreadable file is then an error. */
  readonly named: boolean;
  readonly problem: Problem | undefined;
  /** The slice of an archive that it is. */
  readonly pulled?: PulledSlice;
}

/** Which slice of an archive a source is, as in the table `pulled`. */
export interface PulledSlice extends TimeWindow {
  readonly archive: string;
  readonly query: string;
}

export interface ImportRun {
  /** The case to import into; requested only if there is something to import. */
  openCase(): Promise<OpenCase>;
  readonly reader: SourceReader;
  readonly sources: readonly ImportSource[];
  readonly signal: AbortSignal;
  /** Decision on data sources with mostly unreadable records. */
  readonly rejected: MostlyRejected;
  /** Files that are already in the case are imported again. */
  readonly force: boolean;
  now(): bigint;
}

/** What importing one data source needs of its import. */
export type SourceRun = Omit<ImportRun, 'sources'>;

type NextSource = ImportSource & Pick<ReadSource, 'remaining'>;

/** State shared by the data sources of one import. */
export interface Progressing {
  readonly progress: Progress;
  identities: Identities | undefined;
  /** Called when the rows of a data source are committed. */
  onCommitted(): void;
}

/** Interval of progress reports. */
const PROGRESS_MS = 200;

/**
 * Imports data sources one after another, each in one transaction. If one fails or is cancelled, the case is as before it;
 * earlier ones stay.
 */
export async function* importSources(run: ImportRun): AsyncGenerator<ImportEvent, void, void> {
  const progress = new Progress(run.sources.reduce((sum, source) => sum + source.bytes, 0));
  const counts = { imported: 0, failed: 0, skipped: 0 };
  const state: Progressing = { progress, identities: undefined, onCommitted: () => counts.imported++ };
  try {
    for (const [i, source] of run.sources.entries()) {
      run.signal.throwIfAborted();
      const remaining = run.sources.length - i - 1;
      const problem = yield* importSource(run, { ...source, remaining }, state);
      if (problem !== undefined && (source.named || source.format !== null)) {
        counts.failed++;
        yield { kind: 'problem', file: source.name, problem };
      } else if (problem !== undefined) {
        counts.skipped++;
        yield { kind: 'skipped', file: source.name, problem };
      }
      progress.fileDone(source.bytes);
    }
  } finally {
    // Also if the rest was cancelled: committed rows invalidate results.
    if (counts.imported > 0) await settleImport(await run.openCase());
  }
  yield { kind: 'done', ...counts };
}

/** After the last data source: what is derived from rows, and a database checkpoint. */
export async function settleImport(opened: OpenCase): Promise<void> {
  await opened.derive();
  await opened.stored.engine.checkpoint();
}

/** Imports one data source in one transaction. @returns why it was not imported */
export async function* importSource(
  run: SourceRun,
  source: NextSource,
  state: Progressing,
): AsyncGenerator<ImportEvent, Problem | undefined, void> {
  const { name, format, files, assume, problem } = source;
  if (format === null) return problem ?? { code: 'file.unknown_format', message: `the format of ${name} is unknown` };
  try {
    const reading = await run.reader.open({ name, format, files, assume }, run.signal);
    try {
      yield* appendSource(run, source, reading, state);
    } finally {
      await reading.close();
    }
    return undefined;
  } catch (error) {
    run.signal.throwIfAborted();
    if (error instanceof ProblemError) return error.problem;
    throw error;
  }
}

async function* appendSource(
  run: SourceRun,
  file: NextSource,
  reading: OpenedSource,
  state: Progressing,
): AsyncGenerator<ImportEvent, void, void> {
  const { progress } = state;
  // A wrong format usually fails with the first rows: until then no case is created.
  const batches = reading.batches[Symbol.asyncIterator]();
  let next = await batches.next();
  const opened = await run.openCase();
  const session = await opened.stored.engine.session();
  let writer: SourceWriter | undefined;
  try {
    writer = await SourceWriter.begin(session, newSource(file, run.now()), state.identities);
    state.identities = undefined;
    for (; !next.done; next = await batches.next()) {
      const { batch, bytes_done, release } = next.value;
      run.signal.throwIfAborted();
      const appended = writer.append(batch, release, (share) => progress.share(batch, share));
      if (batch.file) yield* progress.until(appended, file.name, run.signal);
      await appended;
      if (progress.due(bytes_done, rowCount(batch))) yield progress.event(file.name);
    }
    run.signal.throwIfAborted();
    const end = await reading.end;
    await writer.appendPlaces(run.reader.places);
    await writer.end();
    const twin = await twinOf(session, file, end.digest, writer.rows);
    if (twin !== undefined && file.pulled) {
      // Another query found the same records: they are stored once, and this slice is known.
      await writer.rollback();
      writer = await SourceWriter.begin(session, newSource(file, run.now()));
    } else if (twin !== undefined && !run.force) refuse(file.name, twin);
    if (twin !== undefined) await writer.append(remarkOnly(`has the same bytes as ${twin}, which was imported before`));
    const promptedAt_ms = Date.now();
    const { name, remaining } = file;
    const { sourceId, rows, rejects } = writer;
    yield* run.rejected.judge(session, { name, remaining, sourceId, rows, rejects });
    progress.waited(Date.now() - promptedAt_ms);
    if (file.pulled) await notePulled(session, writer, file.pulled);
    await outdateDerivedEvents(session);
    await writer.commit(end, run.signal);
    state.identities = writer.identities;
    writer = undefined;
    state.onCommitted();
    yield progress.event(file.name);
    const sources = await opened.sources();
    yield { kind: 'source', source: sources.find((source) => source.source_id === sourceId)! };
  } finally {
    // Also reached if the consumer abandons the generator, which cancels.
    await writer?.rollback();
    session.close();
  }
}

const newSource = (file: NextSource, imported_at_ns: bigint): NewSource => ({
  name: file.name,
  format: file.format!,
  imported_at_ns,
  clock_offset_ns: file.clock_offset_ns,
  clock_uncertainty_ns: file.clock_uncertainty_ns,
});

/** In the transaction of its rows: a slice that is noted is whole. */
async function notePulled(session: Session, writer: SourceWriter, slice: PulledSlice): Promise<void> {
  const { archive, query, from_ns, until_ns } = slice;
  const values = [writer.sourceId, archive, query, from_ns, until_ns];
  await session.query('insert into pulled values ($1, $2, $3, $4, $5)', values);
  const window = `${formatUtc(nanos(from_ns))} until ${formatUtc(nanos(until_ns))}`;
  await writer.append(remarkOnly(`pulled from ${archive}, ${window}: ${query}`));
}

/** The name under which the case has the same bytes already. Answers without rows are equal for every window. */
async function twinOf(
  session: Session,
  { pulled }: ImportSource,
  digest: string,
  rows: number,
): Promise<string | undefined> {
  if (pulled && rows === 0) return undefined;
  // A cut keeps sources whose rows it left out, and no window that was pulled.
  const among = pulled ? 'and source_id in (select source_id from pulled)' : '';
  const sql = `select name from source where digest = $1 ${among} order by source_id limit 1`;
  return (await one<{ name: string }>(session, sql, [digest]))?.name;
}

/** Importing the same bytes twice would count every row twice. */
function refuse(name: string, twin: string): never {
  const as = twin === name ? '' : ` as ${twin}`;
  fail('import.duplicate', `${name} is already in this case${as}`, {
    hint: 'nothing was added; use force to import it again',
    place: name,
  });
}

function remarkOnly(text: string): RowBatch {
  const builder = new BatchBuilder();
  builder.remark(text);
  return builder.finish(0);
}

export class Progress {
  private readonly total: number;
  private started = Date.now();
  private reportedBytes = 0;
  private before = 0;
  private current = 0;
  private rows = 0;
  /** Rows of a file that are not among those yet. */
  private within = 0;
  private moved = Promise.withResolvers<void>();

  constructor(total: number) {
    this.total = total;
  }

  due(bytes: number, rows: number): boolean {
    this.current = bytes;
    this.rows += rows;
    return Date.now() - this.reportedBytes >= PROGRESS_MS;
  }

  /** Of a file that the database reads by itself. */
  share({ consumed_bytes, file }: RowBatch, share: number): void {
    if (!file) return;
    this.current = consumed_bytes + share * file.bytes;
    this.within = Math.round(share * file.rows);
    this.moved.resolve();
  }

  /** Reports progress of work until it has settled. @throws the signal's reason */
  async *until(work: Promise<unknown>, file: string, signal: AbortSignal): AsyncGenerator<ImportEvent, void, void> {
    let over = false;
    const end = () => {
      over = true;
      this.moved.resolve();
    };
    work.then(end, end);
    signal.addEventListener('abort', end, { once: true });
    for (; !over; this.moved = Promise.withResolvers()) {
      await this.moved.promise;
      if (!over) yield this.event(file);
    }
    signal.removeEventListener('abort', end);
    this.within = 0;
    signal.throwIfAborted();
  }

  /** Idle time does not count for the speed. */
  waited(milliseconds: number): void {
    this.started += milliseconds;
  }

  fileDone(bytes: number): void {
    this.before += bytes;
    this.current = 0;
  }

  event(file: string): ImportEvent {
    this.reportedBytes = Date.now();
    const elapsed = Math.max((this.reportedBytes - this.started) / 1000, 0.001);
    const done = Math.min(this.before + this.current, this.total);
    return {
      kind: 'progress',
      file,
      bytes_done: done,
      bytes_total: this.total,
      rows: this.rows + this.within,
      rows_per_s: Math.round((this.rows + this.within) / elapsed),
      remaining_s: done > 0 && elapsed > 0.5 ? Math.max(0, (elapsed / done) * (this.total - done)) : null,
    };
  }
}
