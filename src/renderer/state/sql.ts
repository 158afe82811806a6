import { create } from 'zustand';
import type { Table } from '../../model/contract/index.ts';
import type { AnnotationOf } from '../../model/incident/annotation.ts';
import type { Problem } from '../../model/problem.ts';
import { isAbort, problemOf } from '../client/problem-of.ts';
import { annotate, freshAnnotation, useAnnotations } from './annotations.ts';
import { client } from './client.ts';
import { loadLanes } from './conclusions.ts';
import { messages } from './messages.ts';

export type SavedQuery = AnnotationOf<'query'>;
export type QueryLane = NonNullable<SavedQuery['lane']>;

interface SqlState {
  /** Text in the editor. */
  readonly text: string;
  /** Increases when the text is replaced from outside of the editor. */
  readonly edition: number;
  /** The saved query in the editor. */
  readonly saved: string | null;
  /** A saved query was loaded by a click: it may come from someone else, and the investigator has not read it yet. */
  readonly isUnread: boolean;
  readonly answer: { readonly sql: string; readonly table: Table; readonly ms: number } | null;
  readonly problem: Problem | null;
  readonly isRunning: boolean;
}

const FIRST = `-- ${messages.sqlHelp}
select service, name, count(*) as spans, quantile_cont(duration_ms, 0.99) as p99_ms
from spans
group by all
order by p99_ms desc
limit 20`;

const nothing = { saved: null, isUnread: false, answer: null, problem: null, isRunning: false };

/** The text and its last result persist when the view changes. */
export const useSql = create<SqlState>()(() => ({ text: FIRST, edition: 0, ...nothing }));

export const setSqlText = (text: string): void => useSql.setState({ text });

/** Replaces the text in the editor; the result on screen belongs to the old text. */
export const putSql = (text: string, saved: string | null = null): void =>
  useSql.setState(({ edition }) => ({ ...nothing, text, saved, isUnread: saved !== null, edition: edition + 1 }));

/** A result belongs to its case. */
export function forgetAnswer(): void {
  running?.abort();
  useSql.setState(nothing);
}

const MOST_ROWS = 10_000;
let running: AbortController | undefined;
export const cancelSql = (): void => running?.abort();

/** Runs the query; the old result stays on screen until the new one arrives. */
export async function runSql(): Promise<void> {
  running?.abort();
  const own = new AbortController();
  running = own;
  const { text: sql, isUnread: unread } = useSql.getState();
  const began = performance.now();
  // The query is on screen now: running it again means that the investigator has seen it.
  useSql.setState({ isRunning: true, problem: null, isUnread: false });
  try {
    const table = await client().call('query.sql', { sql, limit: MOST_ROWS, unread }, own.signal);
    // A lane from another author is drawn from now on.
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

/** Saves the query in the case, replacing a saved query with this name. */
export async function saveQuery(name: string): Promise<SavedQuery | null> {
  const { text: sql } = useSql.getState();
  const same = savedQueries(useAnnotations.getState().list).find((one) => one.text === name);
  const query: SavedQuery = same ? { ...same, sql } : { kind: 'query', ...freshAnnotation(name), sql, lane: null };
  if (!(await annotate(messages.querySaved(name), { put: [query] }))) return null;
  useSql.setState({ saved: query.id });
  return query;
}

/** Adds or removes the lane of a saved query. */
export async function pinQuery(query: SavedQuery, lane: QueryLane | null): Promise<void> {
  const words = lane === null ? messages.laneRemoved(query.text) : messages.laneAdded(query.text);
  await annotate(words, { put: [{ ...query, lane }] });
}
