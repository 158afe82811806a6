import { Fragment, useMemo } from 'react';
import type { StageView } from '../../model/contract/index.ts';
import { type ServingStage, stageText } from '../../model/telemetry/serving-stages.ts';
import { formatDuration } from '../draw/text/format-time.ts';
import { type StageShares, stageShares } from '../draw/traces/stage-shares.ts';
import { messages } from './messages.ts';

/** A part under this share of its row's whole width has no room for its name. */
const ROOM = 9;
/** Two stages that are never in one bar have one colour. */
const series: Readonly<Record<ServingStage, number>> = {
  preprocess: 1,
  queue: 2,
  retrieval: 3,
  tool: 4,
  first_token: 5,
  prefill: 5,
  decode: 6,
  inference: 6,
  postprocess: 7,
};

/** Queue, prefill, decode and the others as parts of one bar: this trace, or the incident, above the usual request. */
export function StageBars({ stages }: { readonly stages: readonly StageView[] }) {
  const rows = useMemo(() => stageShares(stages), [stages]);
  if (stages.length < 2 || rows.every(({ total_s }) => total_s === 0)) return null;
  const services = new Set(rows.map((row) => nameOf(row))).size;
  const source = stages.some((stage) => stage.source === 'spans') ? 'spans' : 'metrics';
  return (
    <div className="stage-shares" title={messages.stages.bars[source]} data-testid="stage-shares">
      {rows.map((row) => (
        <Fragment key={`${nameOf(row)} ${row.row}`}>
          <span className="muted">
            {services > 1 ? `${nameOf(row)}: ` : ''}
            {messages.stages.row[row.source][row.row]}
          </span>
          <Bar {...row} />
          <span className="number">{text(row.total_s)}</span>
        </Fragment>
      ))}
    </div>
  );
}

const nameOf = ({ service, model }: StageShares): string => (model === null ? service : `${service} (${model})`);
const text = (seconds: number): string => formatDuration(Math.round(seconds * 1e9));

function Bar({ parts }: StageShares) {
  const texts = parts.map(
    ({ seconds, share, ...name }) => `${stageText(name)} ${text(seconds)} (${Math.round(share)} %)`,
  );
  return (
    <div className="stage-bar pipeline" role="img" aria-label={texts.join(', ')}>
      {parts.map(({ stage, tool, left, width }, at) => (
        <span
          key={`${stage} ${tool ?? ''}`}
          className={`series-${series[stage]}`}
          style={{ left: `${left}%`, width: `${width}%` }}
          title={texts[at]}
        >
          {width >= ROOM ? <b>{stageText({ stage, tool })}</b> : null}
        </span>
      ))}
    </div>
  );
}
