import { useMemo, useState } from 'react';
import type { TraceGroup } from '../../../model/contract/index.ts';
import { entityKey } from '../../../model/entity.ts';
import { SERIES } from '../../draw/canvas/tokens.ts';
import { formatDuration } from '../../draw/text/format-time.ts';
import { formatCount } from '../../draw/text/format-value.ts';
import type { Places } from '../../draw/traces/trace-group-scale.ts';
import {
  type Pipeline,
  pipelineOf,
  type Stage,
  type StageBy,
  type StagePiece,
} from '../../draw/traces/trace-group-stages.ts';
import { afterText, extentOf, percent } from '../../draw/traces/trace-group-text.ts';
import type { ActionTarget } from '../../state/action-menu.ts';
import { showDifferences } from '../../state/difference-request.ts';
import { withActions } from '../../widgets/action-menu.tsx';
import { TabList } from '../../widgets/tab-list.tsx';
import { messages } from './messages.ts';
import { TraceStagesBefore } from './trace-stages-before.tsx';

const ways = [
  { id: 'service', title: messages.stages.byService },
  { id: 'trace', title: messages.stages.byTrace },
] as const;

interface TraceGroupStagesProps {
  readonly traceGroup: TraceGroup;
  readonly places: Places;
  readonly onShow: (span: number) => void;
}

/** The trace group as a pipeline: the active stages on the critical path, and the waits between them. */
export function TraceGroupStages({ traceGroup, places, onShow }: TraceGroupStagesProps) {
  const [by, setBy] = useState<StageBy>(traceGroup.traces.length > 1 ? 'trace' : 'service');
  const pipeline = useMemo(() => pipelineOf(traceGroup, by, places), [traceGroup, by, places]);
  const { from_ns, until_ns } = useMemo(() => extentOf(traceGroup), [traceGroup]);
  const total = Math.max(until_ns - from_ns, 1);
  const show = (stage: Stage) => onShow(Math.max(traceGroup.start_ns.indexOf(stage.start_ns), 0));
  return (
    <div className="trace-detail-panel trace-detail-stages">
      <TraceStagesBefore traceGroup={traceGroup} />
      <div className="trace-detail-bar">
        <TabList label={messages.tabs.stages} tabs={ways} selected={by} onSelect={setBy} />
        {places.idle.length > 0 ? <span className="muted">{messages.stages.shortIdle}</span> : null}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by keyboard */}
      <section className="stage-scroll" aria-label={messages.stages.table} tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">{messages.stages.stage}</th>
              <th scope="col" className="number">
                {messages.path.start}
              </th>
              <th scope="col" className="number">
                {messages.path.onPath}
              </th>
              <th scope="col" className="number">
                {messages.path.share}
              </th>
              <th scope="col" className="number">
                {messages.stages.waitBefore}
              </th>
              <th scope="col" className="number">
                {messages.spans}
              </th>
              <th scope="col" className="number">
                {messages.stages.failed}
              </th>
              <th scope="col" className="stage-lane">
                <PipelineBar pipeline={pipeline} />
              </th>
            </tr>
          </thead>
          <tbody>
            {pipeline.stages.map((stage) => (
              <tr key={`${stage.title} ${stage.start_ns}`} data-testid="stage">
                <th scope="row">
                  <button
                    type="button"
                    className="link"
                    onClick={() => show(stage)}
                    {...withActions(() => targetOf(traceGroup, stage, show))}
                  >
                    <span className={`stage-swatch series-${(stage.series % SERIES) + 1}`} aria-hidden="true" />
                    {stage.title}
                  </button>
                </th>
                <td className="number">{afterText(stage.start_ns - from_ns, total)}</td>
                <td className="number">{formatDuration(stage.path_ns)}</td>
                <td className="number">{percent(stage.path_ns / total)}</td>
                <td className="number">{stage.wait_ns > 0 ? formatDuration(stage.wait_ns) : ''}</td>
                <td className="number">{formatCount(stage.spans)}</td>
                <td className="number">{stage.errors > 0 ? `▲ ${formatCount(stage.errors)}` : ''}</td>
                <td className="stage-lane">
                  <Lane pieces={stage.busy} className={`series-${(stage.series % SERIES) + 1}`} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </div>
  );
}

/** Actions of a stage. Its region is the records of its service while its spans ran. */
function targetOf({ origin_ns }: TraceGroup, stage: Stage, show: (stage: Stage) => void): ActionTarget {
  const { title, service, start_ns, until_ns } = stage;
  return {
    label: title,
    actions: [
      { id: 'show', title: messages.stages.showFirst, keys: 'Enter', run: () => show(stage) },
      {
        id: 'differs',
        title: messages.stages.differences,
        keys: 'U',
        disabled: origin_ns === null || service === null,
        run: () => {
          if (origin_ns === null || service === null) return;
          const at = (ns: number): bigint => origin_ns + BigInt(Math.floor(ns));
          const entities = [entityKey('service', service)];
          const time = { start_ns: at(start_ns), end_ns: at(until_ns) + 1n };
          showDifferences({ ...time, entities, duration_ms: null, span_name: null });
        },
      },
    ],
  };
}

const NARROWEST = 0.0008;
const pieceStyle = ({ left, width }: StagePiece) => ({ left: `${left * 100}%`, width: `max(1px, ${width * 100}%)` });

/** The critical path as one bar: each part in the colour of its stage, waits hatched. */
function PipelineBar({ pipeline }: { readonly pipeline: Pipeline }) {
  const { stages, pieces } = pipeline;
  return (
    <div className="stage-bar pipeline" role="img" aria-label={pipelineText(pipeline)} data-testid="pipeline">
      {pieces
        .filter(({ width }) => width >= NARROWEST)
        .map((piece) => {
          const stage = stages[piece.stage];
          const words = `${stage?.title ?? messages.path.wait} ${formatDuration(piece.until_ns - piece.from_ns)}`;
          return (
            <span
              key={piece.from_ns}
              className={stage ? `series-${(stage.series % SERIES) + 1}` : 'stage-wait'}
              style={pieceStyle(piece)}
              title={words}
            >
              {piece.width > 0.12 ? words : ''}
            </span>
          );
        })}
    </div>
  );
}

const MOST_SHOWN = 12;

function pipelineText({ stages, pieces }: Pipeline): string {
  const piecesText = pieces
    .slice(0, MOST_SHOWN)
    .map(
      ({ stage, from_ns, until_ns }) =>
        `${stages[stage]?.title ?? messages.path.wait} ${formatDuration(until_ns - from_ns)}`,
    );
  return messages.stages.path(piecesText.join(', '), pieces.length - MOST_SHOWN);
}

function Lane({ pieces, className }: { readonly pieces: readonly StagePiece[]; readonly className: string }) {
  return (
    <div className="stage-bar" aria-hidden="true">
      {pieces.map((piece) => (
        <span key={piece.left} className={className} style={pieceStyle(piece)} />
      ))}
    </div>
  );
}
