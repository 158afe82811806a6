import type { SourceInfo } from '../../../model/contract/index.ts';
import { type ClockEstimateView, clockEstimateText } from '../../../model/incident/clock-estimate.ts';
import { clockText } from '../../draw/text/format-clock.ts';
import { showView } from '../../state/case-state.ts';
import { draftSupposition } from '../../state/what-if.ts';
import { type Column, DataTable } from '../../widgets/data-table.tsx';

interface ClockTableProps {
  readonly clocks: readonly ClockEstimateView[];
  readonly sources: readonly SourceInfo[];
  /** Number of the source that is chosen; null: all. */
  readonly selectedSource: number | null;
  readonly onSelect: (source: number | null) => void;
}

/** How far each source's clock is off, how sure that is, and what tells it. */
export function ClockTable({ clocks, sources, selectedSource, onSelect }: ClockTableProps) {
  const timed = new Set(sources.filter(({ first_ns }) => first_ns !== null).map(({ source_id }) => source_id));
  const withEvents = new Set(sources.filter(({ rows }) => (rows.event ?? 0) > 0).map(({ source_id }) => source_id));
  const shown = clocks.filter(({ source_id }) =>
    selectedSource === null ? timed.has(source_id) : source_id === selectedSource && timed.has(selectedSource),
  );
  const [only] = shown;
  return (
    <div className="clocks-told">
      <DataTable<ClockEstimateView>
        label="Clocks"
        columns={columnsOf(shown, withEvents)}
        rows={shown}
        keyOf={({ source_id }) => String(source_id)}
        selected={selectedSource === null ? null : String(selectedSource)}
        onSelect={({ source_id }) => onSelect(source_id === selectedSource ? null : source_id)}
        empty={emptyText(timed, selectedSource)}
      />
      {selectedSource !== null && only ? <p className="clock-words">{clockEstimateText(only)}.</p> : null}
    </div>
  );
}

function emptyText(timed: ReadonlySet<number>, selectedSource: number | null): string {
  if (timed.size === 0) return 'No source holds times, so there is no clock to tell.';
  if (selectedSource !== null && !timed.has(selectedSource)) return 'This source holds no times.';
  return 'Clocks are told from events about an impact. None was found, so they are taken as they are.';
}

const states: Readonly<Record<ClockEstimateView['method'], string>> = {
  reference: 'reference',
  given: 'told',
  linked_pairs: 'estimated',
  unknown: 'unknown',
};

const errorOf = ({ error, perhaps_ns }: ClockEstimateView): string | null => {
  if (perhaps_ns !== null) return 'zone?';
  return error === 'zone' ? 'time zone' : error === 'shift' ? 'shifted' : null;
};
const stateText = (clock: ClockEstimateView): string =>
  [states[clock.method], errorOf(clock)].filter((word) => word !== null).join(', ');

/** The state in a word; a zone or a shift is no small thing and stands out. */
function State({ clock }: { readonly clock: ClockEstimateView }) {
  const wrong = errorOf(clock);
  return (
    <>
      <span className={clock.method === 'unknown' ? 'muted' : ''}>{states[clock.method]}</span>
      {wrong === null ? null : <span className="caution"> ▲ {wrong}</span>}
    </>
  );
}

/** An unknown clock is not one that is right. */
const offsetText = (clock: ClockEstimateView): string => {
  const { offset_ns, perhaps_ns, uncertainty_ns, method } = clock;
  if (method === 'reference' && offset_ns === 0n) return '0 s';
  const text = clockText({ clock_offset_ns: offset_ns, clock_uncertainty_ns: uncertainty_ns });
  if (perhaps_ns !== null)
    return `perhaps ${clockText({ clock_offset_ns: offset_ns + perhaps_ns, clock_uncertainty_ns: 0n })}`;
  return method === 'unknown' ? `taken as ${text}` : text;
};

/** The question stands where its answer will: in Causes. */
export function supposeClock(source: number): void {
  showView('causes');
  draftSupposition({ kind: 'clock', source: String(source) });
}

/** What nothing is known about takes no room. */
function columnsOf(
  clocks: readonly ClockEstimateView[],
  withEvents: ReadonlySet<number>,
): readonly Column<ClockEstimateView>[] {
  return [
    {
      id: 'name',
      title: 'source',
      width: 'minmax(110px, 1fr)',
      cell: ({ name }) => <span title={name}>{name}</span>,
      sort: ({ name }) => name,
    },
    {
      id: 'state',
      title: 'state',
      width: '128px',
      cell: (clock) => <State clock={clock} />,
      sort: ({ method }) => method,
      sheet: { cell: stateText },
    },
    {
      id: 'offset',
      title: 'to add to its times',
      width: '152px',
      cell: (clock) => <span title="Give or take half of the 95 % interval">{offsetText(clock)}</span>,
      sort: ({ offset_ns }) => offset_ns,
    },
    ...(clocks.some(({ drift_ppm }) => drift_ppm !== null) ? [drift] : []),
    {
      id: 'pairs',
      title: 'pairs',
      width: '32px',
      numeric: true,
      cell: ({ pairs }) => (
        <span title="Pairs of events of two sources that are linked as cause and effect">{pairs}</span>
      ),
      sort: ({ pairs }) => pairs,
    },
    {
      id: 'remark',
      title: 'what it rests on',
      width: 'minmax(160px, 4fr)',
      cell: ({ remark }) => <span title={remark}>{remark}</span>,
      sort: ({ remark }) => remark,
    },
    {
      id: 'act',
      title: 'suppose',
      width: '52px',
      cell: ({ source_id, name }) =>
        withEvents.has(source_id) ? <WhatIfClock source={source_id} name={name} /> : null,
      sheet: null,
    },
  ];
}

const drift: Column<ClockEstimateView> = {
  id: 'drift',
  title: 'drift',
  width: '60px',
  numeric: true,
  cell: ({ drift_ppm }) => (drift_ppm === null ? '' : `${Number(drift_ppm.toPrecision(2))} ppm`),
  sort: ({ drift_ppm }) => drift_ppm ?? 0,
};

function WhatIfClock({ source, name }: { readonly source: number; readonly name: string }) {
  return (
    <button
      type="button"
      className="link"
      aria-label={`What if the clock of ${name} were set otherwise`}
      title="What would the verdict be if this clock were set otherwise?"
      onClick={(event) => {
        event.stopPropagation();
        supposeClock(source);
      }}
    >
      what if…
    </button>
  );
}
