import { useState } from 'react';
import type { Output, SourceInfo } from '../../../model/contract/index.ts';
import type { ClockEstimateView } from '../../../model/incident/clock-estimate.ts';
import { nanos } from '../../../model/time.ts';
import { clockText } from '../../draw/text/format-clock.ts';
import { formatDate, formatOffset, formatTime, type TimeFormat, zoneName } from '../../draw/text/format-time.ts';
import { formatBytes, formatCount, formatRows } from '../../draw/text/format-value.ts';
import { useCan } from '../../state/abilities.ts';
import { type SourcesTab, showSources, useCase } from '../../state/case-state.ts';
import { removeSources } from '../../state/import-flow.ts';
import { useInfo } from '../../state/known.ts';
import { isRecording, useLive } from '../../state/live.ts';
import { useTimeFormat } from '../../state/use-time-format.ts';
import { type Column, DataTable } from '../../widgets/data-table.tsx';
import { TabList } from '../../widgets/tab-list.tsx';
import { ClockTable } from './clock-table.tsx';
import { FeedTable, GapTable, useLiveTabs } from './live-feeds.tsx';
import { type Mechanisms, MechanismsNote } from './mechanisms-note.tsx';
import { messages } from './messages.ts';
import { NameTable } from './name-table.tsx';
import { sourceTarget } from './source-target.ts';
import './sources.css';

type Rejects = Output<'rejects.list'>;
type Reject = Rejects['rows'][number];
const none: readonly SourceInfo[] = [];

type Names = Output<'names.list'>;

interface SourcesProps {
  readonly rejects: Rejects;
  readonly names: Names;
  readonly clocks: readonly ClockEstimateView[];
  readonly mechanisms: Mechanisms;
}

export function Sources(props: SourcesProps) {
  const { rejects, names, clocks, mechanisms } = props;
  const sources = useInfo()?.sources ?? none;
  const missing = useInfo()?.layers_missing ?? [];
  const copies = useInfo()?.older_copies ?? [];
  const format = useTimeFormat();
  const [selectedSource, setSelectedSource] = useState<number | null>(null);
  const tab = useCase((state) => state.sourcesTab);
  const shown = selectedSource === null ? sources : sources.filter((source) => source.source_id === selectedSource);
  const name = selectedSource === null ? undefined : shown[0]?.name;
  const liveTabs = useLiveTabs();
  return (
    <div className="sources">
      <div className="sources-head">
        <h2>{messages.title}</h2>
        <span className="muted">
          {missing.length > 0 ? messages.layersMissing(missing.join(', ')) : messages.layersComplete}
        </span>
      </div>
      {copies.length > 0 ? (
        <p className="muted" data-testid="older-copies">
          {messages.olderCopies(copies.join(', '))}
        </p>
      ) : null}
      <DataTable<SourceInfo>
        label={messages.title}
        columns={sourceColumns(sources, format)}
        rows={sources}
        keyOf={(source) => String(source.source_id)}
        selected={selectedSource === null ? null : String(selectedSource)}
        onSelect={(source) => setSelectedSource(source.source_id === selectedSource ? null : source.source_id)}
        actionsOf={sourceTarget}
        empty={messages.empty}
      />
      <div className="sources-head">
        <TabList<SourcesTab>
          label={messages.tabs}
          tabs={[...liveTabs, ...tabsFor(sources, props)]}
          selected={tab}
          onSelect={showSources}
        />
        {name === undefined ? null : (
          <>
            <button type="button" className="chip" onClick={() => setSelectedSource(null)}>
              {name} ×
            </button>
            <RemoveSource
              key={selectedSource}
              source={selectedSource!}
              name={name}
              onRemoved={() => setSelectedSource(null)}
            />
          </>
        )}
      </div>
      {tab === 'feeds' ? <FeedTable /> : null}
      {tab === 'gaps' ? <GapTable selectedSource={selectedSource} /> : null}
      {tab === 'clocks' ? (
        <ClockTable clocks={clocks} sources={sources} selectedSource={selectedSource} onSelect={setSelectedSource} />
      ) : null}
      {tab === 'remarks' ? <Remarks sources={shown} /> : null}
      {tab === 'rejects' ? <RejectTable rejects={rejects} selectedSource={selectedSource} /> : null}
      {tab === 'names' ? <NameTable names={names} source={name} /> : null}
      {tab === 'mechanisms' ? <MechanismsNote mechanisms={mechanisms} /> : null}
    </div>
  );
}

interface RemoveProps {
  readonly source: number;
  readonly name: string;
  readonly onRemoved: () => void;
}

/** Asks once more: the rows come back only with another import of the file. */
function RemoveSource({ source, name, onRemoved }: RemoveProps) {
  const [asked, setAsked] = useState(false);
  const recording = useLive(isRecording);
  if (!useCan('import') || recording) return null;
  if (!asked)
    return (
      <button type="button" onClick={() => setAsked(true)}>
        {messages.remove.ask}
      </button>
    );
  const remove = () => {
    onRemoved();
    void removeSources([source], messages.remove.done(name));
  };
  return (
    <>
      <button type="button" className="danger" onClick={remove}>
        {messages.remove.confirm}
      </button>
      <button type="button" onClick={() => setAsked(false)}>
        {messages.remove.keep}
      </button>
    </>
  );
}

function tabsFor(
  sources: readonly SourceInfo[],
  { rejects, names, clocks, mechanisms }: SourcesProps,
): readonly { id: SourcesTab; title: string }[] {
  const off = clocks.filter(({ error }) => error === 'zone' || error === 'shift').length;
  const remarks = sources.reduce((sum, source) => sum + source.remarks.length, 0);
  return [
    { id: 'remarks', title: messages.remarks.tab(formatCount(remarks)) },
    { id: 'clocks', title: off === 0 ? messages.clocks.title : messages.clocks.tab(off) },
    { id: 'rejects', title: messages.rejects.tab(formatCount(rejects.total)) },
    { id: 'names', title: messages.names.tab(formatCount(names.merged.length)) },
    {
      id: 'mechanisms',
      title: mechanisms.problem
        ? messages.mechanisms.tabProblem
        : mechanisms.in_use === 'own'
          ? messages.mechanisms.tabOwn
          : messages.mechanisms.tab,
    },
  ];
}

interface Remark {
  readonly source: string;
  readonly text: string;
}

function Remarks({ sources }: { readonly sources: readonly SourceInfo[] }) {
  const short = shortNames(sources);
  const rows = sources.flatMap((source) => source.remarks.map((text): Remark => ({ source: short(source), text })));
  return (
    <DataTable<Remark>
      label={messages.remarks.title}
      columns={remarkColumns}
      rows={rows}
      keyOf={({ source, text }) => `${source} ${text}`}
      empty={messages.remarks.none}
    />
  );
}

const remarkColumns: readonly Column<Remark>[] = [
  {
    id: 'source',
    title: messages.columns.source,
    width: 'minmax(120px, 1fr)',
    cell: (row) => row.source,
    sort: (row) => row.source,
  },
  {
    id: 'text',
    title: messages.remarks.text,
    width: 'minmax(240px, 3fr)',
    cell: (row) => <span title={row.text}>{row.text}</span>,
    sort: (row) => row.text,
  },
];

const MOST_REASONS_SHOWN = 8;

function RejectTable({
  rejects,
  selectedSource,
}: {
  readonly rejects: Rejects;
  readonly selectedSource: number | null;
}) {
  const shown = selectedSource === null ? rejects.rows : rejects.rows.filter((row) => row.source_id === selectedSource);
  const cut = rejects.total > rejects.rows.length;
  const reasons = rejects.reasons.filter(({ source_id }) => selectedSource === null || source_id === selectedSource);
  return (
    <>
      {reasons.length > 1 ? (
        <p className="muted" data-testid="reject-reasons">
          {reasons
            .slice(0, MOST_REASONS_SHOWN)
            .map(({ reason, rows }) => messages.rejects.reason(formatCount(rows), reason))
            .join('; ')}
        </p>
      ) : null}
      <DataTable<Reject>
        label={messages.rejects.title}
        columns={rejectColumns}
        rows={shown}
        keyOf={(row) => `${row.source_id} ${row.file} ${row.at} ${row.reason}`}
        empty={
          cut
            ? messages.rejects.noneInFirst(formatCount(rejects.rows.length))
            : selectedSource === null
              ? messages.rejects.none
              : messages.rejects.noneHere
        }
      />
    </>
  );
}

const total = (rows: Readonly<Record<string, number>>): number =>
  Object.values(rows).reduce((sum, count) => sum + count, 0);
/** Whether times of day of these data sources need a date. */
function spansDays(sources: readonly SourceInfo[], format: TimeFormat): boolean {
  const days = sources.flatMap(({ first_ns, last_ns }) =>
    [first_ns, last_ns].flatMap((time) => (time === null ? [] : [formatDate(nanos(time), format)])),
  );
  return format.mode !== 'relative' && new Set(days).size > 1;
}

/** The name without the folders that all share; its end distinguishes data sources. */
function shortNames(sources: readonly SourceInfo[]): (source: SourceInfo) => string {
  const folders = sources.map(({ name }) => name.split('/').slice(0, -1));
  let common = 0;
  while (
    folders.length > 1 &&
    folders.every((parts) => parts[common] !== undefined && parts[common] === folders[0]?.[common])
  )
    common++;
  return ({ name }) => name.split('/').slice(common).join('/');
}

function sourceColumns(sources: readonly SourceInfo[], format: TimeFormat): readonly Column<SourceInfo>[] {
  const dated = spansDays(sources, format);
  const short = shortNames(sources);
  const time = (value: bigint | null) =>
    value === null
      ? messages.unknown
      : dated
        ? `${formatDate(nanos(value), format)} ${formatTime(nanos(value), format, 0)}`
        : formatTime(nanos(value), format);
  return [
    {
      id: 'name',
      title: messages.columns.source,
      width: 'minmax(100px, 2fr)',
      cell: (row) => <span title={`${row.name}\n${row.digest}`}>{short(row)}</span>,
      sort: (row) => row.name,
      sheet: { cell: (row) => row.name },
    },
    {
      id: 'format',
      title: messages.columns.format,
      width: 'minmax(76px, 1fr)',
      optional: true,
      cell: (row) => row.format,
      sort: (row) => row.format,
    },
    {
      id: 'first',
      title: messages.columns.first(zoneName(format.mode)),
      width: dated ? '136px' : '92px',
      cell: (row) => time(row.first_ns),
      sort: (row) => row.first_ns ?? 0n,
      instant: (row) => (row.first_ns === null ? null : nanos(row.first_ns)),
    },
    {
      id: 'last',
      title: messages.columns.last,
      width: dated ? '136px' : '84px',
      cell: (row) => time(row.last_ns),
      sort: (row) => row.last_ns ?? 0n,
      instant: (row) => (row.last_ns === null ? null : nanos(row.last_ns)),
    },
    {
      id: 'clock',
      title: messages.columns.clock,
      width: '112px',
      cell: (row) =>
        row.clock_offset_ns === 0n && row.clock_uncertainty_ns === 0n ? (
          <span className="muted">{messages.clocks.notSet}</span>
        ) : (
          <span title={messages.clocks.shownTitle(formatOffset(Number(row.clock_offset_ns), 3))}>{clockText(row)}</span>
        ),
      sort: (row) => row.clock_offset_ns,
    },
    {
      id: 'rows',
      title: messages.columns.rows,
      width: 'minmax(100px, 3fr)',
      cell: (row) => <span title={formatRows(row.rows)}>{formatRows(row.rows) || messages.columns.none}</span>,
      sort: (row) => total(row.rows),
      sheet: { cell: (row) => total(row.rows) },
    },
    {
      id: 'entities',
      title: messages.columns.entities,
      width: 'minmax(90px, 1.5fr)',
      optional: true,
      cell: (row) => <span title={entityText(row)}>{entityText(row) || messages.columns.noEntities}</span>,
      sort: (row) => total(row.entities),
    },
    ...figures,
  ];
}

const figures: readonly Column<SourceInfo>[] = [
  {
    id: 'rejects',
    title: messages.columns.rejects,
    numeric: true,
    width: '48px',
    cell: (row) => formatCount(row.rejects),
    sort: (row) => row.rejects,
    sheet: { cell: (row) => row.rejects },
  },
  {
    id: 'bytes',
    title: messages.columns.size,
    numeric: true,
    width: '60px',
    optional: true,
    cell: (row) => formatBytes(row.bytes),
    sort: (row) => row.bytes,
    sheet: { name: messages.columns.sizeSheet, cell: (row) => row.bytes },
  },
];

const entityText = ({ entities }: SourceInfo): string =>
  Object.entries(entities)
    .map(([kind, count]) => `${formatCount(count)} ${kind}`)
    .join(', ');

const rejectColumns: readonly Column<Reject>[] = [
  {
    id: 'file',
    title: messages.columns.file,
    width: 'minmax(120px, 1fr)',
    cell: (row) => row.file,
    sort: (row) => row.file,
  },
  { id: 'at', title: messages.columns.at, numeric: true, width: '104px', cell: (row) => row.at, sort: (row) => row.at },
  {
    id: 'reason',
    title: messages.columns.reason,
    width: 'minmax(160px, 1.5fr)',
    cell: (row) => <span title={row.reason}>{row.reason}</span>,
    sort: (row) => row.reason,
  },
  {
    id: 'excerpt',
    title: messages.columns.excerpt,
    width: 'minmax(160px, 2fr)',
    cell: (row) => <code title={row.excerpt}>{row.excerpt}</code>,
  },
];
