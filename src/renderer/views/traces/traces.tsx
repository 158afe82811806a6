import { useState } from 'react';
import type { Input } from '../../../model/contract/index.ts';
import { parseSearch } from '../../../model/traceql/parse-search.ts';
import { offsetOf } from '../../../model/traceql/problem.ts';
import { client } from '../../state/client.ts';
import { useFocus } from '../../state/focus.ts';
import type { TimeWindow } from '../../state/focus-history.ts';
import { useInfo } from '../../state/known.ts';
import { setTraces, useTraces } from '../../state/traces.ts';
import { useAnswer } from '../../state/use-answer.ts';
import { useSettledWindow } from '../../state/use-settled-window.ts';
import { ProblemNote } from '../../widgets/problem-note.tsx';
import { Progress } from '../../widgets/progress.tsx';
import { Splitter } from '../../widgets/splitter.tsx';
import { TabList } from '../../widgets/tab-list.tsx';
import { FlameView } from './flame-view.tsx';
import { messages } from './messages.ts';
import { MetricChart } from './metric-chart.tsx';
import { SearchBar } from './search-bar.tsx';
import { Services } from './services.tsx';
import { TraceDetail } from './trace-detail.tsx';
import { TraceList } from './trace-list.tsx';
import './traces.css';

const tabs = [
  { id: 'list', title: messages.title },
  { id: 'services', title: messages.services.title },
  { id: 'flame', title: messages.tabs.flame },
] as const;

/** The larger part for the open trace, but of a low window only half: some rows of the list stay in sight. */
const openHeight = (): number => {
  const all = window.innerHeight;
  return Math.round(Math.max(0.5 * all, Math.min(0.58 * all, all - 400)));
};

export function Traces() {
  const spans = useInfo()?.rows.span ?? 0;
  const open = useTraces((state) => state.open);
  const [height, setHeight] = useState(openHeight);
  if (spans === 0)
    return (
      <section className="view traces" aria-label={messages.title}>
        <p className="empty muted">{messages.none}</p>
      </section>
    );
  return (
    <section className="view traces" aria-label={messages.title}>
      <Searched />
      {open ? (
        <div className="trace-open" style={{ height }}>
          <Splitter
            label={messages.detail.height}
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
            aria-label={messages.detail.close}
            title={messages.detail.close}
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
const BUCKETS = 120;

/** Traces, or series of a search that ends with a metric. */
async function answerTo(query: string, searched: TimeWindow, input: Input<'traces.search'>, signal: AbortSignal) {
  const { start_ns = null, end_ns = null } = input;
  if (parseSearch(query).metric)
    return {
      query,
      metric: await client().call('traces.metric', { query, start_ns, end_ns, buckets: BUCKETS }, signal),
    };
  return { query, searched, found: await client().call('traces.search', input, signal) };
}

function Searched() {
  const { query, order, everywhere, tab } = useTraces();
  const { startNs, endNs } = useSettledWindow();
  const [cancelled, setCancelled] = useState('');
  const window = everywhere ? { start_ns: null, end_ns: null } : { start_ns: startNs, end_ns: endNs };
  const bounds = useFocus((focus) => focus.bounds);
  const searched = everywhere ? bounds : { startNs, endNs };
  const input = { query, order, limit: LIMIT, ...window };
  const key = `${order} ${window.start_ns} ${window.end_ns} ${query}`;
  const isCancelled = cancelled === key || tab !== 'list';
  const { value, problem, slow, retry } = useAnswer(
    isCancelled ? null : ['traces.search', input],
    (signal) => answerTo(query, searched, input, signal),
    ['span'],
  );
  return (
    <>
      <SearchBar refused={problem} />
      <TabList label={messages.list.views} tabs={tabs} selected={tab} onSelect={(id) => setTraces({ tab: id })} />
      {tab === 'flame' ? (
        <FlameView />
      ) : tab === 'services' ? (
        <Services window={window} />
      ) : (
        <div className="trace-found">
          {problem && offsetOf(problem) === null ? (
            <ProblemNote problem={problem} what={messages.title} onRetry={retry} />
          ) : null}
          {slow ? (
            <div className="trace-slow">
              <Progress label={messages.search.searching} />
              <button type="button" onClick={() => setCancelled(key)}>
                {messages.cancel}
              </button>
            </div>
          ) : null}
          {cancelled === key ? (
            <div className="trace-slow">
              <span className="muted">{messages.search.cancelled}</span>
              <button type="button" onClick={() => setCancelled('')}>
                {messages.search.again}
              </button>
            </div>
          ) : null}
          {value?.metric ? <MetricChart key={value.query} query={value.query} metric={value.metric} /> : null}
          {value?.found ? (
            <TraceList
              key={value.query}
              query={value.query}
              found={value.found}
              searched={value.searched}
              everywhere={everywhere}
            />
          ) : null}
        </div>
      )}
    </>
  );
}
