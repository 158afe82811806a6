import { TaskQueue } from '../../base/task-queue.ts';
import { fail } from '../../model/problem.ts';
import type { KnownQueries, Opening, StoredCase } from '../../model/storage/case-storage.ts';
import type { ReadPlaces } from '../../model/storage/source.ts';
import type { ReadDetails } from '../../model/telemetry/event-details.ts';
import { LiveCapture } from './captures/live-capture.ts';
import { OpenCase } from './cases/open-case.ts';
import { type MechanismsInUse, mechanismsInUse, type ThresholdsInUse, thresholdsInUse } from './cases/own-file.ts';
import { Changes } from './changes.ts';
import type { ApiDependencies } from './dependencies.ts';
import { ImportPrompts } from './imports/import-prompts.ts';
import { Inspections } from './imports/inspections.ts';

/** The state behind the windows of one host, or one command: at most one open case, and pending imports. */
export class Workspace {
  private opened: OpenCase | undefined;
  private importing: { readonly signal: AbortSignal; readonly ended: Promise<void>; readonly what: Writer } | undefined;
  /** The capture of windows; null in commands. */
  readonly live = new LiveCapture();
  private readonly writerQueue = new TaskQueue();
  readonly inspections = new Inspections();
  readonly importPrompts = new ImportPrompts();
  readonly changes = new Changes();
  readonly mechanisms: MechanismsInUse;
  readonly thresholds: ThresholdsInUse;
  readonly dependencies: ApiDependencies;
  readonly queries: KnownQueries;
  readonly readDetails: ReadDetails;
  readonly readPlaces: ReadPlaces;
  constructor(dependencies: ApiDependencies) {
    this.dependencies = dependencies;
    this.queries = dependencies.storage.queries ?? queriesOfThisHost();
    this.readDetails = dependencies.reader.details;
    this.readPlaces = dependencies.reader.places;
    this.mechanisms = mechanismsInUse(async () => (await dependencies.mechanismsFile?.()) ?? null);
    this.thresholds = thresholdsInUse(async () => (await dependencies.thresholdsFile?.()) ?? null);
  }

  current(): OpenCase | undefined {
    return this.opened;
  }

  required(): OpenCase {
    return (
      this.opened ?? fail('case.none_open', 'no case is open', { hint: 'open a case, or drop files on the window' })
    );
  }

  /**
   * One import at a time, from any window: a case has one writer. An abandoned one is awaited.
   * Returns a function to call at its end. @throws ProblemError import.running, capture.running
   */
  async beginImport(signal: AbortSignal, what: Writer = 'import'): Promise<() => void> {
    return this.withoutImport(async () => {
      const { promise: ended, resolve } = Promise.withResolvers<void>();
      this.importing = { signal, ended, what };
      return () => {
        this.importing = undefined;
        resolve();
      };
    }, signal);
  }

  /** Work in the queue of openings while nothing is imported: a case that is being imported into is not taken away. */
  private async withoutImport<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    for (;;) {
      await this.noImport();
      // Another one may have started in the meantime.
      const done = await this.writerQueue.take(
        async () => (this.importing ? undefined : { value: await work() }),
        signal,
      );
      if (done) return done.value;
    }
  }

  /** @throws ProblemError import.running, capture.running */
  async noImport(): Promise<void> {
    while (this.importing?.signal.aborted) await this.importing.ended;
    if (this.importing) refuse(this.importing.what);
  }

  /** As {@link replace}, when nothing is imported. @throws ProblemError import.running, capture.running */
  async open(openStored: () => Promise<StoredCase>, opening?: Opening): Promise<OpenCase> {
    return this.withoutImport(() => this.replaceBy(openStored, opening), opening?.signal ?? NEVER);
  }

  /**
   * Puts a case in place of the open one, which stays where the next one cannot be opened, or no longer is to be. Openings are
   * one queue; a case that is open is not opened again.
   */
  async replace(ask: () => Promise<StoredCase>, signal: AbortSignal = NEVER): Promise<OpenCase> {
    return this.writerQueue.take(() => this.replaceBy(ask), signal);
  }

  private async replaceBy(ask: () => Promise<StoredCase>, opening?: Opening): Promise<OpenCase> {
    const stored = await ask();
    if (this.opened && this.opened.stored.engine === stored.engine) return this.opened;
    const next = await OpenCase.from(stored, this, opening);
    if (opening?.signal.aborted) {
      await next.discard();
      opening.signal.throwIfAborted();
    }
    await this.opened?.close();
    this.opened = next;
    return next;
  }

  /** A case in memory that nobody else sees; the caller closes it. @throws ProblemError fleet.no_scratch */
  async scratch(): Promise<OpenCase> {
    const { scratch } = this.dependencies;
    if (!scratch) fail('fleet.no_scratch', 'this host has no database for rows that no case keeps');
    return OpenCase.from({ engine: await scratch(), name: 'scratch', path: '', isNew: true }, this);
  }

  /** Closes a case and takes it away, as if it had never been made, unless another is open by now. */
  async discard(gone: OpenCase): Promise<void> {
    await this.writerQueue.take(async () => {
      if (this.opened !== gone) return;
      this.opened = undefined;
      await gone.discard();
    }, NEVER);
  }

  /** @throws ProblemError import.running, capture.running */
  async close(): Promise<void> {
    await this.withoutImport(() => this.closeNow(), NEVER);
  }

  private async closeNow(): Promise<void> {
    const closing = this.opened;
    this.opened = undefined;
    await closing?.close();
  }

  async closeAll(): Promise<void> {
    await this.live.stop();
    await this.inspections.close();
    await this.writerQueue.take(() => this.closeNow(), NEVER);
  }
}

function queriesOfThisHost(): KnownQueries {
  const known = new Set<string>();
  return { has: async (sql) => known.has(sql), add: async (sql) => void known.add(sql) };
}

/** Of work that is not given up. */
const NEVER = new AbortController().signal;

/** What may write into a case: one at a time. */
type Writer = 'import' | 'capture';

function refuse(what: Writer): never {
  if (what === 'capture')
    return fail('capture.running', 'a capture is running', {
      hint: 'stop it first; recorded rows stay in its case',
    });
  return fail('import.running', 'an import is running', { hint: 'wait until it ends, or cancel it in its window' });
}
