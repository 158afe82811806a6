import { create } from 'zustand';
import type { Table } from '../../model/contract/index.ts';
import type { AnnotationOf } from '../../model/incident/annotation.ts';
import type { Problem } from '../../model/problem.ts';
import { isAbort, problemOf } from '../client/problem-of.ts';
import { annotate, freshAnnotation, useAnnotations } from './annotations.ts';
import { client } from './client.ts';
import { loadLanes } from './conclusions.ts';

export type SavedQuery = AnnotationOf<'query'>;
export type QueryLane = NonNullable<SavedQuery['lane']>;

interface SqlState {
  /** What stands in the editor. */
  readonly text: string;
  /** Grows when the text is to be replaced from outside of the editor. */
  readonly edition: number;
  /** The saved query that the text began as. */
  readonly saved: string | null;
  /** That it was put there by a click on a saved query: it may be a stranger's, and nobody has read it yet. */
  readonly isUnread: boolean;
  readonly answer: { readonly sql: string; readonly table: Table; readonly ms: number } | null;
  readonly problem: Problem | null;
  readonly isRunning: boolean;
}

const FIRST = `-- Read-only SQL over this case. Ctrl Enter runs it, Ctrl Space completes.
select service, name, count(*) as spans, quantile_cont(duration_ms, 0.99) as p99_ms
from spans
group by all
order by p99_ms desc
limit 20`;

const nothing = { saved: null, isUnread: false, answer: null, problem: null, isRunning: false };

/** The editor's text and its last answer outlive a change of view. */
export const useSql = create<SqlState>()(() => ({ text: FIRST, edition: 0, ...nothing }));

export const setSqlText = (text: string): void => useSql.setState({ text });

/** Puts other text into the editor; its answer is no longer the one on screen. */
export const putSql = (text: string, saved: string | null = null): void =>
  useSql.setState(({ edition }) => ({ ...nothing, text, saved, isUnread: saved !== null, edition: edition + 1 }));

/** An answer speaks of the case that it was asked of. */
export function forgetAnswer(): void {
  running?.abort();
  useSql.setState(nothing);
}

const MOST_ROWS = 10_000;
let running: AbortController | undefined;
export const cancelSql = (): void => running?.abort();

/** Asks what stands in the editor; the answer before stays on screen until there is another. */
export async function runSql(): Promise<void> {
  running?.abort();
  const own = new AbortController();
  running = own;
  const { text: sql, isUnread: unread } = useSql.getState();
  const began = performance.now();
  // It is on screen now: whoever asks once more has seen it.
  useSql.setState({ isRunning: true, problem: null, isUnread: false });
  try {
    const table = await client().call('query.sql', { sql, limit: MOST_ROWS, unread }, own.signal);
    // A lane from elsewhere is drawn from now on.
    if (savedQueries(useAnnotations.getState().list).some((one) => one.lane !== null && one.sql === sql))
      void loadLanes();
    if (running === own) useSql.setState({ answer: { sql, table, ms: performance.now() - began } });
  } catch (error) {
    if (running === own && !isAbort(error)) useSql.setState({ problem: problemOf(error), answer: null });
  } finally {
    if (running === own) {
      running = undefined;
      useSql.setState({ isRunning: false });
    }
  }
}

export const savedQueries = (list: ReturnType<typeof useAnnotations.getState>['list']): readonly SavedQuery[] =>
  list.filter((one) => one.kind === 'query');

/** Saves the editor's text in the case, under the name of a saved query instead of that. */
export async function saveQuery(name: string): Promise<SavedQuery | null> {
  const { text: sql } = useSql.getState();
  const same = savedQueries(useAnnotations.getState().list).find((one) => one.text === name);
  const query: SavedQuery = same ? { ...same, sql } : { kind: 'query', ...freshAnnotation(name), sql, lane: null };
  if (!(await annotate(`query ${name}`, { put: [query] }))) return null;
  useSql.setState({ saved: query.id });
  return query;
}

/** Draws a saved query as a lane, or no longer. */
export async function pinQuery(query: SavedQuery, lane: QueryLane | null): Promise<void> {
  const words = lane === null ? `lane ${query.text} taken away` : `lane ${query.text}`;
  await annotate(words, { put: [{ ...query, lane }] });
}
