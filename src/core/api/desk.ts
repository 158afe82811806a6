import type { KnownQueries, Opening } from '../../model/case-storage.ts';
import { fail } from '../../model/problem.ts';
import { Changes } from './changes.ts';
import type { ApiDependencies } from './dependencies.ts';
import { Inspections } from './inspections.ts';
import { LiveCapture } from './live-capture.ts';
import { MechanismsInUse } from './mechanisms-in-use.ts';
import { Questions } from './mostly-rejected.ts';
import { OpenCase } from './open-case.ts';

/** The state behind the windows of one host, or one command: at most one open case, and what waits to be imported. */
export class Desk {
  private opened: OpenCase | undefined;
  private importing: { readonly signal: AbortSignal; readonly ended: Promise<void>; readonly what: Writer } | undefined;
  /** What a window began; null where only a command records. */
  readonly live = new LiveCapture();
  readonly inspections = new Inspections();
  readonly questions = new Questions();
  readonly changes = new Changes();
  readonly mechanisms: MechanismsInUse;
  readonly dependencies: ApiDependencies;
  readonly queries: KnownQueries;
  constructor(dependencies: ApiDependencies) {
    this.dependencies = dependencies;
    this.queries = dependencies.storage.queries ?? queriesOfThisHost();
    this.mechanisms = new MechanismsInUse(async () => (await dependencies.mechanismsFile?.()) ?? null);
  }

  current(): OpenCase | undefined {
    return this.opened;
  }

  required(): OpenCase {
    return this.opened ?? fail('case.none_open', 'no case is open', { hint: 'open one, or drop files on the window' });
  }

  /**
   * One import at a time, whichever window asks: a case has one writer. One that was abandoned is waited for.
   * Answers with what must be called when it has ended. @throws ProblemError import.running, capture.running
   */
  async beginImport(signal: AbortSignal, what: Writer = 'import'): Promise<() => void> {
    await this.noImport();
    // Somebody else may have been waiting for the same moment.
    if (this.importing) refuse(this.importing.what);
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    this.importing = { signal, ended, what };
    return () => {
      this.importing = undefined;
      resolve();
    };
  }

  /** A case that is being imported into is not taken away. @throws ProblemError import.running, capture.running */
  async noImport(): Promise<void> {
    while (this.importing?.signal.aborted) await this.importing.ended;
    if (this.importing) refuse(this.importing.what);
  }

  /** In place of the open case, which stays where the next one cannot be opened, or no longer is to be. */
  async open(stored: ReturnType<ApiDependencies['storage']['open']>, opening?: Opening): Promise<OpenCase> {
    const next = await OpenCase.from(await stored, this, opening);
    if (opening?.signal.aborted) {
      await next.discard();
      opening.signal.throwIfAborted();
    }
    await this.opened?.close();
    this.opened = next;
    return next;
  }

  /** Closes the open case and takes it away, as if it had never been made. */
  async discard(): Promise<void> {
    const gone = this.opened;
    this.opened = undefined;
    await gone?.discard();
  }

  async close(): Promise<void> {
    const closing = this.opened;
    this.opened = undefined;
    await closing?.close();
  }

  async closeAll(): Promise<void> {
    await this.live.stop();
    await this.inspections.close();
    await this.close();
  }
}

function queriesOfThisHost(): KnownQueries {
  const known = new Set<string>();
  return { has: async (sql) => known.has(sql), add: async (sql) => void known.add(sql) };
}

/** What may write into a case: one at a time. */
type Writer = 'import' | 'capture';

function refuse(what: Writer): never {
  if (what === 'capture')
    return fail('capture.running', 'a capture is running', {
      hint: 'stop it first; what it recorded stays in its case',
    });
  return fail('import.running', 'an import is running', { hint: 'wait until it is done, or cancel it in its window' });
}
