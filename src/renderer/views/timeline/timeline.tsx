import { createRef, useEffect, useRef, useState } from 'react';
import type { IncidentView } from '../../../model/contract/index.ts';
import { zoneName } from '../../draw/text/format-time.ts';
import { formatCount } from '../../draw/text/format-value.ts';
import type { OverviewData } from '../../draw/timeline/overview-chart.ts';
import type { LaneEntry } from '../../draw/timeline/scene.ts';
import { useCase } from '../../state/case-state.ts';
import { useLanesAnswer } from '../../state/conclusions.ts';
import { useFocus } from '../../state/focus.ts';
import { showHiddenLanes } from '../../state/hidden-lanes.ts';
import { useHover } from '../../state/hovering.ts';
import { useIncidents, useInfo, useLanes } from '../../state/known.ts';
import { prefer, usePreferences } from '../../state/preferences.ts';
import { keyed } from '../../widgets/keyed.ts';
import { ProblemNote } from '../../widgets/problem-note.tsx';
import { Progress } from '../../widgets/progress.tsx';
import { Splitter } from '../../widgets/splitter.tsx';
import { BrushFigures } from './brush-figures.tsx';
import { ClockBar } from './clock-bar.tsx';
import { bringIntoView, LabelColumn } from './label-column.tsx';
import { LaneFilter } from './lane-filter.tsx';
import { LaneSkeleton } from './lane-skeleton.tsx';
import { messages } from './messages.ts';
import { Overview } from './overview.tsx';
import { RangeBar } from './range-bar.tsx';
import { type Folding, useFolding } from './use-folding.ts';
import { type StageRefs, useStage } from './use-stage.ts';
import './timeline.css';

const noIncidents: readonly IncidentView[] = [];

/** New rows create a new stage, so that no stale state remains. */
export function Timeline({ overview }: { readonly overview: OverviewData }) {
  const revision = useCase((state) => state.revision);
  return <TimelineOf key={revision} overview={overview} />;
}

function TimelineOf({ overview }: { readonly overview: OverviewData }) {
  const labelWidth = usePreferences((state) => state.labelWidth);
  const timeMode = usePreferences((state) => state.timeMode);
  const incidents = useIncidents() ?? noIncidents;
  const laneCount = useLanes().length;
  const [refs] = useState<StageRefs>(() => ({
    lanes: createRef(),
    overlay: createRef(),
    values: createRef(),
    cursor: createRef(),
    axis: createRef(),
    scroller: createRef(),
  }));
  const folding = useFolding();
  const { problem, retry, entryOf } = useStage(refs, folding.layout);
  return (
    <div className="timeline" style={{ gridTemplateColumns: `${labelWidth}px minmax(0, 1fr)` }}>
      <div className="timeline-corner muted">
        <LevelChoice />
        <LaneFilter />
      </div>
      <Overview data={overview} incidents={incidents} />
      <div className="timeline-corner muted" title={messages.axisTitle}>
        <span>{zoneName(timeMode)}</span>
        <span className="ellipsis">
          {messages.lanes.shownOf(formatCount(laneRows(folding)), formatCount(laneCount))}
        </span>
        {folding.hidden > 0 ? (
          <button type="button" className="link" title={messages.lanes.showHiddenTitle} onClick={showHiddenLanes}>
            {messages.lanes.showHidden(folding.hidden)}
          </button>
        ) : null}
      </div>
      <div className="axis">
        <canvas ref={refs.axis} role="img" aria-label={messages.axis} />
      </div>
      <Lanes refs={refs} folding={folding} entryOf={entryOf} labelWidth={labelWidth} />
      <BrushFigures layout={folding.layout} />
      <ClockBar />
      <RangeBar />
      {problem ? (
        <div className="timeline-problem">
          <ProblemNote problem={problem} what={messages.lanes.label} onRetry={retry} />
        </div>
      ) : null}
      <div className="label-splitter" style={{ left: labelWidth - 3 }}>
        <Splitter
          label={messages.lanes.width}
          orientation="vertical"
          value={labelWidth}
          min={140}
          max={480}
          onChange={(width) => prefer({ labelWidth: width })}
        />
      </div>
    </div>
  );
}

const laneRows = ({ layout }: Folding): number => layout.rows.filter(({ kind }) => kind === 'lane').length;
const levels = ['chain', 'involved', 'all'] as const;

/** How many lanes each layer shows. */
function LevelChoice() {
  const level = usePreferences((state) => state.laneLevel);
  return (
    <select
      aria-label={messages.lanes.level}
      value={level}
      onChange={({ target }) => prefer({ laneLevel: levels.find((one) => one === target.value) ?? 'involved' })}
    >
      {levels.map((one) => (
        <option key={one} value={one}>
          {messages.lanes.levels[one]}
        </option>
      ))}
    </select>
  );
}

/** Scrolls the lane of a newly selected step into view. */
function useReveal(scroller: StageRefs['scroller'], { layout, revealed }: Folding): void {
  const selected = useFocus((focus) => focus.selected);
  const done = useRef<string | null>(null);
  useEffect(() => {
    const row = revealed === null ? undefined : layout.chain.get(revealed);
    if (!row || selected === done.current) return;
    done.current = selected;
    bringIntoView(scroller.current, row);
  }, [scroller, layout, revealed, selected]);
}

interface LanesProps {
  readonly refs: StageRefs;
  readonly folding: Folding;
  readonly entryOf: (lane: string) => LaneEntry | undefined;
  readonly labelWidth: number;
}

function Lanes({ refs, folding, entryOf, labelWidth }: LanesProps) {
  useReveal(refs.scroller, folding);
  return (
    <div className="lane-scroll" ref={refs.scroller}>
      <div
        className="lane-space"
        style={{ height: folding.layout.height, gridTemplateColumns: `${labelWidth}px minmax(0, 1fr)` }}
      >
        <LabelColumn folding={folding} scroller={refs.scroller} entryOf={entryOf} />
        <div className="lane-canvas">
          <canvas ref={refs.lanes} />
          <canvas
            ref={refs.overlay}
            className="overlay"
            data-testid="timeline-canvas"
            tabIndex={0}
            aria-label={messages.canvas}
          />
          <canvas ref={refs.values} className="values" />
          <div ref={refs.cursor} className="cursor-line" />
          <Tooltip />
        </div>
      </div>
      <EmptyLanes folding={folding} />
    </div>
  );
}

function Tooltip() {
  const hover = useHover();
  if (!hover) return null;
  return (
    <div className="tooltip" role="tooltip" ref={shiftIntoView} style={{ left: hover.x + 14, top: hover.y + 14 }}>
      {keyed(hover.lines).map(({ key, value: line }) => (
        <div key={key} className={key === '0' ? '' : 'muted'}>
          {line}
        </div>
      ))}
    </div>
  );
}

/** Near an edge, the tooltip opens towards the middle. */
function shiftIntoView(element: HTMLDivElement | null): void {
  const parent = element?.parentElement;
  if (!element || !parent) return;
  const overX = element.offsetLeft + element.offsetWidth - parent.clientWidth;
  const overY =
    element.offsetTop + element.offsetHeight - (parent.querySelector('canvas')?.clientHeight ?? parent.clientHeight);
  if (overX > 0) element.style.marginLeft = `${-overX - 4}px`;
  if (overY > 0) element.style.marginTop = `${-element.offsetHeight - 28}px`;
}

function EmptyLanes({ folding }: { readonly folding: Folding }) {
  const lanes = useLanes().length;
  const { problem, retry } = useLanesAnswer();
  const search = useCase((state) => state.search);
  const rows = useInfo()?.rows;
  if (problem) return <ProblemNote problem={problem} what={messages.lanes.label} onRetry={retry} />;
  if (folding.layout.rows.length > 0) return null;
  if (search !== '') return <p className="empty muted">{messages.lanes.noMatch(search)}</p>;
  if (lanes === 0 && Object.values(rows ?? {}).some((count) => count > 0))
    return (
      <>
        <Progress label={messages.lanes.loading} />
        <LaneSkeleton />
      </>
    );
  return <p className="empty muted">{messages.lanes.none}</p>;
}
