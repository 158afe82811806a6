import { Fragment, useMemo } from 'react';
import type { StageView } from '../../../model/contract/index.ts';
import { servingStages } from '../../../model/telemetry/serving-stages.ts';
import { formatDuration } from '../../draw/text/format-time.ts';
import { type StageShares, stageShares } from '../../draw/traces/stage-shares.ts';
import { messages } from './messages.ts';

/** A part under this share of its row's whole width has no room for its name. */
const ROOM = 9;

/** Queue, prefill, decode and the others as parts of one bar: this trace above the usual request. */
export function TraceStageBars({ stages }: { readonly stages: readonly StageView[] }) {
  const rows = useMemo(() => stageShares(stages), [stages]);
  if (stages.length < 2 || rows.every(({ total_s }) => total_s === 0)) return null;
  const services = new Set(rows.map(({ service }) => service)).size;
  return (
    <section className="stage-shares" aria-label={messages.before.bars} data-testid="stage-shares">
      {rows.map((row) => (
        <Fragment key={`${row.service} ${row.row}`}>
          <span className="muted">
            {services > 1 ? `${row.service}: ` : ''}
            {messages.before.row[row.row]}
          </span>
          <Bar {...row} />
          <span className="number">{text(row.total_s)}</span>
        </Fragment>
      ))}
    </section>
  );
}

const text = (seconds: number): string => formatDuration(Math.round(seconds * 1e9));

function Bar({ parts }: StageShares) {
  const texts = parts.map(({ stage, seconds, share }) => `${stage} ${text(seconds)} (${Math.round(share)} %)`);
  return (
    <div className="stage-bar pipeline" role="img" aria-label={texts.join(', ')}>
      {parts.map(({ stage, left, width }, at) => (
        <span
          key={stage}
          className={`series-${servingStages.indexOf(stage) + 1}`}
          style={{ left: `${left}%`, width: `${width}%` }}
          title={texts[at]}
        >
          {width >= ROOM ? stage : ''}
        </span>
      ))}
    </div>
  );
}
