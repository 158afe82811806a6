import { create } from 'zustand';
import { problemOf } from '../client/problem-of.ts';
import { showDetails, showView } from './case-state.ts';
import { client } from './client.ts';
import { select } from './focus.ts';
import { showRegisteredView } from './registered-views.ts';
import { complain, notify } from './toasts.ts';

/** What the logs are asked for, beside the window and the things that all views share. */
export interface LogQuestion {
  /** One template's text; null: any. */
  readonly template: string | null;
  /** Hex; null: any. */
  readonly trace_id: string | null;
  readonly text: string;
  /** Least severity number of OpenTelemetry. */
  readonly severity_from: number;
}

const anything: LogQuestion = { template: null, trace_id: null, text: '', severity_from: 0 };

export const useLogQuestion = create<LogQuestion>()(() => anything);
export const askLogs = (change: Partial<LogQuestion>): void => useLogQuestion.setState(change);

/** The log records of one trace, whenever they were written. */
export function showLogsOfTrace(trace_id: string): void {
  useLogQuestion.setState({ ...anything, trace_id });
  showView('logs');
}

/** The trace that a record belongs to, at the record's span where it names one. */
export async function showTrace(trace_id: string, span_id: string): Promise<void> {
  if (trace_id === '') return notify('this record belongs to no trace');
  const id = trace_id.padStart(32, '0');
  try {
    const { span_id: spans } = await client().call('trace.get', { trace_id, limit: 10_000 });
    const span = spans.includes(span_id) ? span_id : spans[0];
    if (span === undefined) return notify('the spans of its trace were not recorded');
    select(`span:${id}/${span}`);
    showRegisteredView('traces');
    showDetails();
  } catch (error) {
    complain(problemOf(error));
  }
}
