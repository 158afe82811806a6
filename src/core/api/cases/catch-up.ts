import { ProblemError } from '../../../model/problem.ts';
import type { Engine, Session } from '../../../model/storage/engine.ts';
import type { ReadPlaces } from '../../../model/storage/source.ts';
import type { ReadDetails } from '../../../model/telemetry/event-details.ts';
import { removeOrphanRows } from '../../store/case-file/orphan-rows.ts';
import { readOlderDetails } from '../../store/case-file/upgrade-details.ts';
import { finishCapture } from '../../store/live/finish-capture.ts';
import { areDerivedEventsOutdated } from '../../store/writer/derived-events.ts';

const unwritable: ReadonlySet<string> = new Set(['case.read_only', 'disk.full', 'disk.filled']);

interface OpenedCase {
  readonly stored: { readonly engine: Engine };
  withSession<T>(work: (session: Session) => Promise<T>): Promise<T>;
  derive(): Promise<void>;
}

/** What importers know, for rows that were stored without it. */
interface Reading {
  readonly readDetails: ReadDetails;
  readonly readPlaces: ReadPlaces;
}

/**
 * Brings an older case up to date, cleans up after a process killed during its commit, and derives events that a process killed
 * after it did not. A read-only case stays as it is.
 */
export async function catchUp(opened: OpenedCase, { readDetails, readPlaces }: Reading): Promise<void> {
  try {
    await opened.withSession((session) => readOlderDetails(session, readDetails));
    await opened.withSession((session) => removeOrphanRows(opened.stored.engine, session));
    await opened.withSession((session) => finishCapture(session, 'killed', readPlaces));
    if (await opened.withSession(areDerivedEventsOutdated)) await opened.derive();
  } catch (error) {
    if (!(error instanceof ProblemError && unwritable.has(error.problem.code))) throw error;
  }
}
