import { create } from 'zustand';
import type { Annotation, AnnotationOf } from '../../model/incident/annotation.ts';
import { annotate, freshAnnotation } from './annotations.ts';
import type { Answer } from './answer.ts';
import { client } from './client.ts';
import { loadLanes } from './conclusions.ts';
import { annotationList, cancelLoading, forgetKnown, loadBy, type SqlAnswer, useKnownAnswer } from './known.ts';
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
}

const FIRST = `-- ${messages.sqlHelp}
select service, name, count(*) as spans, quantile_cont(duration_ms, 0.99) as p99_ms
from spans
group by all
order by p99_ms desc
limit 20`;

const nothing = { saved: null, isUnread: false };

/** The text persists when the view changes, and so does its last result. */
export const useSql = create<SqlState>()(() => ({ text: FIRST, edition: 0, ...nothing }));

export const setSqlText = (text: string): void => useSql.setState({ text });

/** Replaces the text in the editor; the result on screen belongs to the old text. */
export function putSql(text: string, saved: string | null = null): void {
  forgetKnown('query.sql');
  useSql.setState(({ edition }) => ({ text, saved, isUnread: saved !== null, edition: edition + 1 }));
}

/** A saved query belongs to its case. */
export const forgetSaved = (): void => useSql.setState(nothing);

const MOST_ROWS = 10_000;
export const cancelSql = (): void => cancelLoading('query.sql');

/** The result of the last query; after a failure, the one before is no answer to it. */
export function useSqlAnswer(): Answer<SqlAnswer> {
  const answer = useKnownAnswer('query.sql', () => void runSql());
  const { isLoading, problem } = answer;
  return problem ? { ...answer, value: undefined, problem: isLoading ? undefined : problem } : answer;
}

/** Runs the query; the old result stays on screen until the new one arrives. */
export async function runSql(): Promise<void> {
  const { text: sql, isUnread: unread } = useSql.getState();
  const began = performance.now();
  // The query is on screen now: running it again means that the investigator has seen it.
  useSql.setState({ isUnread: false });
  try {
    await loadBy('query.sql', async (signal) => {
      const table = await client().call('query.sql', { sql, limit: MOST_ROWS, unread }, signal);
      return { sql, table, ms: performance.now() - began };
    });
    // A lane from another author is drawn from now on.
    if (savedQueries(annotationList()).some((one) => one.lane !== null && one.sql === sql)) void loadLanes();
  } catch {
    // The view shows the problem.
  }
}

export const savedQueries = (list: readonly Annotation[]): readonly SavedQuery[] =>
  list.filter((one) => one.kind === 'query');

/** Saves the query in the case, replacing a saved query with this name. */
export async function saveQuery(name: string): Promise<SavedQuery | null> {
  const { text: sql } = useSql.getState();
  const same = savedQueries(annotationList()).find((one) => one.text === name);
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
