import type { CaseInfo } from '../../model/contract/index.ts';
import type { ClockEstimateView } from '../../model/incident/clock-estimate.ts';
import { clockText } from '../draw/text/format-clock.ts';
import { datedWithin, formatOffset, formatTime, type TimeMode, zoneName } from '../draw/text/format-time.ts';
import { formatRows } from '../draw/text/format-value.ts';
import { showKeys, showSources, useCase } from '../state/case-state.ts';
import { useFocus } from '../state/focus.ts';
import { useClocks, useInfo } from '../state/known.ts';
import { prefer, type Theme, usePreferences } from '../state/preferences.ts';
import { spanOf } from '../state/time-window.ts';
import { useTimeFormat } from '../state/use-time-format.ts';
import { showWhatIf, useWhatIf } from '../state/what-if.ts';
import { Menu } from '../widgets/menu.tsx';
import { messages } from './messages/window.ts';

export function StatusBar() {
  const info = useInfo();
  const queryMs = useCase((state) => state.queryMs);
  return (
    <footer className="status-bar">
      <Cursor />
      {info ? <span className="muted">{rowsText(info)}</span> : null}
      {queryMs === null ? null : (
        <span className="muted status-query">
          {messages.status.query(queryMs < 10 ? queryMs.toFixed(1) : `${Math.round(queryMs)}`)}
        </span>
      )}
      {info ? <Clocks info={info} /> : null}
      <Supposed />
      <span className="spring" />
      <TimeModeSwitch />
      <ThemeSwitch />
      <button type="button" className="plain" title={messages.status.keysTitle} onClick={() => showKeys(true)}>
        {messages.status.keys}
      </button>
    </footer>
  );
}

function Cursor() {
  const at = useFocus((focus) => focus.cursor ?? focus.playhead);
  const hovering = useFocus((focus) => focus.cursor !== null);
  const onset = useFocus((focus) => focus.onset);
  const length = useFocus((focus) => spanOf(focus.window));
  const format = datedWithin(length, useTimeFormat());
  return (
    <span className="status-cursor">
      <span className="muted">{hovering ? messages.status.cursor : messages.status.playhead}</span>{' '}
      <time data-testid="playhead-time">{at === null ? messages.status.notSet : formatTime(at, format)}</time>
      {at !== null && onset !== null && format.mode !== 'relative' ? (
        <span className="muted"> {messages.status.onset(formatOffset(Number(at - onset)))}</span>
      ) : null}
    </span>
  );
}

const rowsText = (info: CaseInfo): string =>
  [
    formatRows(info.rows, ['span', 'event', 'point', 'log']),
    `${info.sources.length} ${info.sources.length === 1 ? messages.status.source : messages.status.sources}`,
  ]
    .filter((text) => text !== '')
    .join(', ');

/** The clock with the largest offset, manual or estimated; Sources lists all. */
function Clocks({ info }: { readonly info: CaseInfo }) {
  const estimates = useClocks();
  const known = estimates.length > 0 ? estimates.map(toSourceClock) : info.sources;
  const moved = known.filter(({ clock_offset_ns }) => clock_offset_ns !== 0n);
  const size = (value: bigint) => (value < 0n ? -value : value);
  const worst = moved.reduce<(typeof moved)[number] | undefined>(
    (best, clock) => (best && size(best.clock_offset_ns) >= size(clock.clock_offset_ns) ? best : clock),
    undefined,
  );
  const more = moved.length > 1 ? messages.status.moreClocks(moved.length - 1) : '';
  return (
    <button
      type="button"
      className="plain ellipsis clocks"
      title={messages.status.clocksTitle}
      onClick={() => showSources('clocks')}
    >
      {worst ? messages.status.clock(worst.name, `${clockText(worst)}${more}`) : noOffsetText(info, estimates)}
    </button>
  );
}

/** No offset found does not mean no offset. */
function noOffsetText({ sources }: CaseInfo, estimates: readonly ClockEstimateView[]): string {
  const supposed = estimates.find(({ perhaps_ns }) => perhaps_ns !== null);
  if (supposed) return messages.status.timeZone(supposed.name);
  const withEvents = new Set(sources.filter(({ rows }) => rows.event).map(({ source_id }) => source_id));
  const timed = estimates.filter(({ file_id }) => withEvents.has(file_id));
  if (timed.length < 2) return messages.status.clocksUnknown;
  const unknown = timed.filter(({ method }) => method === 'unknown').length;
  return unknown === 0 ? messages.status.noOffsets : messages.status.clocksPartly(unknown, timed.length);
}

const toSourceClock = ({ name, offset_ns, uncertainty_ns }: ClockEstimateView) => ({
  name,
  clock_offset_ns: offset_ns,
  clock_uncertainty_ns: uncertainty_ns,
});

/** Assumptions are visible on every screen, one click from their result. */
function Supposed() {
  const count = useWhatIf((state) => state.applied.length);
  if (count === 0) return null;
  return (
    <button type="button" className="plain supposed" title={messages.status.whatIfTitle} onClick={showWhatIf}>
      {messages.status.assumptions(count)}
    </button>
  );
}

const modes: readonly TimeMode[] = ['utc', 'local', 'relative'];

function TimeModeSwitch() {
  const mode = usePreferences((state) => state.timeMode);
  return (
    <fieldset className="switch" aria-label={messages.status.times} title={messages.status.timesTitle}>
      {modes.map((each) => (
        <button
          key={each}
          type="button"
          aria-pressed={each === mode}
          className="plain"
          onClick={() => prefer({ timeMode: each })}
        >
          {each === 'relative' ? messages.status.relative : zoneName(each)}
        </button>
      ))}
    </fieldset>
  );
}

const themes: readonly Theme[] = ['system', 'dark', 'light'];

function ThemeSwitch() {
  const theme = usePreferences((state) => state.theme);
  return (
    <Menu
      label={messages.status.themeTitle}
      testId="theme"
      side="end"
      items={themes.map((each) => ({
        id: each,
        title: messages.status.themes[each],
        ...(each === theme ? { note: messages.status.themeInUse } : {}),
        run: () => prefer({ theme: each }),
      }))}
    >
      {messages.status.theme(messages.status.themes[theme])}
    </Menu>
  );
}
