import { useMemo, useState } from 'react';
import { openTraceGroup, type TraceGroup } from '../../../model/contract/index.ts';
import { nanos } from '../../../model/time.ts';
import { formatDate, formatDuration, formatTime, zoneName } from '../../draw/text/format-time.ts';
import { formatCount } from '../../draw/text/format-value.ts';
import {
  extentOf,
  failedSpans,
  labelOf,
  refOf,
  traceGroupJson,
  traceGroupMarkdown,
} from '../../draw/traces/trace-group-text.ts';
import { showView, useCase } from '../../state/case-state.ts';
import { client } from '../../state/client.ts';
import { setPlayhead, setWindow } from '../../state/focus.ts';
import { padWindow } from '../../state/time-window.ts';
import { copyText } from '../../state/toasts.ts';
import { useAnswer } from '../../state/use-answer.ts';
import { useTimeFormat } from '../../state/use-time-format.ts';
import { Menu } from '../../widgets/menu.tsx';
import { ProblemNote } from '../../widgets/problem-note.tsx';
import { Progress } from '../../widgets/progress.tsx';
import { TabList } from '../../widgets/tab-list.tsx';
import { TraceGroupCompare } from './trace-group-compare.tsx';
import { TraceGroupCost } from './trace-group-cost.tsx';
import { TraceGroupFlame } from './trace-group-flame.tsx';
import { TraceGroupLogs } from './trace-group-logs.tsx';
import { TraceGroupPath } from './trace-group-path.tsx';
import { TraceGroupStages } from './trace-group-stages.tsx';
import { useWaterfall } from './use-waterfall.ts';
import { WaterfallView } from './waterfall.tsx';
import { WaterfallTools } from './waterfall-tools.tsx';
import './story.css';

export interface TraceDetailProps {
  /** As hex. */
  readonly traceId: string;
  /** Evidence id, or id as hex, of the span to begin at. */
  readonly focusSpan: string | null;
}

/** One trace with all that is linked with it. */
export function TraceDetail({ traceId, focusSpan }: TraceDetailProps) {
  const revision = useCase((state) => state.revision);
  const { value, problem, slow, retry } = useAnswer(
    `${revision} ${traceId}`,
    async (signal) => ({
      traceId,
      story: openTraceGroup(await client().call('trace.story', { trace_id: traceId }, signal)),
    }),
    ['span', 'log'],
  );
  return (
    <section className="story" aria-label="Trace" data-testid="story" data-trace={value?.traceId}>
      {problem ? <ProblemNote problem={problem} what="This trace" onRetry={retry} /> : null}
      {slow ? <Progress label="Loading the trace" /> : null}
      {value === undefined ? null : value.story.origin_ns === null ? (
        <p className="empty muted">
          This case holds no spans of trace <code>{value.traceId}</code>. It may have been recorded elsewhere: drop the
          file that has it on this window.
        </p>
      ) : (
        <TraceGroupDetail
          key={`${revision} ${value.traceId}`}
          traceId={value.traceId}
          traceGroup={value.story}
          focusSpan={value.traceId === traceId ? focusSpan : null}
        />
      )}
    </section>
  );
}

const tabs = [
  { id: 'waterfall', title: 'Waterfall' },
  { id: 'path', title: 'Critical path' },
  { id: 'stages', title: 'Stages' },
  { id: 'flame', title: 'Flame graph' },
  { id: 'compare', title: 'Compare' },
  { id: 'cost', title: 'Cost' },
  { id: 'logs', title: 'Logs' },
] as const;
type TraceGroupTab = (typeof tabs)[number]['id'];

function TraceGroupDetail({ traceId, traceGroup, focusSpan }: TraceDetailProps & { readonly traceGroup: TraceGroup }) {
  const [tab, setTab] = useState<TraceGroupTab>('waterfall');
  const waterfall = useWaterfall(traceGroup, focusSpan);
  const titled = tabs.map((one) =>
    one.id === 'logs'
      ? { ...one, title: `Logs (${traceGroup.log_refs.length}${traceGroup.cut.logs ? '+' : ''})` }
      : one,
  );
  const show = (span: number) => {
    setTab('waterfall');
    waterfall.goToSpan(span);
  };
  return (
    <>
      <TraceGroupHead story={traceGroup} />
      <div className="story-bar">
        <TabList label="Ways to see this trace" tabs={titled} selected={tab} onSelect={setTab} />
        <span className="spring" />
        {tab === 'waterfall' ? <WaterfallTools waterfall={waterfall} /> : null}
      </div>
      <Left story={traceGroup} hidden={tab === 'waterfall' ? waterfall.rows.hidden : 0} />
      {tab === 'waterfall' ? <WaterfallView waterfall={waterfall} /> : null}
      {tab === 'path' ? <TraceGroupPath traceGroup={traceGroup} onShow={show} /> : null}
      {tab === 'stages' ? <TraceGroupStages traceGroup={traceGroup} places={waterfall.places} onShow={show} /> : null}
      {tab === 'flame' ? <TraceGroupFlame traceGroup={traceGroup} onShow={show} /> : null}
      {tab === 'compare' ? <TraceGroupCompare traceGroup={traceGroup} onShow={show} /> : null}
      {tab === 'cost' ? <TraceGroupCost traceId={traceId} traceGroup={traceGroup} onShow={show} /> : null}
      {tab === 'logs' ? <TraceGroupLogs traceGroup={traceGroup} /> : null}
    </>
  );
}

function TraceGroupHead({ story }: { readonly story: TraceGroup }) {
  const format = useTimeFormat();
  const { from_ns, until_ns } = useMemo(() => extentOf(story), [story]);
  const failed = useMemo(() => failedSpans(story), [story]);
  const startNs = nanos((story.origin_ns ?? 0n) + BigInt(Math.round(from_ns)));
  const endNs = nanos((story.origin_ns ?? 0n) + BigInt(Math.round(until_ns)));
  const toTimeline = () => {
    setWindow(padWindow({ startNs, endNs: endNs > startNs ? endNs : nanos(startNs + 1000n) }, 0.2), 'story');
    setPlayhead(startNs);
    showView('timeline');
  };
  const refs = () => Array.from(story.trace.keys(), (span) => refOf(story, span)).join('\n');
  return (
    <header className="story-head">
      <h2 className="ellipsis">{labelOf(story, 0)}</h2>
      <span className="muted" data-testid="story-facts">
        {`${formatDate(startNs, format)} ${formatTime(startNs, format)} ${zoneName(format.mode)}, ${formatDuration(until_ns - from_ns)}, ${counted(story.trace.length, 'span')} of ${counted(story.services.length, 'service')}${story.traces.length > 1 ? ` in ${story.traces.length} linked traces` : ''}`}
        {failed > 0 ? `, ${formatCount(failed)} failed` : ''}
      </span>
      <span className="spring" />
      <button type="button" title="The timeline shows the time of this trace" onClick={toTimeline}>
        On the timeline
      </button>
      <Menu
        label="Copy this trace"
        testId="story-copy"
        items={[
          {
            id: 'markdown',
            title: 'Copy as Markdown',
            keys: 'K',
            run: () => void copyText(traceGroupMarkdown(story), 'Markdown'),
          },
          { id: 'json', title: 'Copy as JSON', keys: 'J', run: () => void copyText(traceGroupJson(story), 'JSON') },
          { id: 'refs', title: 'Copy evidence ids', keys: 'Y', run: () => void copyText(refs(), 'Evidence ids') },
          {
            id: 'trace',
            title: 'Copy trace id',
            keys: 'T',
            run: () => void copyText(story.traces[0]?.trace_id ?? '', 'Trace id'),
          },
        ]}
      >
        Copy ▾
      </Menu>
    </header>
  );
}

const counted = (count: number, noun: string): string => `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;

/** What is not on screen, though it belongs here. */
function Left({ story, hidden }: { readonly story: TraceGroup; readonly hidden: number }) {
  const { cut } = story;
  const factTexts = [
    ...(hidden > 0 ? [`${formatCount(hidden)} shorter spans are hidden`] : []),
    ...(cut.traces > 0 ? [`at least ${formatCount(cut.traces)} more linked traces are left out`] : []),
    ...(cut.spans > 0 ? [`${formatCount(cut.spans)} spans are left out`] : []),
    ...(cut.links ? ['some links are left out'] : []),
    ...(cut.events ? ['some span events are left out'] : []),
    ...(cut.logs ? [`logs beyond the first ${formatCount(story.log_refs.length)} are left out`] : []),
    ...(cut.unrecorded_links > 0
      ? [`${formatCount(cut.unrecorded_links)} links lead to spans that are not shown or not in this case`]
      : []),
  ];
  return factTexts.length === 0 ? null : (
    <p className="story-left muted" data-testid="story-left">
      {factTexts.join('; ')}.
    </p>
  );
}
