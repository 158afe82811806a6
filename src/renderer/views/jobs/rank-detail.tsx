import { useMemo } from 'react';
import type { JobRankView, Lane, WaitedRankView } from '../../../model/contract/index.ts';
import { laneEntity } from '../../draw/tables/row-tree.ts';
import { laneWhat } from '../../draw/timeline/lane-text.ts';
import { showView } from '../../state/case-state.ts';
import { selectEntities, selectEntity } from '../../state/focus.ts';
import { useLanes } from '../../state/known.ts';
import { LaneChart } from '../../widgets/lane-chart.tsx';
import { placeText, whyText, withPlace } from './job-text.ts';
import { messages } from './messages.ts';

const MOST_LANES = 40;

/** Shows the lanes of a rank, and of the GPU and machine that it runs on, in the timeline. */
export function showLanes(rank: Pick<JobRankView, 'entity' | 'gpus' | 'hosts' | 'racks'>): void {
  selectEntities(withPlace(rank));
  showView('timeline');
}

interface RankDetailProps {
  /** undefined: none is selected. */
  readonly rank: JobRankView | undefined;
  /** Why others waited for it. */
  readonly waited: readonly WaitedRankView[];
}

/** Where a rank runs, why others waited for it, and the lanes of it. */
export function RankDetail({ rank, waited }: RankDetailProps) {
  const all = useLanes();
  const lanes = useMemo(() => (rank ? lanesOf(withPlace(rank), all) : []), [rank, all]);
  if (!rank)
    return (
      <section className="jobs-detail" aria-label={messages.detail.label}>
        <p className="empty muted">{messages.detail.choose}</p>
      </section>
    );
  const place = placeText(rank);
  return (
    <section className="jobs-detail" aria-label={messages.detail.label}>
      <h2>
        <span className="ellipsis" title={rank.entity}>
          {rank.name}
        </span>{' '}
        <span className="muted ellipsis" title={place}>
          {place || messages.detail.noPlace}
        </span>
        <button type="button" className="plain" title={messages.detail.timelineTitle} onClick={() => showLanes(rank)}>
          {messages.detail.timeline}
        </button>
        <button
          type="button"
          className="plain"
          title={messages.detail.causesTitle}
          onClick={() => {
            selectEntity(rank.entity);
            showView('causes');
          }}
        >
          {messages.detail.causes}
        </button>
      </h2>
      {waited.map((one) => (
        <p key={`${one.kind} ${one.from_ns} ${one.text}`} className={`jobs-why job-${one.kind}`}>
          {whyText(one)}
        </p>
      ))}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by keyboard */}
      <section className="jobs-lanes" aria-label={messages.detail.lanes} tabIndex={0}>
        {lanes.length === 0 ? (
          <p className="empty muted">{messages.detail.noLanes}</p>
        ) : (
          <LaneChart
            label={messages.detail.lanes}
            lanes={lanes}
            nameOf={(lane) =>
              entityOf(lane) === rank.entity ? laneWhat(lane) : `${laneEntity(lane)} ${laneWhat(lane)}`
            }
          />
        )}
      </section>
    </section>
  );
}

const entityOf = (lane: Lane): string => `${lane.entity_kind}:${lane.entity_id}`;

/** Of the rank first, then of its GPU, then of its machine. */
function lanesOf(entities: readonly string[], lanes: readonly Lane[]): readonly Lane[] {
  const own = Map.groupBy(lanes, entityOf);
  return entities.flatMap((entity) => own.get(entity) ?? []).slice(0, MOST_LANES);
}
