import type { SourceInfo } from '../../../model/contract/index.ts';
import { type ClockEstimateView, clockEstimateText } from '../../../model/incident/clock-estimate.ts';
import { clockText } from '../../draw/text/format-clock.ts';
import { showView } from '../../state/case-state.ts';
import { draftSupposition } from '../../state/what-if.ts';
import { type Column, DataTable } from '../../widgets/data-table.tsx';
import { messages } from './messages.ts';

interface ClockTableProps {
  readonly clocks: readonly ClockEstimateView[];
  readonly sources: readonly SourceInfo[];
  /** Number of the selected data source; null: all. */
  readonly selectedSource: number | null;
  readonly onSelect: (source: number | null) => void;
}

/** Clock offset of each data source, with its uncertainty and its evidence. */
export function ClockTable({ clocks, sources, selectedSource, onSelect }: ClockTableProps) {
  const timed = new Set(sources.filter(({ first_ns }) => first_ns !== null).map(({ source_id }) => source_id));
  const withEvents = new Set(sources.filter(({ rows }) => (rows.event ?? 0) > 0).map(({ source_id }) => source_id));
  const shown = clocks.filter(({ file_id }) =>
    selectedSource === null ? timed.has(file_id) : file_id === selectedSource && timed.has(selectedSource),
  );
  const [only] = shown.length === 1 ? shown : [];
  return (
    <div className="clocks-note">
      <DataTable<ClockEstimateView>
        label={messages.clocks.title}
        columns={columnsOf(shown, withEvents)}
        rows={shown}
        keyOf={({ source_id }) => String(source_id)}
        selected={selectedSource === null ? null : String(selectedSource)}
        onSelect={({ file_id }) => onSelect(file_id === selectedSource ? null : file_id)}
        empty={emptyText(timed, selectedSource)}
      />
      {selectedSource !== null && only ? <p className="clock-words">{clockEstimateText(only)}.</p> : null}
    </div>
  );
}

function emptyText(timed: ReadonlySet<number>, selectedSource: number | null): string {
  if (timed.size === 0) return messages.clocks.noTimes;
  if (selectedSource !== null && !timed.has(selectedSource)) return messages.clocks.noTimesHere;
  return messages.clocks.noImpact;
}

const states: Readonly<Record<ClockEstimateView['method'], string>> = {
  reference: messages.clocks.reference,
  given: messages.clocks.given,
  linked_pairs: messages.clocks.estimated,
  unknown: messages.unknown,
};

const errorOf = ({ error, perhaps_ns }: ClockEstimateView): string | null => {
  if (perhaps_ns !== null) return messages.clocks.zoneQuestion;
  return error === 'zone' ? messages.clocks.zone : error === 'shift' ? messages.clocks.shifted : null;
};
const stateText = (clock: ClockEstimateView): string =>
  [states[clock.method], errorOf(clock)].filter((word) => word !== null).join(', ');

/** The state as one word; a wrong time zone or a shift is highlighted. */
function State({ clock }: { readonly clock: ClockEstimateView }) {
  const wrong = errorOf(clock);
  return (
    <>
      <span className={clock.method === 'unknown' ? 'muted' : ''}>{states[clock.method]}</span>
      {wrong === null ? null : <span className="caution"> ▲ {wrong}</span>}
    </>
  );
}

/** An unknown clock is not a correct clock. */
const offsetText = (clock: ClockEstimateView): string => {
  const { offset_ns, perhaps_ns, uncertainty_ns, method } = clock;
  if (method === 'reference' && offset_ns === 0n) return messages.clocks.zero;
  const text = clockText({ clock_offset_ns: offset_ns, clock_uncertainty_ns: uncertainty_ns });
  if (perhaps_ns !== null)
    return messages.clocks.perhaps(clockText({ clock_offset_ns: offset_ns + perhaps_ns, clock_uncertainty_ns: 0n }));
  return method === 'unknown' ? messages.clocks.assumed(text) : text;
};

/** Opens the what-if form in Causes, where its result appears. */
export function supposeClock(source: number): void {
  showView('causes');
  draftSupposition({ kind: 'clock', source: String(source) });
}

/** Columns without any value are hidden. */
function columnsOf(
  clocks: readonly ClockEstimateView[],
  withEvents: ReadonlySet<number>,
): readonly Column<ClockEstimateView>[] {
  return [
    {
      id: 'name',
      title: messages.columns.source,
      width: 'minmax(110px, 1fr)',
      cell: ({ name }) => <span title={name}>{name}</span>,
      sort: ({ name }) => name,
    },
    {
      id: 'state',
      title: messages.columns.state,
      width: '128px',
      cell: (clock) => <State clock={clock} />,
      sort: ({ method }) => method,
      sheet: { cell: stateText },
    },
    {
      id: 'offset',
      title: messages.clocks.correction,
      width: '152px',
      cell: (clock) => <span title={messages.clocks.correctionTitle}>{offsetText(clock)}</span>,
      sort: ({ offset_ns }) => offset_ns,
    },
    ...(clocks.some(({ drift_ppm }) => drift_ppm !== null) ? [drift] : []),
    {
      id: 'pairs',
      title: messages.clocks.pairs,
      width: '32px',
      numeric: true,
      cell: ({ pairs }) => <span title={messages.clocks.pairsTitle}>{pairs}</span>,
      sort: ({ pairs }) => pairs,
    },
    {
      id: 'remark',
      title: messages.clocks.evidence,
      width: 'minmax(160px, 4fr)',
      cell: ({ remark }) => <span title={remark}>{remark}</span>,
      sort: ({ remark }) => remark,
    },
    {
      id: 'act',
      title: messages.clocks.whatIf,
      width: '52px',
      cell: ({ source_id, name }) =>
        withEvents.has(source_id) ? <WhatIfClock source={source_id} name={name} /> : null,
      sheet: null,
    },
  ];
}

const drift: Column<ClockEstimateView> = {
  id: 'drift',
  title: messages.clocks.drift,
  width: '60px',
  numeric: true,
  cell: ({ drift_ppm }) => (drift_ppm === null ? '' : messages.clocks.ppm(Number(drift_ppm.toPrecision(2)))),
  sort: ({ drift_ppm }) => drift_ppm ?? 0,
};

function WhatIfClock({ source, name }: { readonly source: number; readonly name: string }) {
  return (
    <button
      type="button"
      className="link"
      aria-label={messages.clocks.whatIfLabel(name)}
      title={messages.clocks.whatIfTitle}
      onClick={(event) => {
        event.stopPropagation();
        supposeClock(source);
      }}
    >
      {messages.clocks.whatIfButton}
    </button>
  );
}
