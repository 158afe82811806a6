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
import { useCase, useIncident } from '../../state/case-state.ts';
import { useFocus } from '../../state/focus.ts';
import { copyText } from '../../state/toasts.ts';
import { setTraces } from '../../state/traces.ts';
import { useSettledWindow } from '../../state/use-settled-window.ts';
import { formatInstant, useTimeFormat } from '../../state/use-time-format.ts';
import { ProblemNote } from '../../widgets/problem-note.tsx';
import { Progress } from '../../widgets/progress.tsx';
import { FlameChanges } from './flame-changes.tsx';
import { FlameGraph } from './flame-graph.tsx';
import { type FlameQuery, type FlameWalk, useFlame } from './use-flame.ts';

/** Before an incident, as far back as the correlator's baseline reaches by default. */
const BASELINE_NS = 600_000_000_000n;

/** The window on screen, or the incident beside the time before it. */
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
  const revision = useCase((state) => state.revision);
  const { flame, walk, problem, slow, retry, stop, walkOn } = useFlame(requested, revision);
  const isUnwritable = problem?.code === 'case.read_only' && flame !== undefined;
  return (
    <section className="flame-view" aria-label="Flame graph">
      {problem && !isUnwritable ? <ProblemNote problem={problem} what="The flame graph" onRetry={retry} /> : null}
      {isUnwritable && flame.share < 1 ? (
        <p className="trace-slow muted">
          An estimate: the paths of all traces are kept in the case, and this one cannot be written to.
        </p>
      ) : null}
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
  /** What is on screen is enough; undefined: there is nothing yet, and leaving the graph ends the walk. */
  readonly onStop: (() => void) | undefined;
  readonly onWalk: () => void;
  readonly isAdding: boolean;
  readonly isEstimate: boolean;
}

function Walk({ walk, onStop, onWalk, isAdding, isEstimate }: WalkProps) {
  if (walk.kind === 'walking' && walk.done < walk.total) {
    const words = `Walking over all traces, once for this case: ${formatCount(walk.done)} of ${formatCount(walk.total)} spans`;
    return (
      <div className="trace-slow">
        <Progress label={words} done={walk.done} total={walk.total} />
        <button type="button" onClick={onStop ?? (() => setTraces({ tab: 'list' }))}>
          {onStop ? 'Keep the estimate' : 'Cancel'}
        </button>
      </div>
    );
  }
  if (walk.kind === 'stopped' && isEstimate)
    return (
      <div className="trace-slow">
        <span className="muted">This is an estimate from some of the traces.</span>
        <button type="button" onClick={onWalk}>
          Walk over all
        </button>
      </div>
    );
  return isAdding ? (
    <div className="trace-slow">
      <Progress label="Adding up" />
      <button type="button" onClick={() => setTraces({ tab: 'list' })}>
        Cancel
      </button>
    </div>
  ) : null;
}

interface Compare {
  readonly isOn: boolean;
  /** Of the selected incident; null: none is selected. */
  readonly service: string | null;
  readonly set: (compare: boolean) => void;
}

interface FlameOfProps {
  readonly flame: Flame;
  /** The graph is of whole slices; what differs is asked of this. */
  readonly requested: Flame['window'];
  readonly compare: Compare;
}

function FlameOf({ flame, requested, compare }: FlameOfProps) {
  const [order, setOrder] = useState<FlameOrder>('time');
  const [selectedDepth, setSelectedDepth] = useState<number | null>(null);
  const byTime = useMemo(() => flameByTime(flame), [flame]);
  const bySelf = useMemo(() => flameBySelfTime(flame), [flame]);
  const roots = order === 'time' ? byTime : bySelf;
  const all = flame.all_ms;
  const share = selectedDepth ?? defaultFlameShare(roots, all);
  const isCompared = flame.baseline !== null;
  return (
    <>
      <div className="trace-bar">
        <fieldset className="segments" aria-label="What is on top of what">
          {(['time', 'self'] as const).map((each) => (
            <button key={each} type="button" aria-pressed={order === each} onClick={() => setOrder(each)}>
              {each === 'time' ? 'By time' : 'By self time'}
            </button>
          ))}
        </fieldset>
        <label>
          Hide below{' '}
          <select
            aria-label="Hide boxes below"
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
        <p className="empty muted">No span begins in this window. Zoom out, or fit all data with F.</p>
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
    <label title={compare.service === null ? 'Select an incident first (top left, or Causes)' : undefined}>
      <input
        type="checkbox"
        checked={compare.isOn}
        disabled={compare.service === null}
        onChange={(event) => compare.set(event.target.checked)}
      />{' '}
      incident against before{compare.service === null ? ' (no incident selected)' : ''}
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
    `${formatInstant(nanos(start_ns), format, 1)} to ${formatInstant(nanos(end_ns), format, 1)}`;
  const before = baseline ? `, beside ${span(baseline)} for as many requests` : '';
  const rare = hidden > 0 ? `; ${formatCount(hidden)} small paths left out (${lengthOf(hidden_ms)} in all)` : '';
  const which = share < 1 ? `Estimated from ${sampleText(share)}: spans that begin` : 'Every span that begins';
  const width =
    order === 'time'
      ? 'the time spent in it and in what it calls'
      : 'its own time, with the callers for whom it was spent below';
  return `${which} from ${span(window)}${before}, in whole slices of 1.1 s; a box is as wide as ${width}${rare}.`;
}

interface CopyFlameProps {
  readonly flame: Flame;
  readonly roots: readonly FlameNode[];
  readonly all: number;
}

function CopyFlame({ flame, roots, all }: CopyFlameProps) {
  return (
    <>
      <button type="button" className="plain" onClick={() => void copyText(flameJson(flame, roots), 'JSON')}>
        Copy JSON
      </button>
      <button
        type="button"
        className="plain"
        onClick={() => void copyText(flameMarkdown(flame, roots, all), 'Markdown')}
      >
        Copy Markdown
      </button>
    </>
  );
}
