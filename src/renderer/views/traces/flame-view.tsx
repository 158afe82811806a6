import { useMemo, useState } from 'react';
import type { Flame } from '../../../model/contract/index.ts';
import { nanos } from '../../../model/time.ts';
import { formatCount } from '../../draw/text/format-value.ts';
import { flameJson, flameMarkdown, lengthOf, sampleText } from '../../draw/traces/flame-text.ts';
import {
  defaultFlameShare,
  type FlameNode,
  type FlameOrder,
  flameBySelfTime,
  flameByTime,
  flameShares,
} from '../../draw/traces/flame-tree.ts';
import { useFocus } from '../../state/focus.ts';
import { useIncident } from '../../state/known.ts';
import { copyText } from '../../state/toasts.ts';
import { setTraces } from '../../state/traces.ts';
import { useSettledWindow } from '../../state/use-settled-window.ts';
import { formatInstant, useTimeFormat } from '../../state/use-time-format.ts';
import { ProblemNote } from '../../widgets/problem-note.tsx';
import { Progress } from '../../widgets/progress.tsx';
import { FlameChanges } from './flame-changes.tsx';
import { FlameGraph } from './flame-graph.tsx';
import { FlameStructure } from './flame-structure.tsx';
import { messages } from './messages.ts';
import { structureMessages } from './structure-messages.ts';
import { type FlameQuery, type FlameWalk, useFlame } from './use-flame.ts';

/** Baseline before an incident, the default of the correlator. */
const BASELINE_NS = 600_000_000_000n;

/** The window on screen, or the incident compared with the time before it. */
function useFlameQuery(compare: boolean): FlameQuery {
  const { startNs, endNs } = useSettledWindow();
  const bounds = useFocus((focus) => focus.bounds);
  const incident = useIncident(useFocus((focus) => focus.incident));
  if (!compare || !incident) return { start_ns: startNs, end_ns: endNs, baseline: null };
  const earliest = incident.previous_ns - BASELINE_NS;
  const start_ns = earliest > bounds.startNs ? earliest : bounds.startNs;
  const { onset_ns, previous_ns, end_ns } = incident;
  return { start_ns: onset_ns, end_ns, baseline: { start_ns, end_ns: previous_ns } };
}

export function FlameView() {
  const [compare, setCompare] = useState(false);
  const incident = useIncident(useFocus((focus) => focus.incident));
  const isCompared = compare && incident !== null;
  const requested = useFlameQuery(isCompared);
  const { flame, walk, problem, slow, retry, stop, walkOn } = useFlame(requested);
  const isUnwritable = problem?.code === 'case.read_only' && flame !== undefined;
  return (
    <section className="flame-view" aria-label={messages.tabs.flame}>
      {problem && !isUnwritable ? <ProblemNote problem={problem} what={messages.flame.what} onRetry={retry} /> : null}
      {isUnwritable && flame.share < 1 ? <p className="trace-slow muted">{messages.flame.readOnly}</p> : null}
      <Walk
        walk={walk}
        onStop={flame ? stop : undefined}
        onWalk={walkOn}
        isAdding={slow}
        isEstimate={flame !== undefined && flame.share < 1}
      />
      {flame ? (
        <FlameOf
          flame={flame}
          requested={requested}
          compare={{
            isOn: isCompared,
            service: incident?.service ?? null,
            set: setCompare,
          }}
        />
      ) : null}
    </section>
  );
}

interface WalkProps {
  readonly walk: FlameWalk;
  /** The graph on screen is sufficient; undefined: there is none yet, and leaving the view cancels the computation. */
  readonly onStop: (() => void) | undefined;
  readonly onWalk: () => void;
  readonly isAdding: boolean;
  readonly isEstimate: boolean;
}

function Walk({ walk, onStop, onWalk, isAdding, isEstimate }: WalkProps) {
  if (walk.kind === 'walking' && walk.done < walk.total) {
    const words = messages.flame.walking(formatCount(walk.done), formatCount(walk.total));
    return (
      <div className="trace-slow">
        <Progress label={words} done={walk.done} total={walk.total} />
        <button type="button" onClick={onStop ?? (() => setTraces({ tab: 'list' }))}>
          {onStop ? messages.flame.keepEstimate : messages.cancel}
        </button>
      </div>
    );
  }
  if (walk.kind === 'stopped' && isEstimate)
    return (
      <div className="trace-slow">
        <span className="muted">{messages.flame.estimate}</span>
        <button type="button" onClick={onWalk}>
          {messages.flame.readAll}
        </button>
      </div>
    );
  return isAdding ? (
    <div className="trace-slow">
      <Progress label={messages.flame.summing} />
      <button type="button" onClick={() => setTraces({ tab: 'list' })}>
        {messages.cancel}
      </button>
    </div>
  ) : null;
}

interface Compare {
  readonly isOn: boolean;
  /** Service of the selected incident; null: none is selected. */
  readonly service: string | null;
  readonly set: (compare: boolean) => void;
}

interface FlameOfProps {
  readonly flame: Flame;
  /** The requested window, for Differences; the graph itself covers whole slices. */
  readonly requested: Flame['window'];
  readonly compare: Compare;
}

function FlameOf({ flame, requested, compare }: FlameOfProps) {
  const [picture, setPicture] = useState<FlameOrder | 'changes'>('time');
  const [selectedDepth, setSelectedDepth] = useState<number | null>(null);
  const byTime = useMemo(() => flameByTime(flame), [flame]);
  const bySelf = useMemo(() => flameBySelfTime(flame), [flame]);
  const isCompared = flame.baseline !== null;
  const isTree = isCompared && picture === 'changes';
  const order = picture === 'changes' ? 'time' : picture;
  const roots = order === 'time' ? byTime : bySelf;
  const all = flame.all_ms;
  const share = selectedDepth ?? defaultFlameShare(roots, all);
  return (
    <>
      <div className="trace-bar">
        <fieldset className="segments" aria-label={messages.flame.orderLabel}>
          {(['time', 'self', ...(isCompared ? (['changes'] as const) : [])] as const).map((each) => (
            <button
              key={each}
              type="button"
              aria-pressed={(isTree ? 'changes' : order) === each}
              onClick={() => setPicture(each)}
            >
              {each === 'time' ? messages.byTime : each === 'self' ? messages.bySelf : structureMessages.tab}
            </button>
          ))}
        </fieldset>
        <label>
          {messages.flame.hideBelow}{' '}
          <select
            aria-label={messages.flame.hideBelowLabel}
            value={share}
            onChange={(event) => setSelectedDepth(Number(event.target.value))}
          >
            {flameShares.map((each) => (
              <option key={each} value={each}>
                {each * 100} %
              </option>
            ))}
          </select>
        </label>
        <CompareToggle compare={compare} />
        <span className="spring" />
        <CopyFlame flame={flame} roots={roots} all={all} />
      </div>
      <p className="flame-window muted" data-testid="flame-window">
        <WindowText flame={flame} order={order} />
      </p>
      {all === 0 ? (
        <p className="empty muted">{messages.flame.none}</p>
      ) : isTree ? (
        <FlameStructure roots={byTime} />
      ) : (
        <div className="flame-and-changes">
          <FlameGraph key={order} window={requested} {...{ roots, order, share, all, isCompared }} />
          {isCompared ? <FlameChanges window={requested} nodes={bySelf} all={all} /> : null}
        </div>
      )}
    </>
  );
}

function CompareToggle({ compare }: { readonly compare: Compare }) {
  return (
    <label title={compare.service === null ? messages.flame.selectIncident : undefined}>
      <input
        type="checkbox"
        checked={compare.isOn}
        disabled={compare.service === null}
        onChange={(event) => compare.set(event.target.checked)}
      />{' '}
      {messages.flame.compare(compare.service !== null)}
    </label>
  );
}

interface WindowTextProps {
  readonly flame: Flame;
  readonly order: FlameOrder;
}

function WindowText({ flame: { window, baseline, share, hidden, hidden_ms }, order }: WindowTextProps) {
  const format = useTimeFormat();
  const span = ({ start_ns, end_ns }: Flame['window']): string =>
    messages.flame.range(formatInstant(nanos(start_ns), format, 1), formatInstant(nanos(end_ns), format, 1));
  const before = baseline ? messages.flame.comparedWith(span(baseline)) : '';
  const rare = hidden > 0 ? messages.flame.rare(formatCount(hidden), lengthOf(hidden_ms)) : '';
  const which = share < 1 ? messages.flame.estimated(sampleText(share)) : messages.flame.exact;
  const width = order === 'time' ? messages.flame.timeWidth : messages.flame.selfWidth;
  return messages.flame.about(which, span(window), before, width, rare);
}

interface CopyFlameProps {
  readonly flame: Flame;
  readonly roots: readonly FlameNode[];
  readonly all: number;
}

function CopyFlame({ flame, roots, all }: CopyFlameProps) {
  return (
    <>
      <button type="button" className="plain" onClick={() => void copyText(flameJson(flame, roots), messages.json)}>
        {messages.copyJsonButton}
      </button>
      <button
        type="button"
        className="plain"
        onClick={() => void copyText(flameMarkdown(flame, roots, all), messages.markdown)}
      >
        {messages.copyMarkdownButton}
      </button>
    </>
  );
}
