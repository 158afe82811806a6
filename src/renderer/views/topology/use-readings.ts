import { useMemo } from 'react';
import type { LaneData, TopologyNode } from '../../../model/contract/index.ts';
import { formatValue } from '../../draw/text/format-value.ts';
import { measureMetric, valueAt } from '../../draw/timeline/metric-line.ts';
import { client } from '../../state/client.ts';
import type { TimeWindow } from '../../state/focus-history.ts';
import { useLanes } from '../../state/known.ts';
import { useAnswer } from '../../state/use-answer.ts';
import { useSteadyWindow } from '../../state/use-settled-window.ts';

const BUCKETS = 400;
/** What a map of one incident shows, and more than anybody reads at once. */
const MOST_LANES = 400;

/** Kinds whose load decides how far a failure goes. */
const kinds: readonly string[] = ['ups', 'breaker', 'pdu', 'outlet', 'psu', 'server'];
/** In the order in which they stand. */
const metrics = ['hw.power', 'hw.current'] as const;

export interface Readings {
  /** `19.8 kW` of an entity at an instant; '' where nothing was measured then. */
  of(entityKey: string, at: bigint): string;
  /** Power of an entity at an instant, W; NaN where it was not measured then. */
  power(entityKey: string, at: bigint): number;
}

/** Power and current of supplies and servers in the window, so that scrubbing needs no queries. */
export function useReadings(nodes: readonly TopologyNode[]): Readings {
  const all = useLanes();
  const window = useSteadyWindow();
  const lanes = useMemo(() => {
    const wanted = new Set(nodes.filter(({ kind }) => kinds.includes(kind)).map(({ key }) => key));
    return all
      .filter(({ kind, metric, entity_kind, entity_id }) =>
        kind === 'metric' && metrics.some((one) => one === metric) ? wanted.has(`${entity_kind}:${entity_id}`) : false,
      )
      .slice(0, MOST_LANES);
  }, [all, nodes]);
  const ids = lanes.map(({ id }) => id);
  const { value } = useAnswer(
    ids.length === 0 ? null : ['readings', window, ids],
    async (signal) => {
      const input = { start_ns: window.startNs, end_ns: window.endNs, buckets: BUCKETS, lanes: ids };
      return { window, data: await client().call('timeline.data', input, signal) };
    },
    ['point'],
  );
  return useMemo(() => {
    const byEntity = Map.groupBy(lanes, ({ entity_kind, entity_id }) => `${entity_kind}:${entity_id}`);
    const byLane = new Map((value?.data ?? []).map((one) => [one.lane, one]));
    const read = (entityKey: string, metric: string, at: bigint): { readonly value: number; readonly unit: string } => {
      const lane = byEntity.get(entityKey)?.find((one) => one.metric === metric);
      const reading = lane && value ? readingAt(byLane.get(lane.id), value.window, at) : Number.NaN;
      return { value: reading, unit: lane?.unit ?? '' };
    };
    return {
      power: (entityKey, at) => read(entityKey, 'hw.power', at).value,
      of: (entityKey, at) =>
        metrics
          .map((metric) => read(entityKey, metric, at))
          .flatMap((one) => (Number.isFinite(one.value) ? formatValue(Number(one.value.toPrecision(3)), one.unit) : []))
          .join(', '),
    };
  }, [lanes, value]);
}

function readingAt(data: LaneData | undefined, { startNs, endNs }: TimeWindow, at: bigint): number {
  if (data?.kind !== 'metric' || at < startNs || at > endNs) return Number.NaN;
  const bucket = Math.min(BUCKETS - 1, Math.floor((Number(at - startNs) / Number(endNs - startNs)) * BUCKETS));
  return valueAt(data, bucket, measureMetric(data).gapBuckets);
}
