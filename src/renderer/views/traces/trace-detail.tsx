import { useCallback, useEffect, useMemo, useState } from 'react';
import { openTraceGroup, type TraceGroup } from '../../../model/contract/index.ts';
import { nanos } from '../../../model/time.ts';
import { problemOf } from '../../client/problem-of.ts';
import { formatDate, formatDuration, formatTime, zoneName } from '../../draw/text/format-time.ts';
import { formatCount } from '../../draw/text/format-value.ts';
import type { Places } from '../../draw/traces/trace-group-scale.ts';
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
import { copyText, showError } from '../../state/toasts.ts';
import { useAnswer } from '../../state/use-answer.ts';
import { useTimeFormat } from '../../state/use-time-format.ts';
import { Menu } from '../../widgets/menu.tsx';
import { ProblemNote } from '../../widgets/problem-note.tsx';
import { Progress } from '../../widgets/progress.tsx';
import { TabList } from '../../widgets/tab-list.tsx';
import { messages } from './messages.ts';
import { TraceGroupCompare } from './trace-group-compare.tsx';
import { TraceGroupCost } from './trace-group-cost.tsx';
import { TraceGroupFlame } from './trace-group-flame.tsx';
import { TraceGroupLogs } from './trace-group-logs.tsx';
import { TraceGroupPath } from './trace-group-path.tsx';
import { TraceGroupStages } from './trace-group-stages.tsx';
import { TraceGroupTokens } from './trace-group-tokens.tsx';
import { useWaterfall } from './use-waterfall.ts';
import { WaterfallView } from './waterfall.tsx';
import { WaterfallTools } from './waterfall-tools.tsx';
import './trace-detail.css';

export interface TraceDetailProps {
  /** As hex. */
  readonly traceId: string;
  /** Evidence id, or id as hex, of the span to show first. */
  readonly focusSpan: string | null;
}

/** One trace with all linked traces. */
export function TraceDetail({ traceId, focusSpan }: TraceDetailProps) {
  const revision = useCase((state) => state.revision);
  // Outlives the trace: comparing a trace, or reading stages, goes on with the next one.
  const [tab, setTab] = useState<TraceGroupTab>('waterfall');
  /** The trace whose folded tokens were asked for. */
  const [whole, setWhole] = useState<string | null>(null);
  const isFolding = whole !== traceId;
  const onWhole = useCallback(() => setWhole(traceId), [traceId]);
  const { value, problem, slow, retry } = useAnswer(
    ['trace', traceId, isFolding],
    async (signal) => ({
      traceId,
      traceGroup: await readGroup(traceId, isFolding, signal),
    }),
    ['span', 'log'],
  );
  return (
    <section
      className="trace-detail"
      aria-label={messages.detail.label}
      data-testid="trace-detail"
      data-trace={value?.traceId}
    >
      {problem ? <ProblemNote problem={problem} what={messages.detail.what} onRetry={retry} /> : null}
      {slow ? <Progress label={messages.detail.loading} /> : null}
      {value === undefined ? null : value.traceGroup.origin_ns === null ? (
        <p className="empty muted">
          {messages.detail.noSpansBefore} <code>{value.traceId}</code>
          {messages.detail.noSpansAfter}
        </p>
      ) : (
        <TraceGroupDetail
          key={`${revision} ${value.traceId}`}
          traceId={value.traceId}
          traceGroup={value.traceGroup}
          focusSpan={value.traceId === traceId ? focusSpan : null}
          tab={tab}
          onTab={setTab}
          onWhole={onWhole}
        />
      )}
    </section>
  );
}

const readGroup = async (trace_id: string, fold_tokens: boolean, signal?: AbortSignal): Promise<TraceGroup> =>
  openTraceGroup(await client().call('trace.story', { trace_id, fold_tokens }, signal));

const tabs = [
  { id: 'waterfall', title: messages.tabs.waterfall },
  { id: 'path', title: messages.tabs.path },
  { id: 'stages', title: messages.tabs.stages },
  { id: 'tokens', title: messages.tabs.tokens },
  { id: 'flame', title: messages.tabs.flame },
  { id: 'compare', title: messages.tabs.compare },
  { id: 'cost', title: messages.tabs.cost },
  { id: 'logs', title: messages.tabs.logs },
] as const;
type TraceGroupTab = (typeof tabs)[number]['id'];

interface TraceGroupDetailProps extends TraceDetailProps {
  readonly traceGroup: TraceGroup;
  readonly tab: TraceGroupTab;
  readonly onTab: (tab: TraceGroupTab) => void;
  /** Folded tokens are needed. */
  readonly onWhole: () => void;
}

function TraceGroupDetail({ traceId, traceGroup, focusSpan, tab, onTab, onWhole }: TraceGroupDetailProps) {
  const waterfall = useWaterfall(traceGroup, focusSpan);
  const isWaiting = traceGroup.band_span.length > 0 && tab !== 'waterfall' && tab !== 'logs';
  const needsWhole = isWaiting || waterfall.needsWhole;
  useEffect(() => {
    if (needsWhole) onWhole();
  }, [needsWhole, onWhole]);
  const titled = tabs.map((one) =>
    one.id === 'logs'
      ? { ...one, title: messages.tabs.logsCount(`${traceGroup.log_refs.length}${traceGroup.cut.logs ? '+' : ''}`) }
      : one,
  );
  const show = (span: number) => {
    onTab('waterfall');
    waterfall.goToSpan(span);
  };
  return (
    <>
      <TraceGroupHead traceId={traceId} traceGroup={traceGroup} />
      <div className="trace-detail-bar">
        <TabList label={messages.tabs.label} tabs={titled} selected={tab} onSelect={onTab} />
        <span className="spring" />
        {tab === 'waterfall' ? <WaterfallTools waterfall={waterfall} /> : null}
      </div>
      <Left traceGroup={traceGroup} hidden={tab === 'waterfall' ? waterfall.rows.hidden : 0} />
      {tab === 'waterfall' ? <WaterfallView waterfall={waterfall} /> : null}
      {isWaiting ? null : (
        <TraceGroupPart tab={tab} traceId={traceId} traceGroup={traceGroup} places={waterfall.places} onShow={show} />
      )}
    </>
  );
}

interface PartProps {
  readonly tab: TraceGroupTab;
  readonly traceId: string;
  readonly traceGroup: TraceGroup;
  readonly places: Places;
  readonly onShow: (span: number) => void;
}

function TraceGroupPart({ tab, traceId, traceGroup, places, onShow: show }: PartProps) {
  return (
    <>
      {tab === 'path' ? <TraceGroupPath traceGroup={traceGroup} onShow={show} /> : null}
      {tab === 'stages' ? <TraceGroupStages traceGroup={traceGroup} places={places} onShow={show} /> : null}
      {tab === 'tokens' ? <TraceGroupTokens traceId={traceId} traceGroup={traceGroup} onShow={show} /> : null}
      {tab === 'flame' ? <TraceGroupFlame traceGroup={traceGroup} onShow={show} /> : null}
      {tab === 'compare' ? <TraceGroupCompare traceGroup={traceGroup} onShow={show} /> : null}
      {tab === 'cost' ? <TraceGroupCost traceId={traceId} traceGroup={traceGroup} onShow={show} /> : null}
      {tab === 'logs' ? <TraceGroupLogs traceGroup={traceGroup} /> : null}
    </>
  );
}

function TraceGroupHead({ traceId, traceGroup }: Pick<PartProps, 'traceId' | 'traceGroup'>) {
  const format = useTimeFormat();
  const { from_ns, until_ns } = useMemo(() => extentOf(traceGroup), [traceGroup]);
  const failed = useMemo(() => failedSpans(traceGroup), [traceGroup]);
  const startNs = nanos((traceGroup.origin_ns ?? 0n) + BigInt(Math.round(from_ns)));
  const endNs = nanos((traceGroup.origin_ns ?? 0n) + BigInt(Math.round(until_ns)));
  const toTimeline = () => {
    setWindow(padWindow({ startNs, endNs: endNs > startNs ? endNs : nanos(startNs + 1000n) }, 0.2), 'trace');
    setPlayhead(startNs);
    showView('timeline');
  };
  const copy = (textOf: (whole: TraceGroup) => string, what: string) => {
    const isWhole = traceGroup.band_span.length === 0;
    const copying = isWhole
      ? copyText(textOf(traceGroup), what)
      : readGroup(traceId, false).then((whole) => copyText(textOf(whole), what));
    copying.catch((error: unknown) => showError(problemOf(error)));
  };
  return (
    <header className="trace-detail-head">
      <h2 className="ellipsis">{labelOf(traceGroup, 0)}</h2>
      <span className="muted" data-testid="trace-detail-facts">
        {messages.detail.facts(
          `${formatDate(startNs, format)} ${formatTime(startNs, format)} ${zoneName(format.mode)}`,
          formatDuration(until_ns - from_ns),
          counted(traceGroup.total, 'span'),
          counted(traceGroup.services.length, 'service'),
          traceGroup.traces.length,
        )}
        {failed > 0 ? messages.detail.failed(formatCount(failed)) : ''}
      </span>
      <div className="trace-detail-acts">
        <button type="button" title={messages.detail.timelineTitle} onClick={toTimeline}>
          {messages.detail.timeline}
        </button>
        <Menu
          label={messages.detail.copy}
          testId="trace-detail-copy"
          items={[
            {
              id: 'markdown',
              title: messages.copyMarkdown,
              keys: 'K',
              run: () => copy(traceGroupMarkdown, messages.markdown),
            },
            {
              id: 'json',
              title: messages.copyJson,
              keys: 'J',
              run: () => copy(traceGroupJson, messages.json),
            },
            {
              id: 'refs',
              title: messages.detail.copyIds,
              keys: 'Y',
              run: () => copy(refsText, messages.detail.evidenceIds),
            },
            {
              id: 'trace',
              title: messages.detail.copyTraceId,
              keys: 'T',
              run: () => void copyText(traceGroup.traces[0]?.trace_id ?? '', messages.detail.traceId),
            },
          ]}
        >
          {messages.detail.copyButton}
        </Menu>
      </div>
    </header>
  );
}

const refsText = (traceGroup: TraceGroup): string =>
  Array.from(traceGroup.trace.keys(), (span) => refOf(traceGroup, span)).join('\n');

const counted = (count: number, noun: string): string => `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;

/** What is not on screen. */
function Left({ traceGroup, hidden }: { readonly traceGroup: TraceGroup; readonly hidden: number }) {
  const { cut } = traceGroup;
  const factTexts = [
    ...(hidden > 0 ? [messages.left.hidden(formatCount(hidden))] : []),
    ...(cut.traces > 0 ? [messages.left.traces(formatCount(cut.traces))] : []),
    ...(cut.spans > 0 ? [messages.left.spans(formatCount(cut.spans))] : []),
    ...(cut.links ? [messages.left.links] : []),
    ...(cut.events ? [messages.left.events] : []),
    ...(cut.logs ? [messages.left.logs(formatCount(traceGroup.log_refs.length))] : []),
    ...(cut.unrecorded_links > 0 ? [messages.left.unrecorded(formatCount(cut.unrecorded_links))] : []),
  ];
  return factTexts.length === 0 ? null : (
    <p className="trace-detail-left muted" data-testid="trace-detail-left">
      {factTexts.join('; ')}.
    </p>
  );
}
