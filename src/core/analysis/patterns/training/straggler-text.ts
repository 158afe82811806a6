import type { FindingEvidence } from '../../../../model/incident/finding.ts';
import type { MeasuredStraggler } from './measured-straggler.ts';

/** Why a GPU may be slow. */
export const THROTTLE_METRICS = [
  'hw.gpu.clock.sm',
  'hw.gpu.clocks_event_reasons',
  'hw.gpu.throttle.thermal',
  'hw.gpu.throttle.power',
  'gpu.throttle.hw_active',
  'gpu.throttle.sw_active',
] as const;

/** `164 ms`, `20.5 us`. */
export function timeText(ns: number): string {
  const [scale, unit] = ns >= 1e6 ? [1e6, 'ms'] : [1e3, 'us'];
  return `${Number((ns / scale).toPrecision(3))} ${unit}`;
}

export const peersText = (members: number): string => (members === 2 ? 'its peer' : `its ${members - 1} peers`);

/** The worst times of a straggler. @param means of whom the two means are */
export const worstText = ({ first, worst }: MeasuredStraggler, name: string, means: string): FindingEvidence => ({
  text: `${name}: ${first.metric}, mean of ${means} at the worst times: ${worst.map(({ own_ns, usual_ns }) => `${timeText(own_ns)} and ${timeText(usual_ns)}`).join('; ')}`,
  refs: worst.map(({ series_id, sample_ns }) => `metric:${series_id}@${sample_ns}`),
});
