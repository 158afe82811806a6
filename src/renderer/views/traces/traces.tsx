import { useState } from 'react';
import { offsetOf } from '../../../model/traceql/problem.ts';
import { useCase } from '../../state/case-state.ts';
import { client } from '../../state/client.ts';
import { setTraces, useTraces } from '../../state/traces.ts';
import { useAnswer } from '../../state/use-answer.ts';
import { useSettledWindow } from '../../state/use-settled-window.ts';
import { ProblemNote } from '../../widgets/problem-note.tsx';
import { Progress } from '../../widgets/progress.tsx';
import { Splitter } from '../../widgets/splitter.tsx';
import { TabList } from '../../widgets/tab-list.tsx';
import { FlameView } from './flame-view.tsx';
import { SearchBar } from './search-bar.tsx';
import { TraceDetail } from './trace-detail.tsx';
import { TraceList } from './trace-list.tsx';
import './traces.css';

const tabs = [
  { id: 'list', title: 'Traces' },
  { id: 'flame', title: 'Flame graph' },
] as const;

export function Traces() {
  const spans = useCase((state) => state.info?.rows.span ?? 0);
  const open = useTraces((state) => state.open);
  // A trace is what was looked for: it gets the larger half.
  const [height, setHeight] = useState(() => Math.round(window.innerHeight * 0.58));
  if (spans === 0)
    return (
      <section className="view traces" aria-label="Traces">
        <p className="empty muted">
          No spans were recorded in this case. OTLP traces (JSON or protobuf), Jaeger or Zipkin JSON, Tempo blocks or
          Parquet files would fill this view: drop them on the window.
        </p>
      </section>
    );
  return (
    <section className="view traces" aria-label="Traces">
      <Searched />
      {open ? (
        <div className="trace-open" style={{ height }}>
          <Splitter
            label="Height of the trace"
            orientation="horizontal"
            reverse
            value={height}
            min={120}
            max={window.innerHeight * 0.7}
            onChange={setHeight}
          />
          <button
            type="button"
            className="plain trace-close"
            aria-label="Close the trace"
            title="Close the trace"
            onClick={() => setTraces({ open: null })}
          >
            ×
          </button>
          <TraceDetail traceId={open.traceId} focusSpan={open.ref} />
        </div>
      ) : null}
    </section>
  );
}

const LIMIT = 500;

function Searched() {
  const { query, order, everywhere, tab } = useTraces();
  const { startNs, endNs } = useSettledWindow();
  const revision = useCase((state) => state.revision);
  const [cancelled, setCancelled] = useState('');
  const window = everywhere ? { start_ns: null, end_ns: null } : { start_ns: startNs, end_ns: endNs };
  const key = `${revision} ${order} ${window.start_ns} ${window.end_ns} ${query}`;
  const isCancelled = cancelled === key || tab === 'flame';
  const answer = useAnswer(
    isCancelled ? 'nothing' : key,
    async (signal) =>
      isCancelled
        ? null
        : { query, found: await client().call('traces.search', { query, order, limit: LIMIT, ...window }, signal) },
    ['span'],
  );
  const { problem, slow, retry } = answer;
  const value = answer.value ?? undefined;
  return (
    <>
      <SearchBar refused={problem} />
      <TabList
        label="What is shown of the traces"
        tabs={tabs}
        selected={tab}
        onSelect={(id) => setTraces({ tab: id })}
      />
      {tab === 'flame' ? (
        <FlameView />
      ) : (
        <div className="trace-found">
          {problem && offsetOf(problem) === null ? (
            <ProblemNote problem={problem} what="Traces" onRetry={retry} />
          ) : null}
          {slow ? (
            <div className="trace-slow">
              <Progress label="Searching" />
              <button type="button" onClick={() => setCancelled(key)}>
                Cancel
              </button>
            </div>
          ) : null}
          {cancelled === key ? (
            <div className="trace-slow">
              <span className="muted">The search was cancelled.</span>
              <button type="button" onClick={() => setCancelled('')}>
                Search again
              </button>
            </div>
          ) : null}
          {value ? (
            <TraceList key={value.query} query={value.query} found={value.found} everywhere={everywhere} />
          ) : null}
        </div>
      )}
    </>
  );
}
