import { create } from 'zustand';
import { problemOf } from '../client/problem-of.ts';
import { showDetails, showView } from './case-state.ts';
import { client } from './client.ts';
import { notify, showError } from './toasts.ts';
import { openTrace } from './traces.ts';

/** What the logs are asked for, beside the window and the things that all views share. */
export interface LogFilter {
  /** One template's text; null: any. */
  readonly template: string | null;
  /** Hex; null: any. */
  readonly trace_id: string | null;
  readonly text: string;
  /** Least severity number of OpenTelemetry. */
  readonly severity_from: number;
}

const noFilter: LogFilter = { template: null, trace_id: null, text: '', severity_from: 0 };

export const useLogFilter = create<LogFilter>()(() => noFilter);
export const filterLogs = (change: Partial<LogFilter>): void => useLogFilter.setState(change);

/** The log records of one trace, whenever they were written. */
export function showLogsOfTrace(trace_id: string): void {
  useLogFilter.setState({ ...noFilter, trace_id });
  showView('logs');
}

/** Opens the trace that a record belongs to, at the record's span where it names one. */
export async function showTrace(trace_id: string, span_id: string): Promise<void> {
  if (trace_id === '') return notify('this record belongs to no trace');
  const id = trace_id.padStart(32, '0');
  try {
    const { span_id: spans, start_ns, offset_s } = await client().call('trace.get', { trace_id, limit: 10_000 });
    const named = spans.indexOf(span_id);
    const at = Math.max(0, named);
    if (start_ns === null) return notify('the spans of its trace were not recorded');
    if (named < 0 && span_id !== '') notify('its span was not recorded; this is the first of its trace');
    const time_ns = start_ns + BigInt(Math.round((offset_s[at] ?? 0) * 1e9));
    openTrace({ trace_id: id, ref: `span:${id}/${spans[at]}`, start_ns: time_ns });
    showView('traces');
    showDetails();
  } catch (error) {
    showError(problemOf(error));
  }
}
