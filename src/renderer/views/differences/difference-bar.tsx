import type { Region } from '../../../model/contract/index.ts';
import { nanos } from '../../../model/time.ts';
import { formatDate, formatDuration, zoneName } from '../../draw/text/format-time.ts';
import { showView } from '../../state/case-state.ts';
import {
  type BaselineChoice,
  chooseBaseline,
  chooseSlow,
  type DifferenceRequest,
  dropRegion,
  possibleBaselines,
} from '../../state/difference-request.ts';
import { setWindow, useFocus } from '../../state/focus.ts';
import { useIncident } from '../../state/known.ts';
import { padWindow } from '../../state/time-window.ts';
import { type CaseTimeFormat, formatInstant, useTimeFormat } from '../../state/use-time-format.ts';
import { EntityChips } from '../../widgets/entity-chips.tsx';
import { messages } from './messages.ts';

const baselineLabels: Readonly<Record<BaselineChoice, string>> = {
  rest: messages.baselines.rest,
  before: messages.baselines.before,
  quiet: messages.baselines.quiet,
  beside: messages.baselines.beside,
};

const originLabels: Readonly<Record<DifferenceRequest['from'], string>> = {
  brush: messages.origins.brush,
  incident: messages.origins.incident,
  chart: messages.origins.chart,
};

const timeText = ({ region }: DifferenceRequest, format: CaseTimeFormat): string =>
  `${formatInstant(nanos(region.start_ns), format, 1)} - ${formatInstant(nanos(region.end_ns), format, 1)} (${formatDuration(Number(region.end_ns - region.start_ns))})`;

/** `2.1 s to 4.07 s`, `2 s and more`, `less than 30 ms`. */
export function durationText({ from, below }: NonNullable<Region['duration_ms']>): string {
  const durationLabel = (ms: number): string => formatDuration(ms * 1e6);
  if (from === null) return below === null ? messages.duration.any : messages.duration.below(durationLabel(below));
  return below === null
    ? messages.duration.from(durationLabel(from))
    : messages.duration.between(durationLabel(from), durationLabel(below));
}

/** The part of its window that a chart region covers: `generate of service:llama-70b`, `spans of 2 s and more`, `30 entities`. */
function partText({ entities, duration_ms, span_name }: Region): string {
  const [first, ...others] = entities;
  const entitiesText = others.length > 0 ? messages.part.entities(entities.length) : first;
  const spans = duration_ms === null ? null : messages.part.spans(durationText(duration_ms));
  const named = span_name === null ? null : span_name || messages.part.unnamed;
  return (
    [[named, entitiesText].filter(Boolean).join(messages.part.of), spans].filter(Boolean).join(', ') ||
    messages.part.region
  );
}

/** The request in one line, for copied text. */
export function differenceRequestText(request: DifferenceRequest, format: CaseTimeFormat): string {
  const { region, choice, from } = request;
  const named = region.span_name === null ? '' : messages.copied.named(region.span_name);
  const ofEntities = region.entities.length > 0 ? messages.copied.entities(region.entities.join(', ')) : '';
  const slow = region.duration_ms === null ? '' : messages.copied.duration(durationText(region.duration_ms));
  // Copied text has no context, so it includes the date and the zone.
  const day = format.dated || format.mode === 'relative' ? '' : `${formatDate(nanos(region.start_ns), format)} `;
  return messages.copied.request(
    `${originLabels[from]} ${day}${timeText(request, format)} ${zoneName(format.mode)}${named}${ofEntities}${slow}`,
    baselineLabels[choice],
  );
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
    <div className="difference-bar">
      <h2>{originLabels[from]}</h2>
      <button type="button" className="link" title={messages.bar.showTime} onClick={show}>
        {timeText(request, format)}
      </button>
      {from === 'chart' ? (
        <button
          type="button"
          className="chip"
          aria-label={messages.bar.removeRegion(partText(region))}
          title={region.entities.join('\n')}
          onClick={dropRegion}
        >
          {partText(region)} ×
        </button>
      ) : (
        <EntityChips entities={region.entities} />
      )}
      <label>
        <span className="muted">{messages.bar.baseline}</span>
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
    <label title={messages.bar.slowTitle}>
      <span className="muted">{messages.bar.slow}</span>
      <input
        key={value}
        className="slower-than"
        inputMode="decimal"
        aria-label={messages.bar.slowLabel}
        placeholder={messages.bar.any}
        defaultValue={value ?? ''}
        onBlur={(event) => {
          if (Number(event.target.value || 0) !== (value ?? 0)) applySlowerThan(event.target.value);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') applySlowerThan(event.currentTarget.value);
        }}
      />
      <span className="muted">{messages.bar.ms}</span>
    </label>
  );
}
