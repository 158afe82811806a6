import { create } from 'zustand';
import type { LogCondition } from '../../model/contract/index.ts';
import { problemOf } from '../client/problem-of.ts';
import { showDetails, showView } from './case-state.ts';
import { client } from './client.ts';
import { messages } from './messages.ts';
import { notify, showError } from './toasts.ts';
import { openTrace } from './traces.ts';

/** Filter of the logs, besides the shared window and entities. */
export interface LogFilter {
  /** Text of one template; null: any. */
  readonly template: string | null;
  /** Hex; null: any. */
  readonly trace_id: string | null;
  readonly text: string;
  /** Minimum OpenTelemetry severity number. */
  readonly severity_from: number;
  /** Fields with these values, one value a field. */
  readonly where: readonly LogCondition[];
  /** Evidence id of a record whose neighbours are shown; null: none. */
  readonly around: string | null;
}

const noFilter: LogFilter = { template: null, trace_id: null, text: '', severity_from: 0, where: [], around: null };

export const useLogFilter = create<LogFilter>()(() => noFilter);
export const filterLogs = (change: Partial<LogFilter>): void => useLogFilter.setState(change);

/** Narrows to a value of a field, in place of another value of it; a second time, no longer. */
export function toggleCondition({ field, value }: LogCondition): void {
  useLogFilter.setState(({ where }) => {
    const others = where.filter((one) => one.field !== field);
    const isOn = where.some((one) => one.field === field && one.value === value);
    return { where: isOn ? others : [...others, { field, value }], around: null };
  });
}

/** Shows the log records of one trace, at any time. */
export function showLogsOfTrace(trace_id: string): void {
  useLogFilter.setState({ ...noFilter, trace_id });
  showView('logs');
}

/** Opens the trace of a record, at its span if it names one. */
export async function showTrace(trace_id: string, span_id: string): Promise<void> {
  if (trace_id === '') return notify(messages.noTrace);
  const id = trace_id.padStart(32, '0');
  try {
    const { span_id: spans, start_ns, offset_s } = await client().call('trace.get', { trace_id, limit: 10_000 });
    const named = spans.indexOf(span_id);
    const at = Math.max(0, named);
    if (start_ns === null) return notify(messages.noSpans);
    if (named < 0 && span_id !== '') notify(messages.spanMissing);
    const time_ns = start_ns + BigInt(Math.round((offset_s[at] ?? 0) * 1e9));
    openTrace({ trace_id: id, ref: `span:${id}/${spans[at]}`, start_ns: time_ns });
    showView('traces');
    showDetails();
  } catch (error) {
    showError(problemOf(error));
  }
}
