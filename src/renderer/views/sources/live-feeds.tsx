import type { LiveFeed, SilenceView, SourceInfo } from '../../../model/contract/index.ts';
import { nanos } from '../../../model/time.ts';
import { formatDate, formatDuration, formatTime, type TimeFormat, zoneName } from '../../draw/text/format-time.ts';
import { formatCount, formatNumber } from '../../draw/text/format-value.ts';
import { useCan } from '../../state/abilities.ts';
import { type SourcesTab, useCase } from '../../state/case-state.ts';
import { isRecording, showConnecting, stopCapture, useLive } from '../../state/live.ts';
import { useTimeFormat } from '../../state/use-time-format.ts';
import { type Column, DataTable } from '../../widgets/data-table.tsx';
import type { Tab } from '../../widgets/tab-list.tsx';

const noFeeds: readonly LiveFeed[] = [];
const noSources: readonly SourceInfo[] = [];

/** Left away where nothing was ever live and nothing is missing. */
export function useLiveTabs(): readonly Tab<SourcesTab>[] {
  const tab = useCase((state) => state.sourcesTab);
  const feeds = useLive((state) => state.capture?.feeds.length ?? 0);
  const gaps = useCase((state) => state.silences.length);
  return [
    ...(feeds > 0 || tab === 'feeds' ? [{ id: 'feeds', title: `Live feeds (${formatCount(feeds)})` } as const] : []),
    ...(gaps > 0 || tab === 'gaps' ? [{ id: 'gaps', title: `Gaps (${formatCount(gaps)})` } as const] : []),
  ];
}

/** What each feed of the capture does right now. */
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
            End the capture
          </button>
        ) : live ? (
          <button type="button" onClick={() => showConnecting(true)}>
            Connect live
          </button>
        ) : null}
        <span className="muted">
          {capture === null
            ? 'Nothing has been recorded live since Faultline was started.'
            : recording
              ? `recording into ${capture.case}`
              : `the capture into ${capture.case} is over`}
        </span>
      </div>
      <DataTable<LiveFeed>
        label="Live feeds"
        columns={feedColumns(format)}
        rows={capture?.feeds ?? noFeeds}
        keyOf={({ name }) => name}
        empty="Connect live chooses what to record."
      />
    </div>
  );
}

const stateMarks: Readonly<Record<LiveFeed['state'], string>> = { up: '●', down: '▲', waiting: '○' };

const timeText = (time: bigint, format: TimeFormat): string =>
  `${format.mode === 'relative' ? '' : `${formatDate(nanos(time), format)} `}${formatTime(nanos(time), format, 0)}`;

function feedColumns(format: TimeFormat): readonly Column<LiveFeed>[] {
  return [
    {
      id: 'state',
      title: 'state',
      width: '72px',
      cell: ({ state }) => (
        <span className={`feed-${state}`}>
          <span aria-hidden="true">{stateMarks[state]}</span> {state}
        </span>
      ),
      sort: ({ state }) => state,
    },
    { id: 'name', title: 'feed', width: 'minmax(120px, 1fr)', cell: ({ name }) => name, sort: ({ name }) => name },
    {
      id: 'since',
      title: `since (${zoneName(format.mode)})`,
      width: '148px',
      cell: ({ since_ns }) => timeText(since_ns, format),
      sort: ({ since_ns }) => since_ns,
      instant: ({ since_ns }) => nanos(since_ns),
    },
    {
      id: 'why',
      title: 'what it says',
      width: 'minmax(180px, 3fr)',
      cell: ({ reason, about, state }) => {
        const words = [reason, state === 'down' ? '' : about].filter((text) => text !== '').join('; ');
        return <span title={words}>{words || 'nothing yet'}</span>;
      },
    },
    {
      id: 'rows',
      title: 'rows',
      numeric: true,
      width: '80px',
      cell: ({ rows }) => formatCount(rows),
      sort: ({ rows }) => rows,
      sheet: { cell: ({ rows }) => rows },
    },
    {
      id: 'rate',
      title: 'rows/s',
      numeric: true,
      width: '64px',
      cell: ({ rate_per_s }) => formatNumber(rate_per_s),
      sort: ({ rate_per_s }) => rate_per_s,
      sheet: { cell: ({ rate_per_s }) => rate_per_s },
    },
    {
      id: 'lost',
      title: 'lost',
      numeric: true,
      width: '56px',
      cell: ({ lost }) => <span className={lost > 0 ? 'feed-down' : ''}>{formatCount(lost)}</span>,
      sort: ({ lost }) => lost,
      sheet: { cell: ({ lost }) => lost },
    },
  ];
}

/** When feeds were down, by their own word or by their silence. */
export function GapTable({ selectedSource }: { readonly selectedSource: number | null }) {
  const silences = useCase((state) => state.silences);
  const sources = useCase((state) => state.info?.sources ?? noSources);
  const format = useTimeFormat();
  const shown = selectedSource === null ? silences : silences.filter(({ source_id }) => source_id === selectedSource);
  const names = new Map(sources.map(({ source_id, name }) => [source_id, name]));
  return (
    <DataTable<SilenceView>
      label="Gaps"
      columns={gapColumns(format, (id) => names.get(id) ?? 'unknown')}
      rows={shown}
      keyOf={({ source_id, start_ns }) => `${source_id} ${start_ns}`}
      empty="No feed is known to have been down."
    />
  );
}

function gapColumns(format: TimeFormat, nameOf: (source: number) => string): readonly Column<SilenceView>[] {
  return [
    {
      id: 'source',
      title: 'source',
      width: 'minmax(120px, 1fr)',
      cell: ({ source_id }) => nameOf(source_id),
      sort: ({ source_id }) => nameOf(source_id),
    },
    {
      id: 'from',
      title: `from (${zoneName(format.mode)})`,
      width: '148px',
      cell: ({ start_ns }) => timeText(start_ns, format),
      sort: ({ start_ns }) => start_ns,
      instant: ({ start_ns }) => nanos(start_ns),
    },
    {
      id: 'lasted',
      title: 'for',
      width: '96px',
      cell: ({ start_ns, end_ns, is_open }) => (is_open ? 'still down' : formatDuration(Number(end_ns - start_ns))),
      sort: ({ start_ns, end_ns }) => end_ns - start_ns,
    },
    {
      id: 'reason',
      title: 'why',
      width: 'minmax(200px, 3fr)',
      cell: ({ reason }) => {
        const words = reason ?? 'it fell silent: none of its samples was recorded';
        return <span title={words}>{words}</span>;
      },
      sort: ({ reason }) => reason ?? '',
    },
  ];
}
