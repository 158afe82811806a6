import type { LiveFeed, SilenceView, SourceInfo } from '../../../model/contract/index.ts';
import { nanos } from '../../../model/time.ts';
import { formatDate, formatDuration, formatTime, type TimeFormat, zoneName } from '../../draw/text/format-time.ts';
import { formatCount, formatNumber } from '../../draw/text/format-value.ts';
import { useCan } from '../../state/abilities.ts';
import { type SourcesTab, useCase } from '../../state/case-state.ts';
import { useInfo, useSilences } from '../../state/known.ts';
import { isRecording, showConnecting, stopCapture, useLive } from '../../state/live.ts';
import { useTimeFormat } from '../../state/use-time-format.ts';
import { type Column, DataTable } from '../../widgets/data-table.tsx';
import type { Tab } from '../../widgets/tab-list.tsx';
import { messages } from './messages.ts';

const noFeeds: readonly LiveFeed[] = [];
const noSources: readonly SourceInfo[] = [];

/** Hidden if nothing was ever live and nothing is missing. */
export function useLiveTabs(): readonly Tab<SourcesTab>[] {
  const tab = useCase((state) => state.sourcesTab);
  const capture = useLive((state) => state.capture);
  const name = useCase((state) => state.name);
  // In another case they would look like its own sources.
  const feeds = capture?.case === name ? capture.feeds.length : 0;
  const gaps = useSilences().length;
  return [
    ...(feeds > 0 || tab === 'feeds' ? [{ id: 'feeds', title: messages.feeds.tab(formatCount(feeds)) } as const] : []),
    ...(gaps > 0 || tab === 'gaps' ? [{ id: 'gaps', title: messages.gaps.tab(formatCount(gaps)) } as const] : []),
  ];
}

/** The current state of each feed of the capture. */
export function FeedTable() {
  const capture = useLive((state) => state.capture);
  const recording = useLive(isRecording);
  const live = useCan('live');
  const format = useTimeFormat();
  return (
    <div className="live-feeds">
      <div className="button-row">
        {recording ? (
          <button type="button" disabled={capture?.phase === 'ending'} onClick={() => void stopCapture()}>
            {messages.feeds.end}
          </button>
        ) : live ? (
          <button type="button" onClick={() => showConnecting(true)}>
            {messages.feeds.connect}
          </button>
        ) : null}
        <span className="muted">
          {capture === null
            ? messages.feeds.never
            : recording
              ? messages.feeds.recording(capture.case)
              : messages.feeds.ended(capture.case)}
        </span>
      </div>
      <DataTable<LiveFeed>
        label={messages.feeds.title}
        columns={feedColumns(format, recording)}
        rows={capture?.feeds ?? noFeeds}
        keyOf={({ name }) => name}
        empty={messages.feeds.none}
      />
    </div>
  );
}

const stateMarks: Readonly<Record<LiveFeed['state'] | 'ended', string>> = {
  up: '●',
  down: '▲',
  waiting: '○',
  ended: '■',
};

const timeText = (time: bigint, format: TimeFormat): string =>
  `${format.mode === 'relative' ? '' : `${formatDate(nanos(time), format)} `}${formatTime(nanos(time), format, 0)}`;

/** Of a capture that has ended no feed is up or down any more. */
function feedColumns(format: TimeFormat, isRecording: boolean): readonly Column<LiveFeed>[] {
  return [
    {
      id: 'state',
      title: messages.columns.state,
      width: '72px',
      cell: (feed) => {
        const state = isRecording ? feed.state : 'ended';
        return (
          <span className={`feed-${state}`}>
            <span aria-hidden="true">{stateMarks[state]}</span> {state}
          </span>
        );
      },
      sort: ({ state }) => state,
    },
    {
      id: 'name',
      title: messages.feeds.feed,
      width: 'minmax(120px, 1fr)',
      cell: ({ name }) => name,
      sort: ({ name }) => name,
    },
    {
      id: 'since',
      title: messages.feeds.since(zoneName(format.mode)),
      width: '148px',
      cell: ({ since_ns }) => timeText(since_ns, format),
      sort: ({ since_ns }) => since_ns,
      instant: ({ since_ns }) => nanos(since_ns),
    },
    {
      id: 'why',
      title: messages.feeds.message,
      width: 'minmax(180px, 3fr)',
      cell: ({ reason, about, state }) => {
        const words = [reason, state === 'down' || !isRecording ? '' : about].filter((text) => text !== '').join('; ');
        return <span title={words}>{words || messages.feeds.nothingYet}</span>;
      },
    },
    {
      id: 'rows',
      title: messages.columns.rows,
      numeric: true,
      width: '80px',
      cell: ({ rows }) => formatCount(rows),
      sort: ({ rows }) => rows,
      sheet: { cell: ({ rows }) => rows },
    },
    {
      id: 'rate',
      title: messages.feeds.rate,
      numeric: true,
      width: '64px',
      cell: ({ rate_per_s }) => formatNumber(rate_per_s),
      sort: ({ rate_per_s }) => rate_per_s,
      sheet: { cell: ({ rate_per_s }) => rate_per_s },
    },
    {
      id: 'lost',
      title: messages.feeds.lost,
      numeric: true,
      width: '56px',
      cell: ({ lost }) => <span className={lost > 0 ? 'feed-down' : ''}>{formatCount(lost)}</span>,
      sort: ({ lost }) => lost,
      sheet: { cell: ({ lost }) => lost },
    },
  ];
}

/** Outages of feeds, reported or detected from missing samples. */
export function GapTable({ selectedSource }: { readonly selectedSource: number | null }) {
  const silences = useSilences();
  const sources = useInfo()?.sources ?? noSources;
  const format = useTimeFormat();
  const shown = selectedSource === null ? silences : silences.filter(({ source_id }) => source_id === selectedSource);
  const names = new Map(sources.map(({ source_id, name }) => [source_id, name]));
  return (
    <DataTable<SilenceView>
      label={messages.gaps.title}
      columns={gapColumns(format, (id) => names.get(id) ?? messages.unknown)}
      rows={shown}
      keyOf={({ source_id, start_ns }) => `${source_id} ${start_ns}`}
      empty={messages.gaps.none}
    />
  );
}

function gapColumns(format: TimeFormat, nameOf: (source: number) => string): readonly Column<SilenceView>[] {
  return [
    {
      id: 'source',
      title: messages.columns.source,
      width: 'minmax(120px, 1fr)',
      cell: ({ source_id }) => nameOf(source_id),
      sort: ({ source_id }) => nameOf(source_id),
    },
    {
      id: 'from',
      title: messages.gaps.from(zoneName(format.mode)),
      width: '148px',
      cell: ({ start_ns }) => timeText(start_ns, format),
      sort: ({ start_ns }) => start_ns,
      instant: ({ start_ns }) => nanos(start_ns),
    },
    {
      id: 'lasted',
      title: messages.gaps.duration,
      width: '96px',
      cell: ({ start_ns, end_ns, is_open }) =>
        is_open ? messages.gaps.stillDown : formatDuration(Number(end_ns - start_ns)),
      sort: ({ start_ns, end_ns }) => end_ns - start_ns,
    },
    {
      id: 'reason',
      title: messages.columns.reason,
      width: 'minmax(200px, 3fr)',
      cell: ({ reason }) => {
        const words = reason ?? messages.gaps.silent;
        return <span title={words}>{words}</span>;
      },
      sort: ({ reason }) => reason ?? '',
    },
  ];
}
