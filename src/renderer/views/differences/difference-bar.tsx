import type { Region } from '../../../model/contract/index.ts';
import { nanos } from '../../../model/time.ts';
import { formatDate, formatDuration, zoneName } from '../../draw/text/format-time.ts';
import { showView, useIncident } from '../../state/case-state.ts';
import {
  type BaselineChoice,
  chooseBaseline,
  chooseSlow,
  type DifferenceRequest,
  dropRegion,
  possibleBaselines,
} from '../../state/difference-request.ts';
import { setWindow, useFocus } from '../../state/focus.ts';
import { padWindow } from '../../state/time-window.ts';
import { type CaseTimeFormat, formatInstant, useTimeFormat } from '../../state/use-time-format.ts';
import { EntityChips } from '../../widgets/entity-chips.tsx';

const baselineLabels: Readonly<Record<BaselineChoice, string>> = {
  rest: 'everything else',
  before: 'as long before',
  quiet: 'ten minutes before the incident',
  beside: 'the same time, all others',
};

const originLabels: Readonly<Record<DifferenceRequest['from'], string>> = {
  brush: 'Brushed time',
  incident: 'The incident',
  chart: 'Chosen part of a chart',
};

const timeText = ({ region }: DifferenceRequest, format: CaseTimeFormat): string =>
  `${formatInstant(nanos(region.start_ns), format, 1)} - ${formatInstant(nanos(region.end_ns), format, 1)} (${formatDuration(Number(region.end_ns - region.start_ns))})`;

/** `2.1 s to 4.07 s`, `2 s and more`, `less than 30 ms`. */
export function durationText({ from, below }: NonNullable<Region['duration_ms']>): string {
  const durationLabel = (ms: number): string => formatDuration(ms * 1e6);
  if (from === null) return below === null ? 'any duration' : `less than ${durationLabel(below)}`;
  return below === null ? `${durationLabel(from)} and more` : `${durationLabel(from)} to ${durationLabel(below)}`;
}

/** What of its time a region of a chart is: `generate of service:llama-70b`, `spans of 2 s and more`, `30 things`. */
function partText({ entities, duration_ms, span_name }: Region): string {
  const [first, ...others] = entities;
  const entitiesText = others.length > 0 ? `${entities.length} things` : first;
  const spans = duration_ms === null ? null : `spans of ${durationText(duration_ms)}`;
  const named = span_name === null ? null : span_name || 'unnamed spans';
  return [[named, entitiesText].filter(Boolean).join(' of '), spans].filter(Boolean).join(', ') || 'region';
}

/** The question in one line, for what is copied. */
export function differenceRequestText(request: DifferenceRequest, format: CaseTimeFormat): string {
  const { region, choice, from } = request;
  const named = region.span_name === null ? '' : `, spans named ${region.span_name}`;
  const things = region.entities.length > 0 ? ` of ${region.entities.join(', ')}` : '';
  const slow = region.duration_ms === null ? '' : `, spans of ${durationText(region.duration_ms)}`;
  // What is copied stands alone: it says the day and the zone.
  const day = format.dated || format.mode === 'relative' ? '' : `${formatDate(nanos(region.start_ns), format)} `;
  return `${originLabels[from]} ${day}${timeText(request, format)} ${zoneName(format.mode)}${named}${things}${slow} against ${baselineLabels[choice]}`;
}

export function DifferenceBar({ request }: { readonly request: DifferenceRequest }) {
  const format = useTimeFormat();
  const incident = useIncident(useFocus((focus) => focus.incident));
  const { region, choice, from } = request;
  const show = () => {
    setWindow(padWindow({ startNs: nanos(region.start_ns), endNs: nanos(region.end_ns) }, 0.5));
    showView('timeline');
  };
  return (
    <div className="question-bar">
      <h2>{originLabels[from]}</h2>
      <button type="button" className="link" title="Show it on the timeline" onClick={show}>
        {timeText(request, format)}
      </button>
      {from === 'chart' ? (
        <button
          type="button"
          className="chip"
          aria-label={`Leave this region: ${partText(region)}`}
          title={region.entities.join('\n')}
          onClick={dropRegion}
        >
          {partText(region)} ×
        </button>
      ) : (
        <EntityChips entities={region.entities} />
      )}
      <label>
        <span className="muted">against</span>
        <select value={choice} onChange={(event) => chooseBaseline(event.target.value as BaselineChoice)}>
          {possibleBaselines(region, incident).map((one) => (
            <option key={one} value={one}>
              {baselineLabels[one]}
            </option>
          ))}
        </select>
      </label>
      {from === 'chart' && region.duration_ms !== null ? null : <SlowerThan value={region.duration_ms?.from ?? null} />}
    </div>
  );
}

function SlowerThan({ value }: { readonly value: number | null }) {
  const applySlowerThan = (text: string): void => {
    const ms = Number(text);
    chooseSlow(text.trim() === '' || !(ms > 0) ? null : ms);
  };
  return (
    <label title="Slow spans against the rest: only spans that took so long, and nothing but spans">
      <span className="muted">spans from</span>
      <input
        key={value}
        className="slower-than"
        inputMode="decimal"
        aria-label="Only spans that took at least so many milliseconds"
        placeholder="any"
        defaultValue={value ?? ''}
        onBlur={(event) => {
          if (Number(event.target.value || 0) !== (value ?? 0)) applySlowerThan(event.target.value);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') applySlowerThan(event.currentTarget.value);
        }}
      />
      <span className="muted">ms</span>
    </label>
  );
}
